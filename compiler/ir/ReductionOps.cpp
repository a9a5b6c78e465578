// Contractions, reductions, scans and sorts: verifiers and canonicalisations.

#include "compiler/ir/Verify.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace sectile::tile;

static int64_t fromEnd(Value tile, size_t i) {
  ArrayRef<int64_t> shape = shapeOf(tile.getType());
  return shape[shape.size() - i];
}

int64_t DotOp::getBatch() { return shapeOf(getA().getType()).size() == 3 ? shapeOf(getA().getType())[0] : 1; }
int64_t DotOp::getM() { return fromEnd(getA(), 2); }
int64_t DotOp::getK() { return fromEnd(getA(), 1); }
int64_t DotOp::getN() { return fromEnd(getB(), 1); }

LogicalResult DotOp::verify() {
  size_t rank = shapeOf(getA().getType()).size();
  if ((rank != 2 && rank != 3) || shapeOf(getB().getType()).size() != rank) return emitOpError("needs two tiles of rank 2, or two of rank 3");
  if (fromEnd(getA(), 1) != fromEnd(getB(), 2) || (rank == 3 && fromEnd(getA(), 3) != fromEnd(getB(), 3)))
    return emitOpError() << "cannot multiply " << shapeText(getA().getType()) << " by " << shapeText(getB().getType());
  SmallVector<int64_t> shape(shapeOf(getA().getType()));
  shape.back() = getN();
  Type a = elementType(getA().getType()), b = elementType(getB().getType());
  if (a != b && !(isFloat8(a) && isFloat8(b))) return emitOpError() << "needs operands of one element type, not " << a << " and " << b;
  MLIRContext *context = getContext();
  Type accumulator;
  if (isa<Float16Type, BFloat16Type, Float32Type>(a) || isFloat8(a)) accumulator = Float32Type::get(context);
  if (isa<Float64Type>(a)) accumulator = a;
  if (a.isInteger(8)) accumulator = IntegerType::get(context, 32);
  if (!accumulator) return emitOpError() << "has no product of " << a << " tiles; use f16, bf16, f32, f64, i8 or f8";
  if (getType() != tileType(shape, accumulator) || getAcc().getType() != getType())
    return emitOpError() << "needs accumulator and result of type " << tileType(shape, accumulator);
  return success();
}

namespace {

/// add(x, dot(a, b, 0)) -> dot(a, b, x): the accumulation of a loop becomes the product's own.
template <typename Add>
struct FoldAddIntoDot : OpRewritePattern<Add> {
  using OpRewritePattern<Add>::OpRewritePattern;
  LogicalResult matchAndRewrite(Add op, PatternRewriter &rewriter) const override {
    for (bool swap : {false, true}) {
      auto dot = op->getOperand(swap ? 0 : 1).template getDefiningOp<DotOp>();
      if (!dot || !dot->hasOneUse() || dot->getBlock() != op->getBlock()) continue;
      auto splat = dot.getAcc().template getDefiningOp<SplatOp>();
      Value start = splat ? splat.getValue() : dot.getAcc();
      if (!matchPattern(start, m_AnyZeroFloat()) && !matchPattern(start, m_Zero())) continue;
      rewriter.replaceOpWithNewOp<DotOp>(op, op.getType(), dot.getA(), dot.getB(), op->getOperand(swap ? 1 : 0), dot.getAUnsigned(),
                                         dot.getBUnsigned(), dot.getTf32(), dot.getPrecise());
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no operand is a product with a zero accumulator and one use");
  }
};

}  // namespace

void DotOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<FoldAddIntoDot<arith::AddFOp>, FoldAddIntoDot<arith::AddIOp>>(context);
}

/// Shared by reduce and scan: `count` sources of one shape, results of `shape`, and a combine region of 2n scalars to n.
static LogicalResult verifyCombine(Operation *op, OperandRange sources, ResultRange results, int64_t axis, Region &body, bool keepsAxis) {
  if (sources.empty()) return op->emitOpError("needs at least one tile");
  size_t count = sources.size();
  if (results.size() != count) return op->emitOpError("gives one result per tile");
  SmallVector<int64_t> shape(shapeOf(sources.front().getType()));
  if (failed(verifyAxis(op, axis, shape.size()))) return failure();
  SmallVector<int64_t> resultShape = shape;
  if (!keepsAxis) resultShape[axis] = 1;
  Block &block = body.front();
  if (block.getNumArguments() != 2 * count) return op->emitOpError() << "needs a region with " << 2 * count << " arguments";
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getValues().size() != count) return op->emitOpError() << "needs a region that yields " << count << " values";
  for (size_t i = 0; i < count; ++i) {
    Type element = elementType(sources[i].getType());
    if (shapeOf(sources[i].getType()) != ArrayRef<int64_t>(shape)) return op->emitOpError("needs tiles of one shape");
    if (results[i].getType() != tileType(resultShape, element)) return op->emitOpError() << "gives results of type " << tileType(resultShape, element);
    if (block.getArgument(i).getType() != element || block.getArgument(count + i).getType() != element || yield.getValues()[i].getType() != element)
      return op->emitOpError() << "combines and yields scalars of type " << element;
  }
  // Simplification may move constants out of the region; nothing else comes from outside.
  auto isOutside = [&](Value value) { return value.getParentRegion() != &body && !matchPattern(value, m_Constant()); };
  for (Operation &inner : block.without_terminator()) {
    if (!isMemoryEffectFree(&inner) || inner.getNumRegions() != 0 ||
        !llvm::all_of(inner.getOperandTypes(), isElementType) || !llvm::all_of(inner.getResultTypes(), isElementType))
      return inner.emitOpError("is not allowed in a combine region, which holds element-wise operations on scalars");
    for (Value operand : inner.getOperands())
      if (isOutside(operand)) return inner.emitOpError("uses a value from outside its combine region");
  }
  for (Value operand : yield.getValues())
    if (isOutside(operand)) return op->emitOpError("yields a value from outside its combine region");
  return success();
}

LogicalResult ReduceOp::verifyRegions() { return verifyCombine(*this, getSources(), getResults(), getAxis(), getBody(), false); }
LogicalResult ScanOp::verifyRegions() { return verifyCombine(*this, getSources(), getResults(), getAxis(), getBody(), true); }

static LogicalResult verifySorted(Operation *op, Type source, Type values, Type indices, int64_t axis, bool isTopK) {
  ArrayRef<int64_t> from = shapeOf(source), to = shapeOf(values);
  if (failed(verifyAxis(op, axis, from.size())) || failed(verifySameElement(op, source, values, "source and values")) ||
      failed(verifySameShape(op, values, indices, "values and indices")))
    return failure();
  if (isFloat8(elementType(source))) return op->emitOpError("does not order f8 elements; cast them first");
  if (!elementType(indices).isInteger(32)) return op->emitOpError("gives i32 indices");
  bool ok = from.size() == to.size();
  for (size_t i = 0; ok && i < to.size(); ++i) {
    bool isAxis = static_cast<int64_t>(i) == axis;
    ok = isAxis && isTopK ? to[i] <= from[i] : to[i] == from[i];
  }
  if (!ok) return op->emitOpError() << "has a result of shape " << shapeText(values) << " for a source of shape " << shapeText(source);
  return success();
}

LogicalResult SortOp::verify() { return verifySorted(*this, getSource().getType(), getValues().getType(), getIndices().getType(), getAxis(), false); }
LogicalResult TopKOp::verify() { return verifySorted(*this, getSource().getType(), getValues().getType(), getIndices().getType(), getAxis(), true); }
