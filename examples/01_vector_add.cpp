// The smallest kernel: each program adds one block of two vectors.
#include "check.h"

#include <sectile/sectile.h>

using namespace sectile;

template <int Block>
void vector_add(View<const float, 1> x, View<const float, 1> y, View<float, 1> out) {
  auto [start] = grid(tiles(out.size(0), Block));
  store(out, {start}, load<Block>(x, {start}) + load<Block>(y, {start}));
}

int main() {
  const std::int64_t n = 1000003;  // no multiple of the block: the last program's tile hangs over the end
  Tensor<float, 1> x({n}), y({n}), out({n});
  fill_values(x, 1), fill_values(y, 2);
  double ms = best_milliseconds([&] { launch<vector_add<1024>>(Device::cpu(), x, y, out); });
  return check("vector add", out, [&](std::int64_t i) { return x[i] + y[i]; }, 0, 12e-6 * static_cast<double>(n) / ms, "GB/s");
}
