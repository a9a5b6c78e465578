// A host while on a device value.
// expect: a device value is used as a host condition
#include <sectile/sectile.h>
using namespace sectile;

void kernel(View<const float, 2> in, View<float, 2> out, View<i32, 1> counts, Scalar<float> scale) {
  auto [row, col] = grid(tiles(out.size(0), 4), tiles(out.size(1), 8));
  auto x = load<4, 8>(in, {row, col});
  auto n = load<8>(counts, {0});
#ifndef FIXED
  while (scale > 0.0f) x = x * scale;  // mistake
#else
  loop_while([&] { return scale > 0.0f; }, [&] { x = x * scale, scale = scale - 1.0f; });
#endif
}
