// Batches of different sizes.
// expect: with one size of the first axis
#include <sectile/sectile.h>
using namespace sectile;

void kernel(View<const float, 2> in, View<float, 2> out, View<i32, 1> counts, Scalar<float> scale) {
  auto [row, col] = grid(tiles(out.size(0), 4), tiles(out.size(1), 8));
  auto x = load<4, 8>(in, {row, col});
  auto n = load<8>(counts, {0});
#ifndef FIXED
  auto c = dot(reshape<4, 1, 8>(x), zeros<float, 2, 8, 1>());  // mistake
#else
  auto c = dot(reshape<4, 1, 8>(x), zeros<float, 4, 8, 1>());
#endif
}
