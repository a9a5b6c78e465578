// Storing another element type.
// expect: the tile and the view have different element types; convert with cast<T>(tile)
#include <sectile/sectile.h>
using namespace sectile;

void kernel(View<const float, 2> in, View<float, 2> out, View<i32, 1> counts, Scalar<float> scale) {
  auto [row, col] = grid(tiles(out.size(0), 4), tiles(out.size(1), 8));
  auto x = load<4, 8>(in, {row, col});
  auto n = load<8>(counts, {0});
#ifndef FIXED
  store(out, {row, col}, cast<f16>(x));  // mistake
#else
  store(out, {row, col}, x);
#endif
}
