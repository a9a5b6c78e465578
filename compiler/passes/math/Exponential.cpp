// Exponentials, logarithms, power and hyperbolic tangent.
//
// exp: x = k ln 2 + r with |r| <= ln 2 / 2 and ln 2 in two parts whose first has enough trailing zeros for k times it to be exact; Taylor's series for e^r.
// log: x = 2^e m with m in [sqrt 1/2, sqrt 2); log m = 2 atanh(s), s = (m - 1) / (m + 1), |s| <= 0.172, by its series.

#include "compiler/passes/math/Builder.h"

#include <cmath>

using namespace mlir;

namespace sectile::passes {

static constexpr double kLog2E = 0x1.71547652b82fep+0, kLog2ELow = 0x1.777d0ffda0d24p-56;
static constexpr double kLn2High = 0x1.62e42fefa0000p-1, kLn2Low = 0x1.cf79abc9e3b3ap-40;
static constexpr double kLn2 = 0x1.62e42fefa39efp-1;

Value Math::productError(Value x, Value y, Value p) {
  if (hasFma) return math::FmaOp::create(b, x, y, neg(p));
  // Halves of 26 bits multiply exactly.
  auto high = [&](Value v) { return fromBits(iand(bits(v), i(~int64_t{0x7ffffff}))); };
  Value xh = high(x), xl = sub(x, xh), yh = high(y), yl = sub(y, yh);
  return add(add(sub(mul(xh, yh), p), add(mul(xh, yl), mul(xl, yh))), mul(xl, yl));
}

/// 1/n! for n = 0 ... count-1.
static SmallVector<double> inverseFactorials(int count) {
  SmallVector<double> result;
  double value = 1;
  for (int n = 0; n < count; ++n) {
    if (n > 0) value /= n;
    result.push_back(value);
  }
  return result;
}

/// x with NaN replaced by 0 and limited, so that conversions to integers are defined.
static Value limited(Math &m, Value x, double low, double high) {
  Value inside = m.select(m.lt(x, m.f(low)), m.f(low), m.select(m.gt(x, m.f(high)), m.f(high), x));
  return m.select(m.isNan(x), m.f(0), inside);
}

/// e^(r + low) * 2^k for |r| <= 0.35 and a tiny low.
static Value expReduced(Math &m, Value r, Value low, Value k) {
  // e^r - 1 - r, so that the last addition is the only rounding that counts.
  SmallVector<double> tail = inverseFactorials(15);
  Value square = m.mul(r, r);
  Value rest = m.mul(square, m.poly(r, ArrayRef<double>(tail).drop_front(2)));
  Value sum = m.add(m.f(1), m.add(r, m.add(rest, low)));
  return m.scale(sum, m.toInt(k));
}

Value expF64(Math &m, Value x) {
  Value y = limited(m, x, -750, 720);
  Value k = m.nearest(m.mul(y, m.f(kLog2E)));
  Value high = m.sub(y, m.mul(k, m.f(kLn2High))), low = m.mul(k, m.f(kLn2Low));
  Value r = m.sub(high, low);
  Value lost = m.sub(m.sub(high, r), low);
  return m.select(m.isNan(x), x, expReduced(m, r, lost, k));
}

Value exp2F64(Math &m, Value x) {
  Value y = limited(m, x, -1100, 1100);
  Value k = m.nearest(y), f = m.sub(y, k);
  Value r = m.mul(f, m.f(kLn2));
  Value low = m.add(m.productError(f, m.f(kLn2), r), m.mul(f, m.f(0x1.abc9e3b39803fp-56)));
  return m.select(m.isNan(x), x, expReduced(m, r, low, k));
}

Value expm1F64(Math &m, Value x) {
  SmallVector<double> series = inverseFactorials(22);
  Value y = limited(m, x, -0.75, 0.75);
  Value small = m.add(y, m.mul(m.mul(y, y), m.poly(y, ArrayRef<double>(series).drop_front(2))));
  // -0 stays -0
  small = m.select(m.eq(x, m.f(0)), x, small);
  Value large = m.sub(expF64(m, x), m.f(1));
  return m.select(m.lt(m.abs(x), m.f(0.6)), small, large);
}

namespace {
struct LogParts {
  Value e, f;   // x = 2^e (1 + f)
};
}  // namespace

/// Of a positive finite x.
static LogParts splitLog(Math &m, Value x) {
  Value tiny = m.lt(x, m.f(0x1p-1022));
  Value scaled = m.select(tiny, m.mul(x, m.f(0x1p54)), x);
  Value bits = m.bits(scaled);
  // Adding the distance from sqrt(1/2) to 1 makes the exponent field carry exactly for mantissas above sqrt 2.
  Value shifted = m.iadd(bits, m.i(0x3ff0000000000000 - 0x3fe6a09e667f3bcd));
  Value e = m.isub(m.shr(shifted, 52), m.i(1023));
  Value mantissa = m.fromBits(m.isub(bits, m.shl(e, 52)));
  Value exponent = m.toFloat(m.isub(e, m.select(tiny, m.i(54), m.i(0))));
  return {exponent, m.sub(mantissa, m.f(1))};
}

/// log(1 + f) as f - (f^2/2 - s (f^2/2 + R)), small parts first.
static Value logSeries(Math &m, Value f, Value &half, Value &correction) {
  Value s = m.div(f, m.add(m.f(2), f)), z = m.mul(s, s);
  SmallVector<double> series;
  for (int n = 1; n <= 13; ++n) series.push_back(2.0 / (2 * n + 1));
  Value r = m.mul(z, m.poly(z, series));
  half = m.mul(m.mul(f, f), m.f(0.5));
  correction = m.mul(s, m.add(half, r));
  return m.sub(f, m.sub(half, correction));
}

/// log of 0, negative, infinite and NaN arguments.
static Value logSpecials(Math &m, Value x, Value result) {
  result = m.select(m.eq(x, m.f(0)), m.f(-INFINITY), result);
  result = m.select(m.lt(x, m.f(0)), m.f(NAN), result);
  result = m.select(m.eq(x, m.f(INFINITY)), x, result);
  return m.select(m.isNan(x), x, result);
}

Value logF64(Math &m, Value x) {
  LogParts parts = splitLog(m, x);
  Value half, correction;
  logSeries(m, parts.f, half, correction);
  Value low = m.mul(parts.e, m.f(kLn2Low));
  Value tail = m.sub(m.sub(half, m.add(correction, low)), parts.f);
  return logSpecials(m, x, m.sub(m.mul(parts.e, m.f(kLn2High)), tail));
}

/// log x as an unevaluated sum, about 2^-65 relative.
static std::pair<Value, Value> logDouble(Math &m, Value x) {
  LogParts parts = splitLog(m, x);
  Value f = parts.f, d = m.add(m.f(2), f), dLow = m.sub(f, m.sub(d, m.f(2)));
  // s = f / (2 + f) in two parts
  Value s = m.div(f, d);
  Value p = m.mul(s, d);
  Value sLow = m.div(m.sub(m.sub(m.sub(f, p), m.productError(s, d, p)), m.mul(s, dLow)), d);
  // s^2 in two parts, then 2/3 s^3 with its error
  Value z = m.mul(s, s), zLow = m.add(m.productError(s, s, z), m.mul(m.mul(s, sLow), m.f(2)));
  SmallVector<double> series;
  for (int n = 2; n <= 14; ++n) series.push_back(2.0 / (2 * n + 1));
  Value r = m.mul(z, m.poly(z, series));                       // beyond 2/3
  Value c = m.add(m.f(2.0 / 3), r), cLow = m.add(m.sub(r, m.sub(c, m.f(2.0 / 3))), m.f(2.0 / 3 - 0x1.5555555555555p-1 + 0x1.5555555555555p-55));
  Value q = m.mul(z, c), qLow = m.add(m.productError(z, c, q), m.add(m.mul(z, cLow), m.mul(zLow, c)));
  Value t = m.mul(s, q), tLow = m.add(m.productError(s, q, t), m.add(m.mul(s, qLow), m.mul(sLow, q)));
  // e ln 2 + 2 s + t
  Value high = m.mul(parts.e, m.f(kLn2High)), low = m.mul(parts.e, m.f(kLn2Low));
  Value two = m.mul(s, m.f(2));
  Value a = m.add(high, two), aLow = m.sumError(high, two, a);
  Value total = m.add(a, t), totalLow = m.sumError(a, t, total);
  Value rest = m.add(m.add(aLow, totalLow), m.add(m.add(low, tLow), m.mul(sLow, m.f(2))));
  Value sum = m.add(total, rest);
  return {sum, m.sub(rest, m.sub(sum, total))};
}

Value log2F64(Math &m, Value x) {
  LogParts parts = splitLog(m, x);
  Value half, correction;
  Value y = logSeries(m, parts.f, half, correction);
  Value low = m.sub(correction, m.sub(half, m.sub(parts.f, y)));  // f - half + correction - y
  Value p = m.mul(y, m.f(kLog2E));
  Value rest = m.add(m.productError(y, m.f(kLog2E), p), m.add(m.mul(y, m.f(kLog2ELow)), m.mul(low, m.f(kLog2E))));
  Value sum = m.add(parts.e, p);
  return logSpecials(m, x, m.add(sum, m.add(m.sumError(parts.e, p, sum), rest)));
}

Value log1pF64(Math &m, Value x) {
  Value u = m.add(m.f(1), x);
  LogParts parts = splitLog(m, u);
  // What the rounding of 1 + x lost, relative to the scaled argument.
  Value lost = m.div(m.sumError(m.f(1), x, u), u);
  Value half, correction;
  logSeries(m, parts.f, half, correction);
  Value low = m.add(m.mul(parts.e, m.f(kLn2Low)), lost);
  Value tail = m.sub(m.sub(half, m.add(correction, low)), parts.f);
  Value result = logSpecials(m, u, m.sub(m.mul(parts.e, m.f(kLn2High)), tail));
  return m.select(m.lt(m.abs(x), m.f(0x1p-54)), x, result);
}

/// Coefficients of x^3, x^5, ... of tanh, from tanh' = 1 - tanh^2.
static SmallVector<double> tanhSeries(int count) {
  SmallVector<double> all{0, 1};
  for (int k = 1; k < 2 * count + 2; ++k) {
    double square = 0;
    for (int i = 0; i <= k; ++i) square += all[i] * all[k - i];
    all.push_back(-square / (k + 1));
  }
  SmallVector<double> odd;
  for (int n = 1; n <= count; ++n) odd.push_back(all[2 * n + 1]);
  return odd;
}

Value tanhF64(Math &m, Value x) {
  Value a = m.abs(x), small = m.lt(a, m.f(0.55));
  Value y = m.select(small, a, m.f(0)), z = m.mul(y, y);
  Value series = m.add(y, m.mul(m.mul(y, z), m.poly(z, tanhSeries(20))));
  Value t = expm1F64(m, m.mul(a, m.f(2)));
  Value result = m.select(small, series, m.sub(m.f(1), m.div(m.f(2), m.add(t, m.f(2)))));
  result = m.select(m.gt(a, m.f(22)), m.f(1), result);
  return m.select(m.isNan(x), x, m.copySign(result, x));
}

/// x^y with the special cases of C.
Value powF64(Math &m, Value x, Value y) {
  Value a = m.abs(x);
  auto [h, l] = logDouble(m, a);
  // y log|x| in two parts; beyond the range of exp only the sign matters.
  Value p = m.mul(y, h);
  Value pLow = m.add(m.productError(y, h, p), m.mul(y, l));
  Value safe = m.lt(m.abs(p), m.f(760));
  Value z = m.select(safe, p, m.f(0)), zLow = m.select(safe, pLow, m.f(0));
  Value k = m.nearest(m.mul(z, m.f(kLog2E)));
  Value high = m.sub(z, m.mul(k, m.f(kLn2High))), low = m.sub(m.mul(k, m.f(kLn2Low)), zLow);
  Value r = m.sub(high, low);
  Value result = expReduced(m, r, m.sub(m.sub(high, r), low), k);
  result = m.select(safe, result, m.select(m.gt(p, m.f(0)), m.f(INFINITY), m.f(0)));
  Value zero = m.f(0), one = m.f(1), infinity = m.f(INFINITY);
  // Bases 0 and infinity by the sign of y.
  Value up = m.gt(y, zero);
  result = m.select(m.eq(a, zero), m.select(up, zero, infinity), result);
  result = m.select(m.eq(a, infinity), m.select(up, infinity, zero), result);
  // Infinite exponents by |x| against 1.
  Value grows = m.ixor(m.gt(a, one), m.lt(y, zero));
  Value limit = m.select(m.eq(a, one), one, m.select(grows, infinity, zero));
  result = m.select(m.eq(m.abs(y), infinity), limit, result);
  // Negative bases: odd integers give the sign, other integers none, the rest NaN.
  Value whole = m.eq(math::TruncOp::create(m.b, y), y);
  Value halfY = m.mul(y, m.f(0.5));
  Value even = m.eq(math::TruncOp::create(m.b, halfY), halfY);
  Value odd = m.both(whole, m.ixor(even, lowering::intConstant(m.b, m.b.getLoc(), even.getType(), 1)));
  Value signedResult = m.select(odd, m.copySign(result, x), result);
  Value finiteBase = m.both(m.lt(x, zero), m.lt(a, infinity));
  Value bad = m.both(finiteBase, m.ixor(whole, lowering::intConstant(m.b, m.b.getLoc(), whole.getType(), 1)));
  result = m.select(bad, m.f(NAN), signedResult);
  result = m.select(m.either(m.isNan(x), m.isNan(y)), m.f(NAN), result);
  return m.select(m.either(m.eq(y, zero), m.eq(x, one)), one, result);
}

/// f32 in f32: k ln 2 in two parts, a polynomial of degree 7, and scaling in two steps for subnormal results.
Value expF32(Math &m, Value x, bool base2) {
  auto c = [&](double value) { return m.f32(value); };
  double low = base2 ? -152 : -106, high = base2 ? 130 : 90;
  Value y = m.select(m.lt(x, c(low)), c(low), m.select(m.gt(x, c(high)), c(high), x));
  Value k = m.nearest(base2 ? y : m.mul(y, c(1.44269504088896340736)));
  Value r;
  if (base2) {
    r = m.mul(m.sub(y, k), c(0.693147180559945309417));
  } else {
    r = m.sub(y, m.mul(k, c(0x1.62e0000000000p-1)));
    r = m.mulAdd(k, c(-0x1.0bfbe8e7bcd5ep-15), r);
  }
  SmallVector<double> series = inverseFactorials(8);
  Value p = m.add(m.mulAdd(m.mul(r, r), m.poly(r, ArrayRef<double>(series).drop_front(2)), r), c(1));
  Value defined = m.select(m.isNan(x), c(0), k);
  Value exponent = arith::FPToSIOp::create(m.b, m.i32(), defined);
  Value half = m.sar(exponent, 1), rest = m.isub(exponent, half);
  auto power = [&](Value e) -> Value { return arith::BitcastOp::create(m.b, m.f32(), m.shl(m.iadd(e, m.i32(127)), 23)); };
  Value result = m.mul(m.mul(p, power(half)), power(rest));
  return m.select(m.isNan(x), x, result);
}

}  // namespace sectile::passes
