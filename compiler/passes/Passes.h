// Passes that know no target, and their registration for sectile-opt.
#pragma once

#include "mlir/Pass/Pass.h"

namespace sectile::passes {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/passes/Passes.h.inc"

}  // namespace sectile::passes
