// Breaking on a tile.
// expect: the condition of break_if is a Scalar<bool>
#include <sectile/sectile.h>
using namespace sectile;

void kernel(View<const float, 2> in, View<float, 2> out, View<i32, 1> counts, Scalar<float> scale) {
  auto [row, col] = grid(tiles(out.size(0), 4), tiles(out.size(1), 8));
  auto x = load<4, 8>(in, {row, col});
  auto n = load<8>(counts, {0});
#ifndef FIXED
  for (auto i : range(4)) break_if(x > cast<float>(i));  // mistake
#else
  for (auto i : range(4)) break_if(any(x > cast<float>(i)));
#endif
}
