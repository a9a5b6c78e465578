// Pass `expand-math`. Expects math operations on f32 and f64 scalars and 1-D vectors; leaves arithmetic that needs no library. f32 functions are computed
// in f64 and rounded once, except exp and exp2, which inner loops wait on.

#include "compiler/passes/Passes.h"
#include "compiler/passes/math/Builder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace sectile::passes {
#define GEN_PASS_DEF_EXPANDMATH
#include "compiler/passes/Passes.h.inc"
namespace {

/// The function on f64 values; null when the operation needs no expansion.
Value expandF64(Math &m, Operation *op, ArrayRef<Value> x) {
  return TypeSwitch<Operation *, Value>(op)
      .Case<math::ExpOp>([&](auto) { return expF64(m, x[0]); })
      .Case<math::Exp2Op>([&](auto) { return exp2F64(m, x[0]); })
      .Case<math::ExpM1Op>([&](auto) { return expm1F64(m, x[0]); })
      .Case<math::LogOp>([&](auto) { return logF64(m, x[0]); })
      .Case<math::Log2Op>([&](auto) { return log2F64(m, x[0]); })
      .Case<math::Log1pOp>([&](auto) { return log1pF64(m, x[0]); })
      .Case<math::TanhOp>([&](auto) { return tanhF64(m, x[0]); })
      .Case<math::ErfOp>([&](auto) { return erfF64(m, x[0]); })
      .Case<math::SinOp>([&](auto) { return sinCosF64(m, x[0]).first; })
      .Case<math::CosOp>([&](auto) { return sinCosF64(m, x[0]).second; })
      .Case<math::TanOp>([&](auto) { return tanF64(m, x[0]); })
      .Case<math::RsqrtOp>([&](auto) { return m.div(m.f(1), math::SqrtOp::create(m.b, x[0])); })
      .Case<math::PowFOp>([&](auto) { return powF64(m, x[0], x[1]); })
      .Case<math::Atan2Op>([&](auto) { return atan2F64(m, x[0], x[1]); })
      .Case<arith::RemFOp>([&](auto) { return remF64(m, x[0], x[1]); })
      .Default([](Operation *) { return Value(); });
}

Value expand(Operation *op, bool hasFma) {
  OpBuilder builder(op);
  Type type = op->getResult(0).getType();
  Math m(builder, op->getLoc(), type, hasFma);
  bool narrow = getElementTypeOrSelf(type).isF32();
  if (isa<math::FmaOp>(op)) {
    if (hasFma) return {};
    return narrow ? fmaF32(m, op->getOperand(0), op->getOperand(1), op->getOperand(2)) : fmaF64(m, op->getOperand(0), op->getOperand(1), op->getOperand(2));
  }
  if (narrow && isa<math::ExpOp, math::Exp2Op>(op)) return expF32(m, op->getOperand(0), isa<math::Exp2Op>(op));
  SmallVector<Value> operands(op->getOperands());
  if (narrow)
    for (Value &operand : operands) operand = arith::ExtFOp::create(m.b, m.f64(), operand);
  Value result = expandF64(m, op, operands);
  if (!result || !narrow) return result;
  return arith::TruncFOp::create(m.b, m.f32(), result);
}

struct ExpandMath : impl::ExpandMathBase<ExpandMath> {
  using ExpandMathBase::ExpandMathBase;

  void runOnOperation() override {
    SmallVector<Operation *> operations;
    auto expands = [](Operation *op) {
      return isa<math::ExpOp, math::Exp2Op, math::ExpM1Op, math::LogOp, math::Log2Op, math::Log1pOp, math::TanhOp, math::ErfOp, math::SinOp, math::CosOp, math::TanOp,
                 math::RsqrtOp, math::PowFOp, math::Atan2Op, math::FmaOp, arith::RemFOp>(op);
    };
    getOperation()->walk([&](Operation *op) {
      if (expands(op)) operations.push_back(op);
    });
    for (Operation *op : operations) {
      // An erased operation of a dead expression costs nothing.
      if (op->use_empty()) {
        op->erase();
        continue;
      }
      // Operations on unsupported types are left for the conversion to LLVM to refuse.
      Type element = getElementTypeOrSelf(op->getResult(0).getType());
      if (!element.isF32() && !element.isF64()) continue;
      Value result = expand(op, hasFma);
      if (!result) continue;
      op->getResult(0).replaceAllUsesWith(result);
      op->erase();
    }
  }
};

}  // namespace
}  // namespace sectile::passes
