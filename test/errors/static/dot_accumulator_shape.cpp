// An accumulator of another shape.
// expect: the accumulator of an M x K and a K x N tile is M x N
#include <sectile/sectile.h>
using namespace sectile;

void kernel(View<const float, 2> in, View<float, 2> out, View<i32, 1> counts, Scalar<float> scale) {
  auto [row, col] = grid(tiles(out.size(0), 4), tiles(out.size(1), 8));
  auto x = load<4, 8>(in, {row, col});
  auto n = load<8>(counts, {0});
#ifndef FIXED
  auto c = dot(x, trans(x), zeros<float, 4, 8>());  // mistake
#else
  auto c = dot(x, trans(x), zeros<float, 4, 4>());
#endif
}
