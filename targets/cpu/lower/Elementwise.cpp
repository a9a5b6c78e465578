// Element-wise operations on carriers, and combine regions, which are made of them.

#include "targets/cpu/lower/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sectile::tile;

namespace sectile::cpu {

static bool isNarrowFloat(Type type) { return isa<Float16Type, BFloat16Type>(type); }

/// Result of a bit cast between carriers: through the bits in storage.
Value KernelLowering::bitcast(Value carried, Type from, Type to) {
  Location loc = b_.getLoc();
  Value raw = lowering::encode(b_, loc, carried, from, target_.numeric);
  Type target = lowering::typeLike(carried.getType(), lowering::storageType(to));
  if (raw.getType() != target) raw = arith::BitcastOp::create(b_, target, raw);
  return lowering::decode(b_, loc, raw, to, target_.numeric);
}

/// `operands` are carriers of `lanes` lanes (scalars when 1). Null when the operation is not element-wise.
Value KernelLowering::elementwise(Operation *op, ValueRange operands, int64_t lanes) {
  Location loc = b_.getLoc();
  Type element = elementType(op->getResult(0).getType());
  Value result = TypeSwitch<Operation *, Value>(op)
      .Case<CastOp>([&](CastOp cast) {
        return lowering::emitCast(b_, loc, operands[0], elementType(cast.getSource().getType()), element, cast.getSourceUnsigned(),
                                  cast.getResultUnsigned(), target_.numeric);
      })
      .Case<DivOp>([&](DivOp div) { return lowering::emitDiv(b_, loc, operands[0], operands[1], div.getIsUnsigned()); })
      .Case<RemOp>([&](RemOp rem) { return lowering::emitRem(b_, loc, operands[0], operands[1], rem.getIsUnsigned()); })
      .Case<ShlOp>([&](ShlOp) { return lowering::emitShl(b_, loc, operands[0], operands[1]); })
      .Case<ShrOp>([&](ShrOp shr) { return lowering::emitShr(b_, loc, operands[0], operands[1], shr.getIsUnsigned()); })
      .Case<MulHiOp>([&](MulHiOp mul) { return lowering::emitMulHi(b_, loc, operands[0], operands[1], mul.getIsUnsigned()); })
      .Case<arith::BitcastOp>([&](arith::BitcastOp cast) { return bitcast(operands[0], elementType(cast.getIn().getType()), element); })
      .Case<arith::ConstantOp>([&](arith::ConstantOp constant) -> Value {
        TypedAttr value = constant.getValue();
        if (auto floating = dyn_cast<FloatAttr>(value)) {
          if (isFloat8(element)) value = b_.getIntegerAttr(b_.getI8Type(), floating.getValue().bitcastToAPInt());
          else value = b_.getFloatAttr(lowering::carrierType(element), floating.getValueAsDouble());
        } else if (element.isIndex()) {
          value = b_.getI64IntegerAttr(cast<IntegerAttr>(value).getValue().getSExtValue());
        }
        return splatLanes(arith::ConstantOp::create(b_, value), lanes);
      })
      .Case<math::FmaOp>([&](math::FmaOp) -> Value {
        if (!isNarrowFloat(element)) return math::FmaOp::create(b_, operands[0], operands[1], operands[2]);
        // The f32 product and sum would round twice; in f64 the product of two narrow numbers is exact.
        SmallVector<Value> wide;
        for (Value operand : operands) wide.push_back(arith::ExtFOp::create(b_, lowering::typeLike(operand.getType(), b_.getF64Type()), operand));
        Value sum = math::FmaOp::create(b_, wide[0], wide[1], wide[2]);
        return lowering::emitCast(b_, loc, sum, b_.getF64Type(), element, false, false, target_.numeric);
      })
      .Default([&](Operation *) -> Value {
        if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()) || op->getNumResults() != 1) return {};
        OperationState state(loc, op->getName());
        state.addOperands(operands);
        state.addTypes(laneType(lowering::carrierType(element), lanes));
        state.addAttributes(op->getAttrDictionary().getValue());
        Value value = b_.create(state)->getResult(0);
        bool exact = isa<arith::NegFOp, math::AbsFOp, arith::MaximumFOp, arith::MinimumFOp, arith::SelectOp>(op);
        return isNarrowFloat(element) && !exact ? lowering::roundToElement(b_, loc, value, element, target_.numeric) : value;
      });
  return result;
}

SmallVector<Value> KernelLowering::combine(Region &body, ValueRange lhs, ValueRange rhs, int64_t lanes) {
  DenseMap<Value, Value> values;
  Block &block = body.front();
  for (auto [argument, value] : llvm::zip_equal(block.getArguments().take_front(lhs.size()), lhs)) values[argument] = value;
  for (auto [argument, value] : llvm::zip_equal(block.getArguments().drop_front(lhs.size()), rhs)) values[argument] = value;
  // Simplification moves constants out of the region.
  auto read = [&](Value operand) {
    auto found = values.find(operand);
    return found != values.end() ? found->second : splatLanes(scalar(operand), lanes);
  };
  for (Operation &op : block.without_terminator()) {
    SmallVector<Value> operands = llvm::to_vector(llvm::map_range(op.getOperands(), read));
    values[op.getResult(0)] = elementwise(&op, operands, lanes);
  }
  return llvm::to_vector(llvm::map_range(block.getTerminator()->getOperands(), read));
}

}  // namespace sectile::cpu
