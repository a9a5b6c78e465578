// Which operations a kernel may hold when a target lowers it.
#pragma once

#include "compiler/ir/Dialect.h"

namespace sectile::tile {

/// Reports the first operation that is none of kernels, or has a type that is none of theirs. Targets call it before they lower a kernel.
llvm::LogicalResult verifyKernelOperations(KernelOp kernel);

}  // namespace sectile::tile
