// Layer normalisation: two reductions over a row, and weights that broadcast over rows.
#include "check.h"

#include <sectile/sectile.h>

using namespace sectile;

template <int Cols>
void layer_norm(View<const float, 2> in, View<const float, 1> weight, View<const float, 1> bias, View<float, 2> out, Scalar<float> epsilon) {
  auto [row] = grid(tiles(in.size(0), 1));
  auto count = cast<float>(in.size(1));
  auto x = load<1, Cols>(in, {row, 0});
  auto mean = sum<1>(x) / count;
  auto inside = iota<1, Cols>() < in.size(1);
  auto centred = where(inside, x - mean, 0.0f);
  auto variance = sum<1>(centred * centred) / count;
  auto scaled = centred * rsqrt(variance + epsilon);
  store(out, {row, 0}, scaled * load<Cols>(weight, {0}) + load<Cols>(bias, {0}));
}

int main() {
  const std::int64_t rows = 500, cols = 1000;
  Tensor<float, 2> in({rows, cols}), out({rows, cols}), expected({rows, cols});
  Tensor<float, 1> weight({cols}), bias({cols});
  fill_values(in, 4), fill_values(weight, 5), fill_values(bias, 6);
  for (std::int64_t r = 0; r < rows; ++r) {
    double mean = 0, variance = 0;
    for (std::int64_t c = 0; c < cols; ++c) mean += in[r * cols + c] / static_cast<double>(cols);
    for (std::int64_t c = 0; c < cols; ++c) variance += (in[r * cols + c] - mean) * (in[r * cols + c] - mean) / static_cast<double>(cols);
    for (std::int64_t c = 0; c < cols; ++c)
      expected[r * cols + c] = static_cast<float>((in[r * cols + c] - mean) / std::sqrt(variance + 1e-5) * weight[c] + bias[c]);
  }
  double ms = best_milliseconds([&] { launch<layer_norm<1024>>(Device::cpu(), in, weight, bias, out, 1e-5f); });
  return check("layer norm", out, [&](std::int64_t i) { return expected[i]; }, 4e-6, 8e-6 * static_cast<double>(rows * cols) / ms, "GB/s");
}
