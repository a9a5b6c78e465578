// Measures a launch of an empty one-program kernel. A program to run by hand, not a test.

#include "test/unit/runtime/kernels.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace sectile;
using namespace sectile::test;

void nothing_kernel(Out out, N n) { body(out, n); }

int main() {
  setenv("SECTILE_COMPILER", FAKE_COMPILER, 1);
  Device device = Device::cpu();
  Tensor<i32, 1> out({1});
  launch<nothing_kernel>(device, out, 1);
  double best = 1e9;
  for (int repeat = 0; repeat < 20; ++repeat) {
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 10000; ++i) launch<nothing_kernel>(device, out, 1);
    double each = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / 10000;
    best = each < best ? each : best;
  }
  std::printf("one launch: %.0f ns\n", best);
}
