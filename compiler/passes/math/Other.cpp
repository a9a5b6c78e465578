// Error function, exact remainder, and fused multiply-add for machines without one.

#include "compiler/passes/math/Builder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cmath>

using namespace mlir;

namespace sectile::passes {

/// |x| < 1: Taylor's series. 1 <= |x| < 6.5: 1 - e^(-x^2) g(t), g a Chebyshev fit of erfc(x) e^(x^2) in t = (x - 2.5) / (x + 2.5), error 2e-23. Beyond: 1.
Value erfF64(Math &m, Value x) {
  SmallVector<double> series;
  double factorial = 1;
  for (int n = 0; n <= 24; ++n) {
    if (n > 0) factorial *= n;
    series.push_back((n % 2 ? -1.0 : 1.0) * 1.1283791670955125739 / (factorial * (2 * n + 1)));
  }
  static constexpr double fit[] = {0.21080636406114358065, -0.3717367339489733533, 0.25171319321744924657, -0.12503305237882904292, 0.039922539075593722252,
                                   -0.0039937011658797064561, -0.0026423659648265190396, 0.00087591545086355455818, 0.00022838039458261519674,
                                   -0.00012887718348571848789, -0.000034182499439867017792, 0.000018614551581053911095, 7.5551588469244889014e-6,
                                   -2.2982277948135982861e-6, -1.8167154333163256965e-6, 7.4669474948137456045e-8, 3.8993896902776919539e-7,
                                   8.9216347023571753665e-8, -6.0288141853803631065e-8, -3.9236561981445402227e-8, 3.0985367903234318893e-9,
                                   8.781771752394932621e-9};
  Value a = m.abs(x);
  Value inner = m.select(m.lt(a, m.f(1)), x, m.f(0)), z = m.mul(inner, inner);
  Value small = m.mul(inner, m.poly(z, series));
  Value outer = m.select(m.lt(a, m.f(6.5)), a, m.f(6.5));
  Value t = m.div(m.sub(outer, m.f(2.5)), m.add(outer, m.f(2.5)));
  Value large = m.copySign(m.sub(m.f(1), m.mul(expF64(m, m.neg(m.mul(outer, outer))), m.poly(t, fit))), x);
  Value result = m.select(m.lt(a, m.f(1)), small, large);
  result = m.select(m.eq(x, m.f(0)), x, result);
  return m.select(m.isNan(x), x, result);
}

/// Exponent of a positive x, subnormal ones included.
static Value exponentOf(Math &m, Value x) {
  Value tiny = m.lt(x, m.f(0x1p-1022));
  Value scaled = m.select(tiny, m.mul(x, m.f(0x1p54)), x);
  return m.isub(m.shr(m.bits(scaled), 52), m.select(tiny, m.i(1023 + 54), m.i(1023)));
}

/// Long division: while r >= y, take away the largest y 2^n that fits. Every step is exact and shortens r.
Value remF64(Math &m, Value x, Value y) {
  Value divisor = m.abs(y), start = m.abs(x);
  Value special = m.either(m.either(m.isNan(x), m.isNan(y)), m.either(m.eq(start, m.f(INFINITY)), m.eq(divisor, m.f(0))));
  Value r0 = m.select(special, m.f(0), start);
  Value d = m.select(m.either(special, m.eq(divisor, m.f(INFINITY))), m.f(INFINITY), divisor);
  auto loop = scf::WhileOp::create(m.b, TypeRange{r0.getType()}, ValueRange{r0});
  {
    OpBuilder::InsertionGuard guard(m.b);
    Block *before = m.b.createBlock(&loop.getBefore(), {}, {r0.getType()}, {m.b.getLoc()});
    Value more = m.ge(before->getArgument(0), d);
    Value any = isa<VectorType>(more.getType()) ? Value(vector::ReductionOp::create(m.b, vector::CombiningKind::OR, more)) : more;
    scf::ConditionOp::create(m.b, any, before->getArguments());
    Block *after = m.b.createBlock(&loop.getAfter(), {}, {r0.getType()}, {m.b.getLoc()});
    Value r = after->getArgument(0);
    Value active = m.ge(r, d);
    Value base = m.select(active, d, m.f(1)), from = m.select(active, r, m.f(1));
    Value part = m.scale(base, m.isub(exponentOf(m, from), exponentOf(m, base)));
    part = m.select(m.gt(part, from), m.mul(part, m.f(0.5)), part);
    scf::YieldOp::create(m.b, m.select(active, m.sub(r, part), r));
  }
  return m.select(special, m.f(NAN), m.copySign(loop.getResult(0), x));
}

/// s + error with the last bit of s made odd when the error is not 0, as rounding towards odd does.
static Value oddSum(Math &m, Value s, Value error) {
  Value bits = m.bits(s);
  Value inexact = arith::CmpFOp::create(m.b, arith::CmpFPredicate::ONE, error, m.f(0));
  Value sameSign = arith::CmpIOp::create(m.b, arith::CmpIPredicate::sge, m.ixor(bits, m.bits(error)), m.i(0));
  Value towardsZero = m.select(sameSign, bits, m.isub(bits, m.i(1)));
  return m.fromBits(m.select(inexact, m.ior(towardsZero, m.i(1)), bits));
}

Value fmaF32(Math &m, Value a, Value b, Value c) {
  auto wide = [&](Value v) -> Value { return arith::ExtFOp::create(m.b, m.f64(), v); };
  Value p = m.mul(wide(a), wide(b)), addend = wide(c);  // the product is exact
  Value s = m.add(p, addend);
  Value finite = m.lt(m.abs(s), m.f(INFINITY));
  Value result = m.select(finite, oddSum(m, s, m.sumError(p, addend, s)), s);
  return arith::TruncFOp::create(m.b, m.f32(), result);
}

Value fmaF64(Math &m, Value a, Value b, Value c) {
  Value p = m.mul(a, b), plain = m.add(p, c);
  Value low = m.productError(a, b, p);
  Value s = m.add(p, c), error = m.sumError(p, c, s);
  Value rest = m.add(error, low);
  Value result = m.add(s, oddSum(m, rest, m.sumError(error, low, rest)));
  // Outside the range where products split exactly (overflow, or a product near the subnormals) the plain result is taken.
  Value size = m.abs(p);
  Value safe = m.both(m.both(m.lt(size, m.f(0x1p1000)), m.gt(size, m.f(0x1p-900))), m.lt(m.abs(c), m.f(0x1p1000)));
  safe = m.both(safe, m.both(m.lt(m.abs(a), m.f(0x1p990)), m.lt(m.abs(b), m.f(0x1p990))));
  return m.select(safe, result, plain);
}

}  // namespace sectile::passes
