// A launch with too few arguments.
// expect: the launch has another number of arguments than the kernel has parameters
#include <sectile/sectile.h>
using namespace sectile;

void kernel(View<const float, 2> in, View<float, 1> out, Scalar<i32> count, Scalar<float> scale) {
  auto [row] = grid(tiles(out.size(0), 1));
  store(out, {row}, load(in, {row, cast<i32>(scale)}) * cast<float>(count));
}

void run(Tensor<float, 2>& in, Tensor<float, 1>& out) {
#ifndef FIXED
  launch<kernel>(Device::cpu(), in, out, 3);  // mistake
#else
  launch<kernel>(Device::cpu(), in, out, 3, 0.5f);
#endif
}
