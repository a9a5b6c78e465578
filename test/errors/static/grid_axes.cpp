// A grid of five axes.
// expect: a grid has 1 to 4 axes
#include <sectile/sectile.h>
using namespace sectile;

void kernel(View<float, 1> out) {
  auto n = out.size(0);
#ifndef FIXED
  grid(tiles(n, 1), tiles(n, 1), tiles(n, 1), tiles(n, 1), tiles(n, 1));  // mistake
#else
  grid(tiles(n, 1), tiles(n, 1), tiles(n, 1), tiles(n, 1));
#endif
}
