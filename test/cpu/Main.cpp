// Kernels through the CPU target, end to end, against plain C++.

#include "Cases.h"

int main() {
  using namespace sectile::test;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  for (const std::string &level : levels()) {
    memoryCases(level);
    shapeCases(level);
    reductionCases(level);
    controlCases(level);
    effectCases(level);
    std::printf("%s: %d checks, %d failures\n", level.c_str(), checks, failures);
  }
  return failures != 0;
}
