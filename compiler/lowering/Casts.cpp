// Carriers, storage and conversions between all element types, in integer and f32/f64 arithmetic.
//
// Narrow floats are reached through one generic minifloat rounding from f32. Sources that f32 does not hold exactly (f64 and wide integers)
// are first rounded to odd, which makes the second rounding the only one that counts: f32 has more than two bits to spare.

#include "compiler/lowering/Numerics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace sectile;

namespace sectile::lowering {

Type typeLike(Type shapedLike, Type element) {
  if (auto vector = dyn_cast<VectorType>(shapedLike)) return VectorType::get(vector.getShape(), element);
  return element;
}

Value intConstant(OpBuilder &b, Location loc, Type type, int64_t value) {
  Type element = getElementTypeOrSelf(type);
  APInt bits(64, static_cast<uint64_t>(value));
  auto attr = IntegerAttr::get(element, bits.sextOrTrunc(element.getIntOrFloatBitWidth()));
  if (auto vector = dyn_cast<VectorType>(type)) return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(vector, Attribute(attr)));
  return arith::ConstantOp::create(b, loc, attr);
}

Value floatConstant(OpBuilder &b, Location loc, Type type, double value) {
  auto attr = FloatAttr::get(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type)) return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(vector, Attribute(attr)));
  return arith::ConstantOp::create(b, loc, attr);
}

static bool isNarrow(Type type) { return isa<Float16Type, BFloat16Type>(type); }
static bool isF8(Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); }

Type carrierType(Type element) {
  MLIRContext *context = element.getContext();
  if (isNarrow(element)) return Float32Type::get(context);
  if (isF8(element)) return IntegerType::get(context, 8);
  if (element.isIndex()) return IntegerType::get(context, 64);
  return element;
}

Type storageType(Type element) {
  MLIRContext *context = element.getContext();
  if (isNarrow(element)) return IntegerType::get(context, 16);
  if (element.isInteger(1)) return IntegerType::get(context, 8);
  return carrierType(element);
}

namespace {

/// A binary float format narrower than f32.
struct Minifloat {
  int mantissa, bias, width;
  bool saturates;        // overflow gives the largest finite value instead of infinity
  uint32_t maxFinite;    // as f32 bits
  uint32_t nan;          // in the narrow format
  uint32_t infinity;     // narrow, when it exists
};

Minifloat formatOf(Type element) {
  if (isa<Float16Type>(element)) return {10, 15, 16, false, 0x477fe000u, 0x7e00u, 0x7c00u};
  if (isa<Float8E4M3FNType>(element)) return {3, 7, 8, true, 0x43e00000u, 0x7fu, 0};
  return {2, 15, 8, true, 0x47600000u, 0x7eu, 0x7cu};
}

/// Integer helpers on values of one i32-like type.
struct Bits {
  OpBuilder &b;
  Location loc;
  Type type;
  Value c(int64_t value) { return intConstant(b, loc, type, value); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }
  Value band(Value x, Value y) { return arith::AndIOp::create(b, loc, x, y); }
  Value bor(Value x, Value y) { return arith::OrIOp::create(b, loc, x, y); }
  Value shl(Value x, int64_t n) { return arith::ShLIOp::create(b, loc, x, c(n)); }
  Value shr(Value x, int64_t n) { return arith::ShRUIOp::create(b, loc, x, c(n)); }
  Value ult(Value x, Value y) { return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, x, y); }
  Value ugt(Value x, Value y) { return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, x, y); }
  Value select(Value c, Value x, Value y) { return arith::SelectOp::create(b, loc, c, x, y); }
  Value asFloat(Value x) { return arith::BitcastOp::create(b, loc, typeLike(type, b.getF32Type()), x); }
  Value asInt(Value x) { return arith::BitcastOp::create(b, loc, type, x); }
};

Bits bitsFor(OpBuilder &b, Location loc, Value like) { return {b, loc, typeLike(like.getType(), b.getI32Type())}; }

/// Raw bits of the minifloat, zero-extended to i32, to f32: exact.
Value decodeMinifloat(OpBuilder &b, Location loc, Value raw, const Minifloat &format) {
  Bits i = bitsFor(b, loc, raw);
  int shift = 23 - format.mantissa;
  uint32_t magnitudeMask = (1u << (format.width - 1)) - 1;
  Value magnitude = i.band(raw, i.c(magnitudeMask));
  // The shifted bits are an f32 whose exponent is too small by the difference of the biases, possibly subnormal; scaling is exact.
  Value scaled = arith::MulFOp::create(b, loc, i.asFloat(i.shl(magnitude, shift)),
                                       floatConstant(b, loc, typeLike(raw.getType(), b.getF32Type()), std::ldexp(1.0, 127 - format.bias)));
  Value result = i.asInt(scaled);
  if (format.infinity) {
    Value special = i.bor(i.shl(magnitude, shift), i.c(0x7f800000));
    result = i.select(i.ult(magnitude, i.c(format.infinity)), result, special);
  } else {
    result = i.select(i.ult(magnitude, i.c(format.nan)), result, i.c(0x7fc00000));
  }
  Value sign = i.shl(i.shr(i.band(raw, i.c(1u << (format.width - 1))), format.width - 1), 31);
  return i.asFloat(i.bor(result, sign));
}

/// f32 to the minifloat's bits in an i32, rounded to nearest even.
Value encodeMinifloat(OpBuilder &b, Location loc, Value value, const Minifloat &format) {
  Bits i = bitsFor(b, loc, value);
  Value bits = i.asInt(value);
  Value magnitude = i.band(bits, i.c(0x7fffffff));
  Value sign = i.shl(i.shr(bits, 31), format.width - 1);
  Value isNan = i.ugt(magnitude, i.c(0x7f800000));
  Value clamped = format.saturates ? i.select(i.ult(magnitude, i.c(format.maxFinite)), magnitude, i.c(format.maxFinite)) : magnitude;
  int drop = 23 - format.mantissa;
  Value odd = i.band(i.shr(clamped, drop), i.c(1));
  Value biased = i.add(clamped, i.c(static_cast<int32_t>(static_cast<uint32_t>(format.bias - 127) << 23) + (1 << (drop - 1)) - 1));
  Value normal = i.shr(i.add(biased, odd), drop);
  // Below the smallest normal, adding a power of two whose unit in the last place is the smallest subnormal rounds in hardware.
  int magic = 1 - format.bias - format.mantissa + 23;
  Value magicBits = i.c(static_cast<int32_t>(static_cast<uint32_t>(magic + 127) << 23));
  Value shifted = arith::AddFOp::create(b, loc, i.asFloat(clamped), i.asFloat(magicBits));
  Value subnormal = i.sub(i.asInt(shifted), magicBits);
  Value result = i.select(i.ult(clamped, i.c(static_cast<int64_t>(128 - format.bias) << 23)), subnormal, normal);
  if (!format.saturates) {
    uint32_t firstOverflow = format.maxFinite + (1u << (drop - 1));
    result = i.select(i.ult(magnitude, i.c(firstOverflow)), result, i.c(format.infinity));
  }
  result = i.select(isNan, i.c(format.nan), result);
  return i.bor(result, sign);
}

Value encodeBf16(OpBuilder &b, Location loc, Value value) {
  Bits i = bitsFor(b, loc, value);
  Value bits = i.asInt(value);
  Value rounded = i.shr(i.add(bits, i.add(i.band(i.shr(bits, 16), i.c(1)), i.c(0x7fff))), 16);
  Value quiet = i.bor(i.shr(bits, 16), i.c(0x40));
  return i.select(i.ugt(i.band(bits, i.c(0x7fffffff)), i.c(0x7f800000)), quiet, rounded);
}

/// f64 to f32, rounded to odd: inexact results get an odd last bit, so that a later rounding sees what was lost.
Value roundToOdd(OpBuilder &b, Location loc, Value value) {
  Type f32 = typeLike(value.getType(), b.getF32Type());
  Value nearest = arith::TruncFOp::create(b, loc, f32, value);
  Value back = arith::ExtFOp::create(b, loc, value.getType(), nearest);
  Bits i = bitsFor(b, loc, value);
  Value bits = i.asInt(nearest);
  Value inexact = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ONE, back, value);
  Value away = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, math::AbsFOp::create(b, loc, back), math::AbsFOp::create(b, loc, value));
  Value towardsZero = i.select(away, i.sub(bits, i.c(1)), bits);
  return i.asFloat(i.select(inexact, i.bor(towardsZero, i.c(1)), bits));
}

Value resizeInt(OpBuilder &b, Location loc, Value value, Type to, bool isUnsigned) {
  unsigned from = getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth(), width = getElementTypeOrSelf(to).getIntOrFloatBitWidth();
  if (from == width) return value;
  if (from > width) return arith::TruncIOp::create(b, loc, to, value);
  if (isUnsigned) return arith::ExtUIOp::create(b, loc, to, value);
  return arith::ExtSIOp::create(b, loc, to, value);
}

/// A 64-bit integer to f64 so that no information needed by a later rounding to at most 24 bits is lost.
Value wideIntToF64(OpBuilder &b, Location loc, Value value, bool isUnsigned) {
  Type type = value.getType();
  Bits i{b, loc, type};
  Value zero = i.c(0);
  Value negative = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, value, zero);
  Value magnitude = isUnsigned ? value : i.select(negative, i.sub(zero, value), value);
  Value low = i.band(magnitude, i.c(0x7ff));
  Value kept = i.band(magnitude, i.c(~int64_t{0x7ff}));
  Value sticky = i.select(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, low, zero), i.c(0x800), zero);
  Value large = i.bor(kept, sticky);
  Value exact = i.select(i.ult(magnitude, i.c(int64_t{1} << 53)), magnitude, large);
  Value result = arith::UIToFPOp::create(b, loc, typeLike(type, b.getF64Type()), exact);
  if (isUnsigned) return result;
  return arith::SelectOp::create(b, loc, negative, arith::NegFOp::create(b, loc, result), result);
}

/// An integer carrier to an f32 fit for rounding to a narrower float.
Value intToOddF32(OpBuilder &b, Location loc, Value value, bool isUnsigned) {
  unsigned width = getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
  Type f32 = typeLike(value.getType(), b.getF32Type()), f64 = typeLike(value.getType(), b.getF64Type());
  auto convert = [&](Type type) -> Value {
    if (isUnsigned) return arith::UIToFPOp::create(b, loc, type, value);
    return arith::SIToFPOp::create(b, loc, type, value);
  };
  if (width <= 16) return convert(f32);
  if (width == 32) return roundToOdd(b, loc, convert(f64));
  return roundToOdd(b, loc, wideIntToF64(b, loc, value, isUnsigned));
}

Value floatToInt(OpBuilder &b, Location loc, Value value, Type to, bool isUnsigned) {
  Type type = typeLike(value.getType(), to);
  if (to.isInteger(1)) return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, value, floatConstant(b, loc, value.getType(), 0));
  StringAttr name = b.getStringAttr(isUnsigned ? "llvm.fptoui.sat" : "llvm.fptosi.sat");
  return LLVM::CallIntrinsicOp::create(b, loc, type, name, ValueRange{value}).getResult(0);
}

/// An f32 (exact, or rounded to odd) to the carrier of any float type but f64.
Value f32ToFloat(OpBuilder &b, Location loc, Value value, Type to, const NumericTarget &target) {
  if (isF8(to)) return arith::TruncIOp::create(b, loc, typeLike(value.getType(), b.getI8Type()), encodeMinifloat(b, loc, value, formatOf(to)));
  return roundToElement(b, loc, value, to, target);
}

}  // namespace

Value decode(OpBuilder &b, Location loc, Value raw, Type element, const NumericTarget &target) {
  if (element.isInteger(1))
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, raw, intConstant(b, loc, raw.getType(), 0));
  if (!isNarrow(element)) return raw;
  if (target.f16c && isa<Float16Type>(element)) {
    Value half = arith::BitcastOp::create(b, loc, typeLike(raw.getType(), b.getF16Type()), raw);
    return arith::ExtFOp::create(b, loc, typeLike(raw.getType(), b.getF32Type()), half);
  }
  Value wide = arith::ExtUIOp::create(b, loc, typeLike(raw.getType(), b.getI32Type()), raw);
  if (isa<Float16Type>(element)) return decodeMinifloat(b, loc, wide, formatOf(element));
  Bits i = bitsFor(b, loc, raw);
  return i.asFloat(i.shl(wide, 16));
}

static Value narrowBits(OpBuilder &b, Location loc, Value value, Type element, const NumericTarget &target) {
  Type i16 = typeLike(value.getType(), b.getI16Type());
  if (isa<BFloat16Type>(element)) return arith::TruncIOp::create(b, loc, i16, encodeBf16(b, loc, value));
  if (target.f16c)
    return arith::BitcastOp::create(b, loc, i16, arith::TruncFOp::create(b, loc, typeLike(value.getType(), b.getF16Type()), value));
  return arith::TruncIOp::create(b, loc, i16, encodeMinifloat(b, loc, value, formatOf(element)));
}

Value encode(OpBuilder &b, Location loc, Value carried, Type element, const NumericTarget &target) {
  if (element.isInteger(1)) return arith::ExtUIOp::create(b, loc, typeLike(carried.getType(), b.getI8Type()), carried);
  return isNarrow(element) ? narrowBits(b, loc, carried, element, target) : carried;
}

Value roundToElement(OpBuilder &b, Location loc, Value value, Type element, const NumericTarget &target) {
  if (!isNarrow(element)) return value;
  return decode(b, loc, narrowBits(b, loc, value, element, target), element, target);
}

Value emitCast(OpBuilder &b, Location loc, Value value, Type from, Type to, bool fromUnsigned, bool toUnsigned, const NumericTarget &target) {
  if (from == to) return value;
  bool isUnsigned = from.isInteger(1) || (fromUnsigned && !from.isIndex());
  if (isF8(from)) {
    Value wide = arith::ExtUIOp::create(b, loc, typeLike(value.getType(), b.getI32Type()), value);
    return emitCast(b, loc, decodeMinifloat(b, loc, wide, formatOf(from)), b.getF32Type(), to, false, toUnsigned, target);
  }
  if (isNarrow(from)) return emitCast(b, loc, value, b.getF32Type(), to, false, toUnsigned, target);
  if (from.isIntOrIndex() && to.isIntOrIndex()) {
    if (to.isInteger(1)) return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value, intConstant(b, loc, value.getType(), 0));
    return resizeInt(b, loc, value, typeLike(value.getType(), carrierType(to)), isUnsigned);
  }
  if (to.isIntOrIndex()) return floatToInt(b, loc, value, carrierType(to), toUnsigned && !to.isIndex());
  if (from.isIntOrIndex()) {
    if (!to.isF32() && !to.isF64()) return f32ToFloat(b, loc, intToOddF32(b, loc, value, isUnsigned), to, target);
    Type type = typeLike(value.getType(), to);
    if (isUnsigned) return arith::UIToFPOp::create(b, loc, type, value);
    return arith::SIToFPOp::create(b, loc, type, value);
  }
  if (to.isF64()) return arith::ExtFOp::create(b, loc, typeLike(value.getType(), to), value);
  if (from.isF32()) return f32ToFloat(b, loc, value, to, target);
  if (to.isF32()) return arith::TruncFOp::create(b, loc, typeLike(value.getType(), to), value);
  return f32ToFloat(b, loc, roundToOdd(b, loc, value), to, target);
}

}  // namespace sectile::lowering
