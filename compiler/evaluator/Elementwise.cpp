// What element-wise operations do to one element.

#include "compiler/evaluator/Machine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

#include <bit>
#include <cmath>

namespace sectile::evaluator {
namespace {

/// An operation of floats below 64 bits is one of f32, rounded to the element type.
template <typename F>
Bits inFloat(Type type, ArrayRef<Bits> in, F &&f) {
  auto apply = [&](auto one) {
    using T = decltype(one);
    auto value = [&](size_t i) { return static_cast<T>(realOf(in[i], type)); };
    if constexpr (std::is_invocable_v<F, T>) return static_cast<T>(f(value(0)));
    else if constexpr (std::is_invocable_v<F, T, T>) return static_cast<T>(f(value(0), value(1)));
    else return static_cast<T>(f(value(0), value(1), value(2)));
  };
  return type.isF64() ? bitsOf(apply(1.0), type) : bitsOf(apply(1.0f), type);
}

/// The larger value; NaN wins, +0 is larger than -0.
template <typename T>
T maximum(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

bool compareFloats(arith::CmpFPredicate predicate, Real a, Real b) {
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
    case arith::CmpFPredicate::AlwaysFalse: return false;
    case arith::CmpFPredicate::OEQ: return !unordered && a == b;
    case arith::CmpFPredicate::OGT: return !unordered && a > b;
    case arith::CmpFPredicate::OGE: return !unordered && a >= b;
    case arith::CmpFPredicate::OLT: return !unordered && a < b;
    case arith::CmpFPredicate::OLE: return !unordered && a <= b;
    case arith::CmpFPredicate::ONE: return !unordered && a != b;
    case arith::CmpFPredicate::ORD: return !unordered;
    case arith::CmpFPredicate::UEQ: return unordered || a == b;
    case arith::CmpFPredicate::UGT: return unordered || a > b;
    case arith::CmpFPredicate::UGE: return unordered || a >= b;
    case arith::CmpFPredicate::ULT: return unordered || a < b;
    case arith::CmpFPredicate::ULE: return unordered || a <= b;
    case arith::CmpFPredicate::UNE: return unordered || a != b;
    case arith::CmpFPredicate::UNO: return unordered;
    case arith::CmpFPredicate::AlwaysTrue: return true;
  }
  return false;
}

bool compareIntegers(arith::CmpIPredicate predicate, Bits a, Bits b, Type type) {
  int64_t x = asSigned(a, type), y = asSigned(b, type);
  switch (predicate) {
    case arith::CmpIPredicate::eq: return a == b;
    case arith::CmpIPredicate::ne: return a != b;
    case arith::CmpIPredicate::slt: return x < y;
    case arith::CmpIPredicate::sle: return x <= y;
    case arith::CmpIPredicate::sgt: return x > y;
    case arith::CmpIPredicate::sge: return x >= y;
    case arith::CmpIPredicate::ult: return a < b;
    case arith::CmpIPredicate::ule: return a <= b;
    case arith::CmpIPredicate::ugt: return a > b;
    case arith::CmpIPredicate::uge: return a >= b;
  }
  return false;
}

/// Division by 0 is unspecified: 0 here.
Bits divided(Bits a, Bits b, Type type, bool isUnsigned, bool remainder) {
  if (b == 0) return 0;
  if (isUnsigned || type.isInteger(1)) return remainder ? a % b : a / b;
  int64_t x = asSigned(a, type), y = asSigned(b, type);
  if (y == -1) return remainder ? 0 : masked(Bits(0) - static_cast<Bits>(x), type);
  return masked(static_cast<Bits>(remainder ? x % y : x / y), type);
}

Bits shiftedRight(Bits a, Bits amount, Type type, bool isUnsigned) {
  unsigned width = widthOf(type);
  if (isUnsigned) return amount >= width ? 0 : a >> amount;
  return masked(static_cast<Bits>(asSigned(a, type) >> std::min<Bits>(amount, width - 1)), type);
}

Bits highProduct(Bits a, Bits b, Type type, bool isUnsigned) {
  unsigned width = widthOf(type);
  if (isUnsigned) return masked(static_cast<Bits>((static_cast<unsigned __int128>(a) * b) >> width), type);
  return masked(static_cast<Bits>((static_cast<__int128>(asSigned(a, type)) * asSigned(b, type)) >> width), type);
}

std::optional<Bits> integerOperation(Operation *op, ArrayRef<Bits> in, Type type) {
  auto low = [&](Bits bits) { return masked(bits, type); };
  auto less = [&] { return asSigned(in[0], type) < asSigned(in[1], type); };
  return llvm::TypeSwitch<Operation *, std::optional<Bits>>(op)
      .Case([&](arith::AddIOp) { return low(in[0] + in[1]); })
      .Case([&](arith::SubIOp) { return low(in[0] - in[1]); })
      .Case([&](arith::MulIOp) { return low(in[0] * in[1]); })
      .Case([&](arith::AndIOp) { return in[0] & in[1]; })
      .Case([&](arith::OrIOp) { return in[0] | in[1]; })
      .Case([&](arith::XOrIOp) { return in[0] ^ in[1]; })
      .Case([&](arith::MaxSIOp) { return less() ? in[1] : in[0]; })
      .Case([&](arith::MinSIOp) { return less() ? in[0] : in[1]; })
      .Case([&](arith::MaxUIOp) { return std::max(in[0], in[1]); })
      .Case([&](arith::MinUIOp) { return std::min(in[0], in[1]); })
      .Case([&](arith::CmpIOp cmp) { return Bits(compareIntegers(cmp.getPredicate(), in[0], in[1], type)); })
      .Case([&](math::AbsIOp) { return asSigned(in[0], type) < 0 ? low(Bits(0) - in[0]) : in[0]; })
      .Case([&](math::CtPopOp) { return Bits(std::popcount(in[0])); })
      .Case([&](math::CountLeadingZerosOp) { return Bits(std::countl_zero(in[0]) - (64 - static_cast<int>(widthOf(type)))); })
      .Case([&](tile::DivOp div) { return divided(in[0], in[1], type, div.getIsUnsigned(), false); })
      .Case([&](tile::RemOp rem) { return divided(in[0], in[1], type, rem.getIsUnsigned(), true); })
      .Case([&](tile::ShlOp) { return in[1] >= widthOf(type) ? 0 : low(in[0] << in[1]); })
      .Case([&](tile::ShrOp shr) { return shiftedRight(in[0], in[1], type, shr.getIsUnsigned()); })
      .Case([&](tile::MulHiOp mul) { return highProduct(in[0], in[1], type, mul.getIsUnsigned()); })
      .Default(std::nullopt);
}

std::optional<Bits> arithmeticOfFloats(Operation *op, ArrayRef<Bits> in, Type type) {
  const Bits sign = Bits(1) << (widthOf(type) - 1);
  return llvm::TypeSwitch<Operation *, std::optional<Bits>>(op)
      .Case([&](arith::AddFOp) { return inFloat(type, in, [](auto a, auto b) { return a + b; }); })
      .Case([&](arith::SubFOp) { return inFloat(type, in, [](auto a, auto b) { return a - b; }); })
      .Case([&](arith::MulFOp) { return inFloat(type, in, [](auto a, auto b) { return a * b; }); })
      .Case([&](arith::DivFOp) { return inFloat(type, in, [](auto a, auto b) { return a / b; }); })
      .Case([&](arith::RemFOp) { return inFloat(type, in, [](auto a, auto b) { return std::fmod(a, b); }); })
      .Case([&](arith::MaximumFOp) { return inFloat(type, in, [](auto a, auto b) { return maximum(a, b); }); })
      .Case([&](arith::MinimumFOp) { return inFloat(type, in, [](auto a, auto b) { return -maximum(-a, -b); }); })
      .Case([&](arith::NegFOp) { return in[0] ^ sign; })
      .Case([&](math::AbsFOp) { return in[0] & ~sign; })
      .Case([&](arith::CmpFOp cmp) { return Bits(compareFloats(cmp.getPredicate(), realOf(in[0], type), realOf(in[1], type))); })
      .Case([&](math::SqrtOp) { return inFloat(type, in, [](auto a) { return std::sqrt(a); }); })
      .Case([&](math::FmaOp) { return inFloat(type, in, [](auto a, auto b, auto c) { return std::fma(a, b, c); }); })
      .Case([&](math::FloorOp) { return inFloat(type, in, [](auto a) { return std::floor(a); }); })
      .Case([&](math::CeilOp) { return inFloat(type, in, [](auto a) { return std::ceil(a); }); })
      .Case([&](math::TruncOp) { return inFloat(type, in, [](auto a) { return std::trunc(a); }); })
      .Case([&](math::RoundOp) { return inFloat(type, in, [](auto a) { return std::round(a); }); })
      .Case([&](math::RoundEvenOp) { return inFloat(type, in, [](auto a) { return std::nearbyint(a); }); })
      .Default(std::nullopt);
}

/// Computed in more bits than the result has; right but for rare misroundings.
std::optional<Bits> function(Operation *op, ArrayRef<Bits> in, Type type) {
  Real x = realOf(in[0], type), y = in.size() > 1 ? realOf(in[1], type) : 0;
  std::optional<Real> value =
      llvm::TypeSwitch<Operation *, std::optional<Real>>(op)
          .Case([&](math::ExpOp) { return std::exp(x); })
          .Case([&](math::Exp2Op) { return std::exp2(x); })
          .Case([&](math::ExpM1Op) { return std::expm1(x); })
          .Case([&](math::LogOp) { return std::log(x); })
          .Case([&](math::Log2Op) { return std::log2(x); })
          .Case([&](math::Log1pOp) { return std::log1p(x); })
          .Case([&](math::RsqrtOp) { return 1 / std::sqrt(x); })
          .Case([&](math::SinOp) { return std::sin(x); })
          .Case([&](math::CosOp) { return std::cos(x); })
          .Case([&](math::TanOp) { return std::tan(x); })
          .Case([&](math::TanhOp) { return std::tanh(x); })
          .Case([&](math::ErfOp) { return std::erf(x); })
          .Case([&](math::PowFOp) { return std::pow(x, y); })
          .Case([&](math::Atan2Op) { return std::atan2(x, y); })
          .Default(std::nullopt);
  if (!value) return std::nullopt;
  return bitsOf(*value, type);
}

}  // namespace

std::optional<Bits> scalarOperation(Operation *op, ArrayRef<Bits> in) {
  if (op->getNumOperands() == 0 || op->getNumResults() != 1 || in.size() != op->getNumOperands()) return std::nullopt;
  if (isa<arith::SelectOp>(op)) return in[0] ? in[1] : in[2];
  if (isa<arith::BitcastOp>(op)) return in[0];
  Type from = tile::elementType(op->getOperand(0).getType());
  if (auto cast = dyn_cast<tile::CastOp>(op))
    return converted(in[0], from, cast.getSourceUnsigned(), tile::elementType(cast.getType()), cast.getResultUnsigned());
  if (!isa<FloatType>(from)) return integerOperation(op, in, from);
  if (std::optional<Bits> result = arithmeticOfFloats(op, in, from)) return result;
  return function(op, in, from);
}

}  // namespace sectile::evaluator
