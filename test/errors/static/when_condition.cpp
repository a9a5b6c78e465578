// A condition that is a tile.
// expect: of a tile, any(tile) or all(tile), or choose by element
#include <sectile/sectile.h>
using namespace sectile;

void kernel(View<const float, 2> in, View<float, 2> out, View<i32, 1> counts, Scalar<float> scale) {
  auto [row, col] = grid(tiles(out.size(0), 4), tiles(out.size(1), 8));
  auto x = load<4, 8>(in, {row, col});
  auto n = load<8>(counts, {0});
#ifndef FIXED
  when(x > 0.0f, [&] { x = x - 1.0f; });  // mistake
#else
  when(all(x > 0.0f), [&] { x = x - 1.0f; });
#endif
}
