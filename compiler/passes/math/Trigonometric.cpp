// Sine, cosine and arc tangent.
//
// Reduction: for |x| < 2^19, k pi/2 is taken away in three parts of which the first two have 32 bits, so that k times them is exact. Larger arguments
// multiply the 53-bit mantissa with the bits of 2/pi that matter (integer arithmetic, exact), one lane after the other, behind a test that the usual
// arguments pass.

#include "compiler/passes/math/Builder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cmath>

using namespace mlir;

namespace sectile::passes {
namespace {

/// A word of zeros, then 1280 bits of 2/pi after the binary point.
constexpr uint64_t kTwoOverPi[] = {
    0, 0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull, 0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull,
    0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull, 0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full,
    0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull,
    0x56033046fc7b6babull, 0xf0cfbc209af4361dull};

struct Reduced {
  Value high, low;  // x - quadrant * pi/2
  Value quadrant;   // i64
};

/// Word `index` of the table, by selection among the constants: no memory, so that the object needs no data section.
Value tableWord(Math &m, Value index) {
  Value word = m.i(0);
  for (auto [i, bits] : llvm::enumerate(kTwoOverPi)) word = m.select(m.ieq(index, m.i(i)), m.i(static_cast<int64_t>(bits)), word);
  return word;
}

/// Exact reduction of one finite scalar with |x| >= 2^-10.
Reduced reduceHuge(Math &m, Value x) {
  Value bits = m.iand(m.bits(x), m.i(INT64_MAX));
  Value exponent = m.isub(m.shr(bits, 52), m.i(1023));
  Value mantissa = m.ior(m.iand(bits, m.i(0xfffffffffffff)), m.i(int64_t{1} << 52));
  // x * 2/pi = mantissa * 2^(exponent - 52) * (2/pi); bits of weight 4 and more drop out. First bit needed: exponent - 54, plus the word of zeros.
  Value first = m.iadd(exponent, m.i(10)), word = m.shr(first, 6), shift = m.iand(first, m.i(63));
  Value words[4];
  for (int64_t n = 0; n < 4; ++n) words[n] = tableWord(m, m.iadd(word, m.i(n)));
  auto window = [&](int n) -> Value {
    Value left = arith::ShLIOp::create(m.b, words[n], shift);
    Value right = arith::ShRUIOp::create(m.b, m.shr(words[n + 1], 1), m.isub(m.i(63), shift));
    return m.ior(left, right);
  };
  auto wide = [&](Value w) { return arith::MulUIExtendedOp::create(m.b, mantissa, w); };
  auto p2 = wide(window(2)), p1 = wide(window(1));
  Value p0 = arith::MulIOp::create(m.b, mantissa, window(0));
  Value middle = m.iadd(p1.getLow(), p2.getHigh());
  Value carry = arith::CmpIOp::create(m.b, arith::CmpIPredicate::ult, middle, p1.getLow());
  Value top = m.iadd(m.iadd(p0, p1.getHigh()), arith::ExtUIOp::create(m.b, m.i64(), carry));
  // 2 bits of quadrant, 126 of fraction that matter; a fraction above one half counts down from the next quadrant.
  Value fraction = m.ior(m.shl(top, 2), m.shr(middle, 62)), below = m.ior(m.shl(middle, 2), m.shr(p2.getLow(), 62));
  Value quadrant = m.iadd(m.shr(top, 62), m.shr(fraction, 63));
  Value upper = m.iand(fraction, m.i(~int64_t{0x7ff})), lower = m.iand(fraction, m.i(0x7ff));
  Value a = m.mul(m.toFloat(upper), m.f(0x1p-64));
  Value b = m.add(m.mul(m.toFloat(lower), m.f(0x1p-64)), m.mul(arith::UIToFPOp::create(m.b, m.f64(), below), m.f(0x1p-128)));
  Value t = m.add(a, b), tLow = m.sub(b, m.sub(t, a));
  Value piHalf = m.f(0x1.921fb54442d18p+0);
  Value high = m.mul(t, piHalf);
  Value low = m.add(m.productError(t, piHalf, high), m.add(m.mul(t, m.f(0x1.1a62633145c07p-54)), m.mul(tLow, piHalf)));
  Value negative = arith::CmpIOp::create(m.b, arith::CmpIPredicate::slt, m.bits(x), m.i(0));
  return {m.select(negative, m.neg(high), high), m.select(negative, m.neg(low), low), m.select(negative, m.isub(m.i(0), quadrant), quadrant)};
}

/// Reduction of the lanes of a vector (or of a scalar) that are too large for the quick way.
SmallVector<Value> replaceHuge(Math &m, Value x, ArrayRef<Value> quick, Value isHuge) {
  auto reduceOne = [&](OpBuilder &builder, Value lane) -> SmallVector<Value> {
    Math scalar(builder, m.b.getLoc(), lane.getType(), m.hasFma);
    Reduced r = reduceHuge(scalar, lane);
    return {r.high, r.low, r.quadrant};
  };
  auto vector = dyn_cast<VectorType>(x.getType());
  SmallVector<Type> types(ValueRange(quick).getTypes());
  Value any = vector ? Value(vector::ReductionOp::create(m.b, vector::CombiningKind::OR, isHuge)) : isHuge;
  auto branch = scf::IfOp::create(m.b, types, any, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(m.b);
  m.b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(m.b, quick);
  m.b.setInsertionPointToStart(branch.thenBlock());
  if (!vector) {
    scf::YieldOp::create(m.b, reduceOne(m.b, x));
    return SmallVector<Value>(branch.getResults());
  }
  Value zero = arith::ConstantIndexOp::create(m.b, 0), count = arith::ConstantIndexOp::create(m.b, vector.getNumElements()), one = arith::ConstantIndexOp::create(m.b, 1);
  auto loop = scf::ForOp::create(m.b, zero, count, one, quick);
  scf::YieldOp::create(m.b, loop.getResults());
  m.b.setInsertionPointToStart(loop.getBody());
  Value index = loop.getInductionVar();
  Value lane = vector::ExtractOp::create(m.b, x, ArrayRef<OpFoldResult>{index});
  Value huge = vector::ExtractOp::create(m.b, isHuge, ArrayRef<OpFoldResult>{index});
  auto pick = scf::IfOp::create(m.b, types, huge, /*withElseRegion=*/true);
  scf::YieldOp::create(m.b, pick.getResults());
  m.b.setInsertionPointToStart(pick.elseBlock());
  scf::YieldOp::create(m.b, loop.getRegionIterArgs());
  m.b.setInsertionPointToStart(pick.thenBlock());
  SmallVector<Value> updated;
  for (auto [old, value] : llvm::zip_equal(loop.getRegionIterArgs(), reduceOne(m.b, lane)))
    updated.push_back(vector::InsertOp::create(m.b, value, old, ArrayRef<OpFoldResult>{index}));
  scf::YieldOp::create(m.b, updated);
  return SmallVector<Value>(branch.getResults());
}

Reduced reduce(Math &m, Value x) {
  Value a = m.abs(x);
  Value finite = m.lt(a, m.f(INFINITY));
  Value huge = m.both(m.ge(a, m.f(0x1p19)), finite);
  Value usual = m.select(m.lt(a, m.f(0x1p19)), x, m.f(0));
  Value k = m.nearest(m.mul(usual, m.f(0x1.45f306dc9c883p-1)));
  Value r = m.sub(usual, m.mul(k, m.f(0x1.921fb54400000p+0)));
  Value second = m.mul(k, m.f(0x1.0b4611a600000p-34)), third = m.mul(k, m.f(0x1.3198a2e037073p-69));
  Value s = m.sub(r, second), sLow = m.sub(m.sub(r, s), second);
  // r - second may itself round: carry what it lost.
  Value exact = m.add(sLow, m.f(0));
  Value high = m.sub(s, m.sub(third, exact)), low = m.sub(m.sub(s, high), m.sub(third, exact));
  SmallVector<Value> result = replaceHuge(m, x, {high, low, m.toInt(k)}, huge);
  return {result[0], result[1], result[2]};
}

}  // namespace

namespace {

/// A number as the sum of a rounded one and a small rest.
struct Sum {
  Value high, low;
};
struct SineCosine {
  Sum sine, cosine;  // of the reduced argument: low parts not yet added
  Value quadrant;
};

SineCosine sineCosine(Math &m, Value x) {
  Reduced r = reduce(m, x);
  Value h = r.high, l = r.low, z = m.mul(h, h);
  SmallVector<double> sineSeries, cosineSeries;
  double term = 1;
  for (int n = 2; n <= 19; ++n) {
    term /= n;
    double value = (n / 2) % 2 ? -term : term;
    (n % 2 ? sineSeries : cosineSeries).push_back(value);
  }
  // sin(h + l) = h + (l (1 - z/2) + h^3 S); cos(h + l) = 1 - z/2 + (z^2 C - h l)
  Value half = m.mul(z, m.f(0.5));
  Value sineTail = m.add(m.mul(m.mul(z, h), m.poly(z, sineSeries)), m.mul(l, m.sub(m.f(1), half)));
  sineTail = m.select(m.eq(h, m.f(0)), l, sineTail);
  Value w = m.sub(m.f(1), half);
  Value tail = m.sub(m.mul(m.mul(z, z), m.poly(z, ArrayRef<double>(cosineSeries).drop_front(1))), m.mul(h, l));
  Value cosineTail = m.add(m.sub(m.sub(m.f(1), w), half), tail);
  return {{h, sineTail}, {w, cosineTail}, r.quadrant};
}

/// high + low rounded, and what that lost; |high| >= |low|.
Sum normalised(Math &m, Sum x) {
  Value sum = m.add(x.high, x.low);
  return {sum, m.add(m.sub(x.high, sum), x.low)};
}

/// n / d rounded once or nearly so, as quotient and rest.
Sum quotient(Math &m, Sum n, Sum d) {
  Value q = m.div(n.high, d.high), p = m.mul(q, d.high);
  Value rest = m.sub(m.sub(n.high, p), m.productError(q, d.high, p));
  rest = m.add(rest, m.sub(n.low, m.mul(q, d.low)));
  return {q, m.div(rest, d.high)};
}

Value isFinite(Math &m, Value x) { return m.lt(m.abs(x), m.f(INFINITY)); }

}  // namespace

std::pair<Value, Value> sinCosF64(Math &m, Value x) {
  SineCosine parts = sineCosine(m, x);
  Value sine = m.add(parts.sine.high, parts.sine.low), cosine = m.add(parts.cosine.high, parts.cosine.low);
  Value odd = m.ine(m.iand(parts.quadrant, m.i(1)), m.i(0));
  Value sineNegative = m.ine(m.iand(parts.quadrant, m.i(2)), m.i(0));
  Value cosineNegative = m.ine(m.iand(m.iadd(parts.quadrant, m.i(1)), m.i(2)), m.i(0));
  Value s = m.select(odd, cosine, sine), c = m.select(odd, sine, cosine);
  s = m.select(sineNegative, m.neg(s), s);
  c = m.select(cosineNegative, m.neg(c), c);
  // -0 stays -0; infinities and NaN give NaN.
  s = m.select(m.eq(x, m.f(0)), x, s);
  Value bad = m.sub(x, x), finite = isFinite(m, x);
  return {m.select(finite, s, bad), m.select(finite, c, bad)};
}

Value tanF64(Math &m, Value x) {
  SineCosine parts = sineCosine(m, x);
  Sum s = normalised(m, parts.sine), c = normalised(m, parts.cosine);
  // sin / cos, or -cos / sin in odd quadrants.
  Value odd = m.ine(m.iand(parts.quadrant, m.i(1)), m.i(0));
  Sum n{m.select(odd, m.neg(c.high), s.high), m.select(odd, m.neg(c.low), s.low)};
  Sum d{m.select(odd, s.high, c.high), m.select(odd, s.low, c.low)};
  Sum q = quotient(m, n, d);
  Value result = m.select(m.eq(x, m.f(0)), x, m.add(q.high, q.low));
  return m.select(isFinite(m, x), result, m.sub(x, x));
}

Value atan2F64(Math &m, Value y, Value x) {
  Value ax = m.abs(x), ay = m.abs(y);
  Value steep = m.gt(ay, ax);
  Value small = m.select(steep, ax, ay), large = m.select(steep, ay, ax);
  // Infinities: 1 against 1, or 0 against 1. Zeros: 0 against 1. Then exponents where nothing overflows or vanishes.
  Value infinite = m.eq(large, m.f(INFINITY));
  small = m.select(infinite, m.select(m.eq(small, m.f(INFINITY)), m.f(1), m.f(0)), small);
  large = m.select(m.either(infinite, m.eq(large, m.f(0))), m.f(1), large);
  Value factor = m.select(m.gt(large, m.f(0x1p900)), m.f(0x1p-200), m.select(m.lt(large, m.f(0x1p-900)), m.f(0x1p200), m.f(1)));
  small = m.mul(small, factor), large = m.mul(large, factor);
  // atan(small / large) = pi/4 + atan((small - large) / (small + large)) above tan(pi/8)
  Value folds = m.gt(small, m.mul(large, m.f(0.41421356237309503)));
  Value difference = m.sub(small, large), sum = m.add(small, large), zero = m.f(0);
  Sum n{m.select(folds, difference, small), m.select(folds, m.sumError(small, m.neg(large), difference), zero)};
  Sum d{m.select(folds, sum, large), m.select(folds, m.sumError(small, large, sum), zero)};
  Sum t = quotient(m, n, d);
  Value z = m.mul(t.high, t.high);
  SmallVector<double> series;
  for (int k = 1; k <= 24; ++k) series.push_back((k % 2 ? -1.0 : 1.0) / (2 * k + 1));
  Value rest = m.select(m.gt(m.abs(t.high), m.f(0x1p-900)), m.mul(t.low, m.sub(m.f(1), z)), zero);
  Value angle = m.add(t.high, m.add(m.mul(m.mul(t.high, z), m.poly(z, series)), rest));
  constexpr double piHalf = 0x1.921fb54442d18p+0, piHalfLow = 0x1.1a62633145c07p-54;
  angle = m.select(folds, m.add(m.f(piHalf / 2), m.add(angle, m.f(piHalfLow / 2))), angle);
  angle = m.select(steep, m.sub(m.f(piHalf), m.sub(angle, m.f(piHalfLow))), angle);
  Value left = arith::CmpIOp::create(m.b, arith::CmpIPredicate::slt, m.bits(x), m.i(0));
  angle = m.select(left, m.sub(m.f(2 * piHalf), m.sub(angle, m.f(2 * piHalfLow))), angle);
  return m.select(m.either(m.isNan(x), m.isNan(y)), m.f(NAN), m.copySign(angle, y));
}

}  // namespace sectile::passes
