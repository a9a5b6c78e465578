// Number formats by their definition: sign, exponent, mantissa.

#include "compiler/evaluator/Number.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace sectile::evaluator {
namespace {

struct Format {
  int mantissa, bias;
  Real largest;
  Bits nan;
  bool hasInfinity, saturates;
  int exponentBits(unsigned width) const { return static_cast<int>(width) - 1 - mantissa; }
};

Format formatOf(Type type) {
  if (type.isF16()) return {10, 15, 65504, 0x7e00, true, false};
  if (type.isBF16()) return {7, 127, std::ldexp(Real(255), 120), 0x7fc0, true, false};
  if (type.isF32()) return {23, 127, std::numeric_limits<float>::max(), 0x7fc00000, true, false};
  if (type.isF64()) return {52, 1023, std::numeric_limits<double>::max(), 0x7ff8000000000000, true, false};
  if (isa<Float8E4M3FNType>(type)) return {3, 7, 448, 0x7f, false, true};
  return {2, 15, 57344, 0x7e, true, true};  // f8E5M2
}

Bits powerOfTwo(int exponent) { return Bits(1) << exponent; }

}  // namespace

unsigned widthOf(Type element) { return element.isIndex() ? 64 : element.getIntOrFloatBitWidth(); }

Bits masked(Bits bits, Type element) {
  unsigned width = widthOf(element);
  return width == 64 ? bits : bits & (powerOfTwo(width) - 1);
}

int64_t asSigned(Bits bits, Type element) {
  unsigned unused = 64 - widthOf(element);
  return static_cast<int64_t>(bits << unused) >> unused;
}

Real realOf(Bits bits, Type element) {
  Format format = formatOf(element);
  unsigned width = widthOf(element);
  Bits fraction = bits & (powerOfTwo(format.mantissa) - 1);
  int top = (1 << format.exponentBits(width)) - 1, exponent = static_cast<int>(bits >> format.mantissa) & top;
  bool negative = bits >> (width - 1) & 1;
  Real magnitude;
  bool allOnes = fraction == powerOfTwo(format.mantissa) - 1;
  if (exponent == top && (format.hasInfinity || allOnes)) {
    magnitude = fraction == 0 ? std::numeric_limits<Real>::infinity() : std::numeric_limits<Real>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(Real(fraction), 1 - format.bias - format.mantissa);
  } else {
    magnitude = std::ldexp(Real(fraction + powerOfTwo(format.mantissa)), exponent - format.bias - format.mantissa);
  }
  return negative ? -magnitude : magnitude;
}

Bits bitsOf(Real value, Type element) {
  Format format = formatOf(element);
  unsigned width = widthOf(element);
  Bits sign = std::signbit(value) ? powerOfTwo(width - 1) : 0;
  if (std::isnan(value)) return format.nan;
  Real magnitude = std::fabs(value);
  Bits infinity = static_cast<Bits>((1 << format.exponentBits(width)) - 1) << format.mantissa;
  int lowest = 1 - format.bias;
  if (!std::isinf(magnitude) && magnitude != 0) {
    int unit = std::max(std::ilogb(magnitude), lowest) - format.mantissa;  // exponent of the last place
    magnitude = std::ldexp(std::nearbyint(std::ldexp(magnitude, -unit)), unit);
  }
  if (magnitude > format.largest) {
    if (!format.saturates) return sign | infinity;
    magnitude = format.largest;
  }
  if (magnitude < std::ldexp(Real(1), lowest)) return sign | static_cast<Bits>(std::ldexp(magnitude, format.mantissa - lowest));
  int exponent = std::ilogb(magnitude);
  Bits fraction = static_cast<Bits>(std::ldexp(magnitude, format.mantissa - exponent)) - powerOfTwo(format.mantissa);
  return sign | static_cast<Bits>(exponent + format.bias) << format.mantissa | fraction;
}

/// Truncated towards zero and saturated; NaN is 0.
static Bits integerOf(Real value, Type to, bool isUnsigned) {
  unsigned width = widthOf(to);
  if (std::isnan(value)) return 0;
  Real whole = std::trunc(value);
  Real low = isUnsigned ? 0 : -std::ldexp(Real(1), width - 1), high = std::ldexp(Real(1), isUnsigned ? width : width - 1) - 1;
  if (whole <= low) return isUnsigned ? 0 : masked(powerOfTwo(width - 1), to);
  if (whole >= high) return masked(isUnsigned ? ~Bits(0) : powerOfTwo(width - 1) - 1, to);
  return masked(whole < 0 ? static_cast<Bits>(static_cast<int64_t>(whole)) : static_cast<Bits>(whole), to);
}

Bits converted(Bits bits, Type from, bool fromUnsigned, Type to, bool toUnsigned) {
  bool fromFloat = isa<FloatType>(from), toFloat = isa<FloatType>(to);
  if (to.isInteger(1)) return fromFloat ? realOf(bits, from) != 0 : bits != 0;
  fromUnsigned = from.isInteger(1) || (fromUnsigned && !from.isIndex());
  if (fromFloat && toFloat) return bitsOf(realOf(bits, from), to);
  if (fromFloat) return integerOf(realOf(bits, from), to, toUnsigned && !to.isIndex());
  if (toFloat) return bitsOf(fromUnsigned ? Real(bits) : Real(asSigned(bits, from)), to);
  return masked(fromUnsigned ? bits : static_cast<Bits>(asSigned(bits, from)), to);
}

}  // namespace sectile::evaluator
