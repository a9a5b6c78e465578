// A product of tiles of different types.
// expect: dot multiplies two tiles of
#include <sectile/sectile.h>
using namespace sectile;

void kernel(View<const float, 2> in, View<float, 2> out, View<i32, 1> counts, Scalar<float> scale) {
  auto [row, col] = grid(tiles(out.size(0), 4), tiles(out.size(1), 8));
  auto x = load<4, 8>(in, {row, col});
  auto n = load<8>(counts, {0});
#ifndef FIXED
  auto y = dot(x, zeros<double, 8, 4>());  // mistake
#else
  auto y = dot(x, cast<float>(zeros<double, 8, 4>()));
#endif
}
