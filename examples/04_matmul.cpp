// Matrix product: a loop over k on the device with a carried accumulator, configured by a struct.
#include "check.h"

#include <sectile/sectile.h>

using namespace sectile;

struct MatmulConfig {
  int m = 128, n = 128, k = 64;
};

template <typename T, MatmulConfig cfg>
void matmul(View<const T, 2> a, View<const T, 2> b, View<T, 2> c) {
  auto [row, col] = grid(tiles(c.size(0), cfg.m), tiles(c.size(1), cfg.n));
  auto acc = zeros<float, cfg.m, cfg.n>();
  for (auto k : range(0, a.size(1), cfg.k)) {
    auto at = load<cfg.m, cfg.k>(a, {row, k});
    auto bt = load<cfg.k, cfg.n>(b, {k, col});
    acc += dot(at, bt);
  }
  store(c, {row, col}, cast<T>(acc));
}

int main() {
  const std::int64_t m = 497, n = 333, k = 501;
  Tensor<float, 2> a({m, k}), b({k, n}), c({m, n}), expected({m, n});
  fill_values(a, 7), fill_values(b, 8);
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::int64_t l = 0; l < k; ++l) sum += static_cast<double>(a[i * k + l]) * b[l * n + j];
      expected[i * n + j] = static_cast<float>(sum);
    }
  double ms = best_milliseconds([&] { launch<matmul<float, MatmulConfig{}>>(Device::cpu(), a, b, c); });
  return check("matmul", c, [&](std::int64_t i) { return expected[i]; }, 1e-4, 2e-6 * static_cast<double>(m * n * k) / ms, "GFLOP/s");
}
