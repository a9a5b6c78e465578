// Launch recipe extraction: walks backwards from the operands of tile.grid over pure scalar arithmetic and view shapes.

#include "compiler/ir/ExtractRecipe.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sectile;
using namespace sectile::tile;
using format::Expression;
using format::RecipeOp;

llvm::SmallVector<int64_t> tile::parameterSlots(KernelOp kernel) {
  SmallVector<int64_t> slots{0};
  for (Type type : kernel.getArgumentTypes()) {
    auto view = dyn_cast<ViewType>(type);
    slots.push_back(slots.back() + (view ? 1 + 2 * view.getRank() : 1));
  }
  return slots;
}

namespace {

class Extractor {
 public:
  explicit Extractor(KernelOp kernel) : slots(parameterSlots(kernel)) {}

  LogicalResult scalar(Value value, Expression &out) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (!isa<KernelOp>(argument.getOwner()->getParentOp()) || !value.getType().isIntOrIndex()) return unsupported(value);
      return push(out, RecipeOp::slot, slots[argument.getArgNumber()]);
    }
    IntegerAttr constant;
    if (matchPattern(value, m_Constant(&constant))) return push(out, RecipeOp::constant, constant.getValue().getSExtValue());
    return TypeSwitch<Operation *, LogicalResult>(value.getDefiningOp())
        .Case<arith::AddIOp>([&](auto op) { return binary(op, RecipeOp::add, out); })
        .Case<arith::SubIOp>([&](auto op) { return binary(op, RecipeOp::sub, out); })
        .Case<arith::MulIOp>([&](auto op) { return binary(op, RecipeOp::mul, out); })
        .Case<arith::MinSIOp>([&](auto op) { return binary(op, RecipeOp::min, out); })
        .Case<arith::MaxSIOp>([&](auto op) { return binary(op, RecipeOp::max, out); })
        .Case<arith::AndIOp>([&](auto op) { return binary(op, RecipeOp::bit_and, out); })
        .Case<arith::OrIOp>([&](auto op) { return binary(op, RecipeOp::bit_or, out); })
        .Case<arith::XOrIOp>([&](auto op) { return binary(op, RecipeOp::bit_xor, out); })
        .Case<DivOp>([&](auto op) { return op.getIsUnsigned() ? unsupported(op) : binary(op, RecipeOp::div, out); })
        .Case<RemOp>([&](auto op) { return op.getIsUnsigned() ? unsupported(op) : binary(op, RecipeOp::rem, out); })
        .Case<arith::CmpIOp>([&](auto op) { return compare(op, out); })
        .Case<arith::SelectOp>([&](auto op) {
          if (failed(scalar(op.getCondition(), out)) || failed(scalar(op.getTrueValue(), out)) || failed(scalar(op.getFalseValue(), out)))
            return failure();
          return push(out, RecipeOp::select, 0);
        })
        .Case<CastOp>([&](auto op) { return cast(op, out); })
        .Case<ViewSizeOp>([&](auto op) { return shape(op.getView(), op.getAxis(), 1, out); })
        .Case<ViewStrideOp>([&](auto op) { return shape(op.getView(), op.getAxis(), 2, out); })
        .Default([&](Operation *) { return unsupported(value); });
  }

 private:
  void emit(Expression &out, RecipeOp op, int64_t value) { out.push_back({op, value}); }

  LogicalResult push(Expression &out, RecipeOp op, int64_t value) {
    emit(out, op, value);
    return success();
  }

  LogicalResult binary(Operation *op, RecipeOp code, Expression &out) {
    if (failed(scalar(op->getOperand(0), out)) || failed(scalar(op->getOperand(1), out))) return failure();
    return push(out, code, 0);
  }

  LogicalResult compare(arith::CmpIOp op, Expression &out) {
    Value lhs = op.getLhs(), rhs = op.getRhs();
    RecipeOp code;
    switch (op.getPredicate()) {
      case arith::CmpIPredicate::eq: code = RecipeOp::eq; break;
      case arith::CmpIPredicate::ne: code = RecipeOp::ne; break;
      case arith::CmpIPredicate::slt: code = RecipeOp::lt; break;
      case arith::CmpIPredicate::sle: code = RecipeOp::le; break;
      case arith::CmpIPredicate::sgt: code = RecipeOp::lt, std::swap(lhs, rhs); break;
      case arith::CmpIPredicate::sge: code = RecipeOp::le, std::swap(lhs, rhs); break;
      default: return unsupported(op.getResult());
    }
    if (failed(scalar(lhs, out)) || failed(scalar(rhs, out))) return failure();
    return push(out, code, 0);
  }

  /// Widening casts between integers keep the slot's value; narrowing ones would need a wrap that the recipe does not know.
  LogicalResult cast(CastOp op, Expression &out) {
    Type from = op.getSource().getType(), to = op.getResult().getType();
    if (!from.isIntOrIndex() || !to.isIntOrIndex()) return unsupported(op.getResult());
    auto width = [](Type type) { return type.isIndex() ? 64u : type.getIntOrFloatBitWidth(); };
    if (width(to) < width(from)) return unsupported(op.getResult());
    return scalar(op.getSource(), out);
  }

  /// Size (field 1) or stride (field 2) of an axis of a view.
  LogicalResult shape(Value view, int64_t axis, int64_t field, Expression &out) {
    auto type = llvm::cast<ViewType>(view.getType());
    if (auto argument = dyn_cast<BlockArgument>(view)) {
      if (!isa<KernelOp>(argument.getOwner()->getParentOp())) return unsupported(view);
      return push(out, RecipeOp::slot, slots[argument.getArgNumber()] + 1 + (field == 2 ? type.getRank() : 0) + axis);
    }
    if (auto transpose = view.getDefiningOp<ViewTransposeOp>()) return shape(transpose.getView(), transpose.getPermutation()[axis], field, out);
    if (auto slice = view.getDefiningOp<ViewSliceOp>()) return sliceShape(slice, axis, field, out);
    return unsupported(view);
  }

  LogicalResult sliceShape(ViewSliceOp op, int64_t axis, int64_t field, Expression &out) {
    int64_t source = axis < static_cast<int64_t>(op.getAxis()) ? axis : axis + 1;
    if (field == 2) return shape(op.getView(), source, field, out);
    // inside ? size : 0, with inside = 0 <= index && index < size(axis)
    emit(out, RecipeOp::constant, 0);
    if (failed(scalar(op.getIndex(), out))) return failure();
    emit(out, RecipeOp::le, 0);
    if (failed(scalar(op.getIndex(), out)) || failed(shape(op.getView(), op.getAxis(), 1, out))) return failure();
    emit(out, RecipeOp::lt, 0);
    emit(out, RecipeOp::bit_and, 0);
    if (failed(shape(op.getView(), source, field, out))) return failure();
    emit(out, RecipeOp::constant, 0);
    return push(out, RecipeOp::select, 0);
  }

  LogicalResult unsupported(Value value) {
    return emitError(value.getLoc()) << "the grid depends on this value, which the host cannot compute; use view sizes, integer scalar parameters "
                                        "and + - * / % min max on them";
  }

  SmallVector<int64_t> slots;
};

}  // namespace

FailureOr<format::Recipe> tile::extractRecipe(KernelOp kernel) {
  GridOp grid = kernel.getGrid();
  Extractor extractor(kernel);
  format::Recipe recipe;
  recipe.in_order = grid.getInOrder();
  for (auto [extent, step] : llvm::zip_equal(grid.getExtents(), grid.getSteps())) {
    Expression expression, stepExpression;
    if (failed(extractor.scalar(extent, expression)) || failed(extractor.scalar(step, stepExpression))) return failure();
    expression.insert(expression.end(), stepExpression.begin(), stepExpression.end());
    expression.push_back({RecipeOp::ceildiv, 0});
    recipe.extents.push_back(expression);
    format::Check check{{{RecipeOp::constant, 0}}, "the step of the grid is not positive; give tiles(extent, step) a step of at least 1"};
    check.expression.insert(check.expression.end(), stepExpression.begin(), stepExpression.end());
    check.expression.push_back({RecipeOp::lt, 0});
    if (!matchPattern(step, m_Constant())) recipe.checks.push_back(check);
    else if (format::evaluate(check.expression, {}).value == 0) return grid.emitOpError("has a step that is not positive; use at least 1");
  }
  return recipe;
}
