// The reference meaning of `tile` IR: interprets a kernel on host memory, slow and plain. The oracle of random-program tests; shares no code with any
// lowering. Sums run from the first element to the last; products of matrices are summed exactly enough (f32 in f64) and rounded once.
#pragma once

#include "compiler/ir/Dialect.h"

#include "llvm/Support/Error.h"

#include <functional>
#include <string>
#include <vector>

namespace sectile::evaluator {

/// One launch argument. Scalars: `bits` in the lower bits. Views: memory, extents and strides in elements; bool elements take one byte.
struct Argument {
  uint64_t bits = 0;
  void *memory = nullptr;
  llvm::SmallVector<int64_t> shape, strides;
};

struct Options {
  /// Stops with an error after so many operations, counted by elements.
  uint64_t limit = uint64_t(1) << 32;
  /// Called for each tile.print with its text and the bits of its values.
  std::function<void(llvm::StringRef text, llvm::ArrayRef<std::vector<uint64_t>> values)> print;
};

/// Runs all programs of the kernel's grid in linear order. The kernel must have been verified. Fails for a false assertion or assumption, a step
/// that is not positive, an operation that is no kernel operation, and beyond the limit.
llvm::Error evaluate(tile::KernelOp kernel, llvm::ArrayRef<Argument> arguments, const Options &options = {});

}  // namespace sectile::evaluator
