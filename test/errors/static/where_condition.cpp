// A condition that is no bool.
// expect: the condition of where(...) is a tile of bool
#include <sectile/sectile.h>
using namespace sectile;

void kernel(View<const float, 2> in, View<float, 2> out, View<i32, 1> counts, Scalar<float> scale) {
  auto [row, col] = grid(tiles(out.size(0), 4), tiles(out.size(1), 8));
  auto x = load<4, 8>(in, {row, col});
  auto n = load<8>(counts, {0});
#ifndef FIXED
  auto y = where(x, x, -x);  // mistake
#else
  auto y = where(x > 0.0f, x, -x);
#endif
}
