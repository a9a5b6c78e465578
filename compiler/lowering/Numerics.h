// How elements are computed with, shared by every target: carriers, conversions and total integer arithmetic.
//
// The carrier type of an element is its type while it is an SSA value: f16 and bf16 are carried as f32 holding an exactly representable
// value, f8 as raw i8, index as i64, i1 as i1, everything else as itself. The storage type is its type in memory: f16, bf16 -> i16,
// f8 -> i8, i1 -> i8, index -> i64. All functions take scalars or 1-D vectors of any length and emit arith operations that need no library.
#pragma once

#include "mlir/IR/Builders.h"

namespace sectile::lowering {

/// What the target converts by instruction.
struct NumericTarget {
  bool f16c = false;  // f16 <-> f32
};

mlir::Type carrierType(mlir::Type element);
mlir::Type storageType(mlir::Type element);
/// `element` as a scalar, or a vector as long as `shapedLike`.
mlir::Type typeLike(mlir::Type shapedLike, mlir::Type element);
/// A constant of `type` (scalar or vector) with every element `value`.
mlir::Value intConstant(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type, int64_t value);
mlir::Value floatConstant(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type, double value);

/// Storage to carrier.
mlir::Value decode(mlir::OpBuilder &b, mlir::Location loc, mlir::Value raw, mlir::Type element, const NumericTarget &target);
/// Carrier to storage. f16 and bf16 are rounded to nearest even, which is exact for a carrier.
mlir::Value encode(mlir::OpBuilder &b, mlir::Location loc, mlir::Value carried, mlir::Type element, const NumericTarget &target);
/// Rounds an f32 to the grid of f16 or bf16; other elements are left alone.
mlir::Value roundToElement(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value, mlir::Type element, const NumericTarget &target);
/// tile.cast on carriers: from carrier of `from` to carrier of `to`.
mlir::Value emitCast(mlir::OpBuilder &b, mlir::Location loc, mlir::Value carried, mlir::Type from, mlir::Type to, bool fromUnsigned, bool toUnsigned,
                     const NumericTarget &target);

/// Meanings of tile.div, tile.rem, tile.shl, tile.shr and tile.mulhi on carriers.
mlir::Value emitDiv(mlir::OpBuilder &b, mlir::Location loc, mlir::Value lhs, mlir::Value rhs, bool isUnsigned);
mlir::Value emitRem(mlir::OpBuilder &b, mlir::Location loc, mlir::Value lhs, mlir::Value rhs, bool isUnsigned);
mlir::Value emitShl(mlir::OpBuilder &b, mlir::Location loc, mlir::Value lhs, mlir::Value rhs);
mlir::Value emitShr(mlir::OpBuilder &b, mlir::Location loc, mlir::Value lhs, mlir::Value rhs, bool isUnsigned);
mlir::Value emitMulHi(mlir::OpBuilder &b, mlir::Location loc, mlir::Value lhs, mlir::Value rhs, bool isUnsigned);

}  // namespace sectile::lowering
