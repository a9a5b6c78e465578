// How to launch a kernel, read off its IR: grid extents as expressions over the launch arguments.
#pragma once

#include "compiler/ir/Dialect.h"
#include "runtime/format/recipe.h"

namespace sectile::tile {

/// First argument slot of each kernel parameter, in the flattening of recipe.h, and the total number of user slots at the end.
llvm::SmallVector<int64_t> parameterSlots(KernelOp kernel);

/// Programs per axis and checks. Reports at the grid when an extent or step depends on more than parameters.
mlir::FailureOr<format::Recipe> extractRecipe(KernelOp kernel);

}  // namespace sectile::tile
