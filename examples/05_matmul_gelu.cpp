// A fused epilogue: matrix product, bias and GELU in one kernel, in bf16 with f32 accumulation.
#include "check.h"

#include <sectile/sectile.h>

using namespace sectile;

template <typename T, int N>
Tile<float, N, N> gelu(const Tile<float, N, N>& x) {
  return 0.5f * x * (1.0f + erf(x * 0.70710678f));
}

template <typename T, int N, int K>
void matmul_gelu(View<const T, 2> a, View<const T, 2> b, View<const float, 1> bias, View<float, 2> c) {
  auto [row, col] = grid(tiles(c.size(0), N), tiles(c.size(1), N));
  auto acc = zeros<float, N, N>();
  for (auto k : range(0, a.size(1), K)) acc += dot(load<N, K>(a, {row, k}), load<K, N>(b, {k, col}));
  store(c, {row, col}, gelu<T, N>(acc + load<N>(bias, {col})));
}

int main() {
  const std::int64_t m = 257, n = 300, k = 200;
  Tensor<bf16, 2> a({m, k}), b({k, n});
  Tensor<float, 1> bias({n});
  Tensor<float, 2> c({m, n}), expected({m, n});
  fill_values(a, 9), fill_values(b, 10), fill_values(bias, 11);
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      double x = bias[j];
      for (std::int64_t l = 0; l < k; ++l) x += static_cast<double>(a[i * k + l]) * static_cast<double>(b[l * n + j]);
      expected[i * n + j] = static_cast<float>(0.5 * x * (1 + std::erf(x * std::sqrt(0.5))));
    }
  double ms = best_milliseconds([&] { launch<matmul_gelu<bf16, 64, 64>>(Device::cpu(), a, b, bias, c); });
  return check("matmul + bias + GELU", c, [&](std::int64_t i) { return expected[i]; }, 2e-5, 2e-6 * static_cast<double>(m * n * k) / ms, "GFLOP/s");
}
