// A small arithmetic notation for the expansions of math functions, on scalars or 1-D vectors.
#pragma once

#include "compiler/lowering/Numerics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace sectile::passes {

using namespace mlir;

/// Builds arithmetic on values shaped like `like`. Everything is emitted without fast-math flags: the order of operations is the result.
class Math {
 public:
  Math(OpBuilder &builder, Location loc, Type like, bool hasFma) : b(loc, builder), like(like), hasFma(hasFma) {}

  ImplicitLocOpBuilder b;
  Type like;
  bool hasFma;

  Type f64() { return lowering::typeLike(like, b.getF64Type()); }
  Type f32() { return lowering::typeLike(like, b.getF32Type()); }
  Type i64() { return lowering::typeLike(like, b.getI64Type()); }
  Type i32() { return lowering::typeLike(like, b.getI32Type()); }
  Value f(double value) { return lowering::floatConstant(b, b.getLoc(), f64(), value); }
  Value f32(double value) { return lowering::floatConstant(b, b.getLoc(), f32(), value); }
  Value i(int64_t value) { return lowering::intConstant(b, b.getLoc(), i64(), value); }
  Value i32(int64_t value) { return lowering::intConstant(b, b.getLoc(), i32(), value); }

  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
  Value neg(Value x) { return arith::NegFOp::create(b, x); }
  Value abs(Value x) { return math::AbsFOp::create(b, x); }
  Value nearest(Value x) { return math::RoundEvenOp::create(b, x); }
  /// x * y + z, rounded once where the target can, else twice: for polynomials only.
  Value mulAdd(Value x, Value y, Value z) { return hasFma ? Value(math::FmaOp::create(b, x, y, z)) : add(mul(x, y), z); }
  /// coefficients[0] + x * (coefficients[1] + ...)
  Value poly(Value x, ArrayRef<double> coefficients) {
    auto constant = [&](double value) { return lowering::floatConstant(b, b.getLoc(), x.getType(), value); };
    Value result = constant(coefficients.back());
    for (double c : llvm::reverse(coefficients.drop_back())) result = mulAdd(result, x, constant(c));
    return result;
  }
  /// x * y - p for p = x * y rounded: exact barring underflow.
  Value productError(Value x, Value y, Value p);
  /// The error of s = x + y.
  Value sumError(Value x, Value y, Value s) {
    Value t = sub(s, x);
    return add(sub(x, sub(s, t)), sub(y, t));
  }

  Value lt(Value x, Value y) { return arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x, y); }
  Value gt(Value x, Value y) { return arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, x, y); }
  Value ge(Value x, Value y) { return arith::CmpFOp::create(b, arith::CmpFPredicate::OGE, x, y); }
  Value eq(Value x, Value y) { return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, x, y); }
  Value isNan(Value x) { return arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x); }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, x, y); }
  Value either(Value x, Value y) { return arith::OrIOp::create(b, x, y); }
  Value select(Value c, Value x, Value y) { return arith::SelectOp::create(b, c, x, y); }

  Value iadd(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value isub(Value x, Value y) { return arith::SubIOp::create(b, x, y); }
  Value iand(Value x, Value y) { return arith::AndIOp::create(b, x, y); }
  Value ior(Value x, Value y) { return arith::OrIOp::create(b, x, y); }
  Value ixor(Value x, Value y) { return arith::XOrIOp::create(b, x, y); }
  Value shl(Value x, int64_t n) { return arith::ShLIOp::create(b, x, lowering::intConstant(b, b.getLoc(), x.getType(), n)); }
  Value shr(Value x, int64_t n) { return arith::ShRUIOp::create(b, x, lowering::intConstant(b, b.getLoc(), x.getType(), n)); }
  Value sar(Value x, int64_t n) { return arith::ShRSIOp::create(b, x, lowering::intConstant(b, b.getLoc(), x.getType(), n)); }
  Value ieq(Value x, Value y) { return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x, y); }
  Value ine(Value x, Value y) { return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, x, y); }
  Value bits(Value x) { return arith::BitcastOp::create(b, i64(), x); }
  Value fromBits(Value x) { return arith::BitcastOp::create(b, f64(), x); }
  Value toInt(Value x) { return arith::FPToSIOp::create(b, i64(), x); }
  Value toFloat(Value x) { return arith::SIToFPOp::create(b, f64(), x); }
  /// |x| with the sign of s.
  Value copySign(Value x, Value s) {
    // No mask of the sign: LLVM makes it a copysign, whose f64 sign it rounds to f16 by a library function when the result goes there.
    Value magnitude = abs(x), negative = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, bits(s), i(0));
    return select(negative, neg(magnitude), magnitude);
  }
  /// 2^k for integers -1022 <= k <= 1023.
  Value powerOfTwo(Value k) { return fromBits(shl(iadd(k, i(1023)), 52)); }
  /// x * 2^k for |k| <= 2044, rounded once.
  Value scale(Value x, Value k) {
    Value half = sar(k, 1);
    return mul(mul(x, powerOfTwo(half)), powerOfTwo(isub(k, half)));
  }
};

// Functions on f64, about one unit in the last place unless said otherwise.
Value expF64(Math &m, Value x);
Value exp2F64(Math &m, Value x);
Value expm1F64(Math &m, Value x);
Value logF64(Math &m, Value x);
Value log2F64(Math &m, Value x);
Value log1pF64(Math &m, Value x);
Value tanhF64(Math &m, Value x);
Value erfF64(Math &m, Value x);
Value powF64(Math &m, Value x, Value y);
Value atan2F64(Math &m, Value y, Value x);
Value tanF64(Math &m, Value x);
/// Sine and cosine together.
std::pair<Value, Value> sinCosF64(Math &m, Value x);
/// The exact remainder with the sign of x.
Value remF64(Math &m, Value x, Value y);
/// a * b + c rounded once, without an instruction for it.
Value fmaF64(Math &m, Value a, Value b, Value c);
Value fmaF32(Math &m, Value a, Value b, Value c);

// f32 in f32, for what inner loops wait on.
Value expF32(Math &m, Value x, bool base2);

}  // namespace sectile::passes
