// Passes that know no target, and their registration for sectile-opt.
#pragma once

#include "mlir/Pass/Pass.h"

namespace sectile::passes {

/// `expand-math`: math operations become arithmetic that needs no library. `hasFma`: the target has fused multiply-add instructions.
std::unique_ptr<mlir::Pass> createExpandMathPass(bool hasFma);

}  // namespace sectile::passes
