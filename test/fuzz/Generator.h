// Random kernels. A seed gives a kernel and the memory it runs on; leaving out steps of a kernel gives a smaller one, which is how failures are reduced.
//
// Results are the same for every order of evaluation that the dialect allows: sums and products of floats run over small whole numbers, divisors are
// not 0, and what comes out of a transcendental function is only stored, into a view that is compared with a tolerance.
#pragma once

#include "compiler/ir/Dialect.h"

#include <set>
#include <string>
#include <vector>

namespace sectile::fuzz {

/// A parameter of the kernel and what it is called with.
struct Parameter {
  mlir::Type element;
  bool isView = false, approximate = false;
  llvm::SmallVector<int64_t> shape, strides;  // in elements
  int64_t span = 0;                           // elements from the first to the last, and 1
  uint64_t seed = 0;                          // of the contents, or of a scalar's value
};

struct Program {
  tile::KernelOp kernel;
  std::vector<Parameter> parameters;
  std::vector<uint64_t> steps;  // names of the steps taken
};

/// Appends the kernel `name` to the module, without the steps in `left_out`.
Program generate(mlir::ModuleOp module, llvm::StringRef name, uint64_t seed, const std::set<uint64_t> &leftOut = {});

}  // namespace sectile::fuzz
