// A product of tiles that do not fit.
// expect: the columns of the left tile must be as many as the rows of the right one
#include <sectile/sectile.h>
using namespace sectile;

void kernel(View<const float, 2> in, View<float, 2> out, View<i32, 1> counts, Scalar<float> scale) {
  auto [row, col] = grid(tiles(out.size(0), 4), tiles(out.size(1), 8));
  auto x = load<4, 8>(in, {row, col});
  auto n = load<8>(counts, {0});
#ifndef FIXED
  auto y = dot(x, x);  // mistake
#else
  auto y = dot(x, trans(x));
#endif
}
