// A host value as a kernel parameter.
// expect: a kernel parameter is a View<T, R>, a Scalar<T> or an Index; host values come in as template parameters
#include <sectile/sectile.h>
using namespace sectile;

void kernel(View<float, 1> out, int n) { auto [i] = grid(tiles(out.size(0), n)); }
#ifndef FIXED
void run(Tensor<float, 1>& out) { launch<kernel>(Device::cpu(), out, 3); }  // mistake
#else
void good(View<float, 1> out) { auto [i] = grid(tiles(out.size(0), 1)); }
void run(Tensor<float, 1>& out) { launch<good>(Device::cpu(), out); }
#endif
