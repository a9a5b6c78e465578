// A mask given to load.
// expect: a mask goes with gather(view, indices(...), mask, fill(x))
#include <sectile/sectile.h>
using namespace sectile;

void kernel(View<const float, 2> in, View<float, 2> out, View<i32, 1> counts, Scalar<float> scale) {
  auto [row, col] = grid(tiles(out.size(0), 4), tiles(out.size(1), 8));
  auto x = load<4, 8>(in, {row, col});
  auto n = load<8>(counts, {0});
#ifndef FIXED
  auto y = load<4, 8>(in, {row, col}, x > 0.0f);  // mistake
#else
  auto y = gather(in, indices(reshape<4, 1>(row + iota<4>()), reshape<1, 8>(col + iota<8>())), x > 0.0f);
#endif
}
