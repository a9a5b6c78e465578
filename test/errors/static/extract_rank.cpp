// A part with another number of axes.
// expect: a part has as many axes as the tile
#include <sectile/sectile.h>
using namespace sectile;

void kernel(View<const float, 2> in, View<float, 2> out, View<i32, 1> counts, Scalar<float> scale) {
  auto [row, col] = grid(tiles(out.size(0), 4), tiles(out.size(1), 8));
  auto x = load<4, 8>(in, {row, col});
  auto n = load<8>(counts, {0});
#ifndef FIXED
  auto y = extract<4>(x, {0, 0});  // mistake
#else
  auto y = extract<4, 1>(x, {0, 0});
#endif
}
