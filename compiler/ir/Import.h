// From a trace to a `tile.kernel`: generic, driven by names.
#pragma once

#include "compiler/driver/CompilerApi.h"
#include "compiler/ir/Dialect.h"
#include "dsl/trace/trace.h"

#include "mlir/IR/BuiltinOps.h"

namespace sectile::tile {

/// Type of a trace value; null for an element type that the dialect does not compute with (f8e8m0, f4e2m1).
mlir::Type importType(mlir::MLIRContext *context, const trace::Type &type);

/// Appends the kernel to `module`. `facts` is empty or has one entry per parameter. The result is not verified; errors are reported at the
/// user's location and give failure.
mlir::FailureOr<KernelOp> importTrace(const trace::Trace &trace, llvm::ArrayRef<SectileParameterFacts> facts, mlir::ModuleOp module);

}  // namespace sectile::tile
