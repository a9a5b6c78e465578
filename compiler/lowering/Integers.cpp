// Total integer arithmetic: division, remainder, shifts and high products without undefined results.

#include "compiler/lowering/Numerics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace sectile::lowering {

static Value equals(OpBuilder &b, Location loc, Value value, int64_t constant) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, value, intConstant(b, loc, value.getType(), constant));
}

static unsigned widthOf(Value value) { return getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth(); }

/// A divisor that never traps: 1 in place of 0, and of -1 when signed.
static Value safeDivisor(OpBuilder &b, Location loc, Value rhs, bool isUnsigned) {
  Value bad = equals(b, loc, rhs, 0);
  if (!isUnsigned) bad = arith::OrIOp::create(b, loc, bad, equals(b, loc, rhs, -1));
  return arith::SelectOp::create(b, loc, bad, intConstant(b, loc, rhs.getType(), 1), rhs);
}

Value emitDiv(OpBuilder &b, Location loc, Value lhs, Value rhs, bool isUnsigned) {
  if (widthOf(lhs) == 1) return lhs;
  Value divisor = safeDivisor(b, loc, rhs, isUnsigned);
  if (isUnsigned) return arith::DivUIOp::create(b, loc, lhs, divisor);
  Value negated = arith::SubIOp::create(b, loc, intConstant(b, loc, lhs.getType(), 0), lhs);
  return arith::SelectOp::create(b, loc, equals(b, loc, rhs, -1), negated, arith::DivSIOp::create(b, loc, lhs, divisor));
}

Value emitRem(OpBuilder &b, Location loc, Value lhs, Value rhs, bool isUnsigned) {
  if (widthOf(lhs) == 1) return intConstant(b, loc, lhs.getType(), 0);
  Value divisor = safeDivisor(b, loc, rhs, isUnsigned);
  // A divisor of -1 was replaced by 1, whose remainder is 0 as well.
  if (isUnsigned) return arith::RemUIOp::create(b, loc, lhs, divisor);
  return arith::RemSIOp::create(b, loc, lhs, divisor);
}

Value emitShl(OpBuilder &b, Location loc, Value lhs, Value rhs) {
  Value width = intConstant(b, loc, rhs.getType(), widthOf(lhs));
  if (widthOf(lhs) == 1) return arith::SelectOp::create(b, loc, rhs, intConstant(b, loc, lhs.getType(), 0), lhs);
  Value inRange = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, rhs, width);
  return arith::SelectOp::create(b, loc, inRange, arith::ShLIOp::create(b, loc, lhs, rhs), intConstant(b, loc, lhs.getType(), 0));
}

Value emitShr(OpBuilder &b, Location loc, Value lhs, Value rhs, bool isUnsigned) {
  if (widthOf(lhs) == 1) return isUnsigned ? emitShl(b, loc, lhs, rhs) : lhs;
  if (!isUnsigned) {
    Value most = intConstant(b, loc, rhs.getType(), widthOf(lhs) - 1);
    return arith::ShRSIOp::create(b, loc, lhs, arith::MinUIOp::create(b, loc, rhs, most));
  }
  Value inRange = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, rhs, intConstant(b, loc, rhs.getType(), widthOf(lhs)));
  return arith::SelectOp::create(b, loc, inRange, arith::ShRUIOp::create(b, loc, lhs, rhs), intConstant(b, loc, lhs.getType(), 0));
}

Value emitMulHi(OpBuilder &b, Location loc, Value lhs, Value rhs, bool isUnsigned) {
  unsigned width = widthOf(lhs);
  if (width == 64) {
    if (isUnsigned) return arith::MulUIExtendedOp::create(b, loc, lhs, rhs).getHigh();
    return arith::MulSIExtendedOp::create(b, loc, lhs, rhs).getHigh();
  }
  Type wide = typeLike(lhs.getType(), b.getIntegerType(2 * width));
  auto extend = [&](Value value) -> Value {
    if (isUnsigned) return arith::ExtUIOp::create(b, loc, wide, value);
    return arith::ExtSIOp::create(b, loc, wide, value);
  };
  Value product = arith::MulIOp::create(b, loc, extend(lhs), extend(rhs));
  Value high = arith::ShRUIOp::create(b, loc, product, intConstant(b, loc, wide, width));
  return arith::TruncIOp::create(b, loc, lhs.getType(), high);
}

}  // namespace sectile::lowering
