// Elements as bits, and what the bits mean. Own code, exact: a long double holds every value of every element type.
//
// An element of w bits is the lower w bits of a word, the others 0. `index` has 64 bits.
#pragma once

#include "mlir/IR/BuiltinTypes.h"

#include <cstdint>

namespace sectile::evaluator {

using Bits = uint64_t;
using Real = long double;

unsigned widthOf(mlir::Type element);
/// Keeps the lower bits that an element of this type has.
Bits masked(Bits bits, mlir::Type element);
int64_t asSigned(Bits bits, mlir::Type element);

/// The value of a float.
Real realOf(Bits bits, mlir::Type element);
/// Rounds to nearest even, once. f16, bf16, f32, f64: overflow gives infinity. f8: overflow and infinities give the largest finite value.
Bits bitsOf(Real value, mlir::Type element);

/// tile.cast.
Bits converted(Bits bits, mlir::Type from, bool fromUnsigned, mlir::Type to, bool toUnsigned);

}  // namespace sectile::evaluator
