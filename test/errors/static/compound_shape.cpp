// A compound assignment that would change the shape.
// expect: the result of a compound assignment must have the type and shape of its left side
#include <sectile/sectile.h>
using namespace sectile;

void kernel(View<const float, 2> in, View<float, 2> out, View<i32, 1> counts, Scalar<float> scale) {
  auto [row, col] = grid(tiles(out.size(0), 4), tiles(out.size(1), 8));
  auto x = load<4, 8>(in, {row, col});
  auto n = load<8>(counts, {0});
  auto s = zeros<float, 4, 1>();
#ifndef FIXED
  s += x;  // mistake
#else
  s += sum<1>(x);
#endif
}
