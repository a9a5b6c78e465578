// Small checks shared by the verifiers of the dialect. Each reports at the operation and returns failure.
#pragma once

#include "compiler/ir/Dialect.h"

namespace sectile::tile {

/// `axis` names an axis of a value of `rank` axes.
mlir::LogicalResult verifyAxis(mlir::Operation *op, int64_t axis, int64_t rank);
/// `permutation` is one of 0 ... rank-1.
mlir::LogicalResult verifyPermutation(mlir::Operation *op, llvm::ArrayRef<int64_t> permutation, int64_t rank);
/// Two tiles or scalars have one shape.
mlir::LogicalResult verifySameShape(mlir::Operation *op, mlir::Type a, mlir::Type b, llvm::StringRef what);
/// Two tiles or scalars have one element type.
mlir::LogicalResult verifySameElement(mlir::Operation *op, mlir::Type a, mlir::Type b, llvm::StringRef what);
/// "128x64" or "scalar".
std::string shapeText(mlir::Type type);

}  // namespace sectile::tile
