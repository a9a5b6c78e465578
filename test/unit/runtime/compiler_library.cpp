// Opening the compiler: missing, of another version, and a second try that succeeds.

#include "test/unit/catch.h"
#include "test/unit/runtime/kernels.h"

#include <cstdlib>

using namespace sectile;
using namespace sectile::test;

void count_kernel(Out out, N n) { body(out, n); }

TEST_CASE("the compiler is opened on demand, and a failure is an error with a remedy") {
  Tensor<i32, 1> out({4}, 0);
  auto run = [&] { launch<count_kernel>(Device::cpu(), out, 4); };
  setenv("SECTILE_COMPILER", "/nowhere/libsectile-compiler.so", 1);
  CHECK(throws<UserError>("/nowhere/libsectile-compiler.so", run));
  CHECK(throws<UserError>("SECTILE_COMPILER", run));
  setenv("SECTILE_COMPILER", OLD_COMPILER, 1);
  CHECK(throws<UserError>("from one build", run));
  setenv("SECTILE_COMPILER", FAKE_KERNELS, 1);  // a library, but no compiler
  CHECK(throws<UserError>("not the compiler of this version", run));
  setenv("SECTILE_COMPILER", FAKE_COMPILER, 1);
  run();
  CHECK(out[3] == 1);
}
