// Softmax over rows: one row a program, reductions, and a fill for the columns beyond the end.
#include "check.h"

#include <sectile/sectile.h>

using namespace sectile;

template <typename T, int Cols>  // one row fits one tile
void softmax(View<const T, 2> in, View<T, 2> out) {
  auto [row] = grid(tiles(in.size(0), 1));
  auto x = cast<float>(load<1, Cols>(in, {row, 0}, fill(-inf)));
  auto e = exp(x - max<1>(x));
  store(out, {row, 0}, cast<T>(e / sum<1>(e)));
}

int main() {
  const std::int64_t rows = 1823, cols = 781;
  Tensor<float, 2> in({rows, cols}), out({rows, cols}), expected({rows, cols});
  fill_values(in, 3);
  for (std::int64_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (std::int64_t c = 0; c < cols; ++c) sum += std::exp(static_cast<double>(in[r * cols + c]));
    for (std::int64_t c = 0; c < cols; ++c) expected[r * cols + c] = static_cast<float>(std::exp(static_cast<double>(in[r * cols + c])) / sum);
  }
  double ms = best_milliseconds([&] { launch<softmax<float, 1024>>(Device::cpu(), in, out); });
  return check("softmax", out, [&](std::int64_t i) { return expected[i]; }, 1e-8, 8e-6 * static_cast<double>(rows * cols) / ms, "GB/s");
}
