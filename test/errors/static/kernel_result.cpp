// A kernel that returns a value.
// expect: a kernel is a function that returns void
#include <sectile/sectile.h>
using namespace sectile;

int kernel(View<float, 1> out) { auto [i] = grid(tiles(out.size(0), 1)); return 0; }
#ifndef FIXED
void run(Tensor<float, 1>& out) { launch<kernel>(Device::cpu(), out); }  // mistake
#else
void good(View<float, 1> out) { auto [i] = grid(tiles(out.size(0), 1)); }
void run(Tensor<float, 1>& out) { launch<good>(Device::cpu(), out); }
#endif
