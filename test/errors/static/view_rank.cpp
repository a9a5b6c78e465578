// A view of six axes.
// expect: a view has 1 to 5 axes
#include <sectile/sectile.h>
using namespace sectile;

#ifndef FIXED
void kernel(View<float, 6> out) { auto [i] = grid(tiles(out.size(0), 1)); }  // mistake
#else
void kernel(View<float, 5> out) { auto [i] = grid(tiles(out.size(0), 1)); }
#endif
