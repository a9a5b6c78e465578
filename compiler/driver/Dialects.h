// The context every part of the compiler works in.
#pragma once

#include "mlir/IR/MLIRContext.h"

#include <memory>

namespace sectile::driver {

/// Registers what kernels and their lowerings are made of.
void registerDialects(mlir::DialectRegistry &registry);

/// A single-threaded context with every such dialect loaded: Debian's MLIR has no assertions, and a missing dialect is a crash.
std::unique_ptr<mlir::MLIRContext> makeContext();

}  // namespace sectile::driver
