// Loading a tile with another number of axes than the view.
// expect: a tile is loaded with as many axes as the view has
#include <sectile/sectile.h>
using namespace sectile;

void kernel(View<const float, 2> in, View<float, 2> out, View<i32, 1> counts, Scalar<float> scale) {
  auto [row, col] = grid(tiles(out.size(0), 4), tiles(out.size(1), 8));
  auto x = load<4, 8>(in, {row, col});
  auto n = load<8>(counts, {0});
#ifndef FIXED
  auto y = load<8>(in, {row, col});  // mistake
#else
  auto y = load<1, 8>(in, {row, col});
#endif
}
