// Adding bool tiles.
// expect: + - * / % work on numbers; convert the bool tile with cast<i32>(tile)
#include <sectile/sectile.h>
using namespace sectile;

void kernel(View<const float, 2> in, View<float, 2> out, View<i32, 1> counts, Scalar<float> scale) {
  auto [row, col] = grid(tiles(out.size(0), 4), tiles(out.size(1), 8));
  auto x = load<4, 8>(in, {row, col});
  auto n = load<8>(counts, {0});
#ifndef FIXED
  auto y = (x > 0.0f) + (x < 1.0f);  // mistake
#else
  auto y = cast<i32>(x > 0.0f) + cast<i32>(x < 1.0f);
#endif
}
