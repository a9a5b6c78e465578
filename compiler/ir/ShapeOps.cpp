// Verifiers and folds of the operations that make and rearrange tiles, and the shared verifier helpers.

#include "compiler/ir/Verify.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace sectile::tile;

namespace sectile::tile {

std::string shapeText(Type type) {
  ArrayRef<int64_t> shape = shapeOf(type);
  return shape.empty() ? "scalar" : llvm::join(llvm::map_range(shape, [](int64_t size) { return std::to_string(size); }), "x");
}

LogicalResult verifyAxis(Operation *op, int64_t axis, int64_t rank) {
  if (axis < 0 || axis >= rank) return op->emitOpError() << "names axis " << axis << " of a value with " << rank << " axes";
  return success();
}

LogicalResult verifyPermutation(Operation *op, ArrayRef<int64_t> permutation, int64_t rank) {
  SmallVector<bool> seen(rank, false);
  bool ok = static_cast<int64_t>(permutation.size()) == rank;
  for (int64_t axis : permutation) {
    ok = ok && axis >= 0 && axis < rank && !seen[axis];
    if (!ok) break;
    seen[axis] = true;
  }
  if (!ok) return op->emitOpError() << "needs a permutation of 0 ... " << rank - 1;
  return success();
}

LogicalResult verifySameShape(Operation *op, Type a, Type b, StringRef what) {
  if (shapeOf(a) != shapeOf(b)) return op->emitOpError() << "needs " << what << " of one shape, not " << shapeText(a) << " and " << shapeText(b);
  return success();
}

LogicalResult verifySameElement(Operation *op, Type a, Type b, StringRef what) {
  if (elementType(a) != elementType(b))
    return op->emitOpError() << "needs " << what << " of one element type, not " << elementType(a) << " and " << elementType(b);
  return success();
}

}  // namespace sectile::tile

LogicalResult IotaOp::verify() {
  if (!elementType(getType()).isIndex()) return emitOpError("gives index elements");
  return verifyAxis(*this, getAxis(), shapeOf(getType()).size());
}

LogicalResult SplatOp::verify() { return verifySameElement(*this, getValue().getType(), getType(), "value and result"); }

LogicalResult BroadcastOp::verify() {
  ArrayRef<int64_t> from = shapeOf(getSource().getType()), to = shapeOf(getType());
  bool ok = from.size() == to.size();
  for (size_t i = 0; ok && i < from.size(); ++i) ok = from[i] == to[i] || from[i] == 1;
  if (!ok) return emitOpError() << "cannot stretch " << shapeText(getSource().getType()) << " to " << shapeText(getType()) << "; only axes of size 1 repeat";
  return verifySameElement(*this, getSource().getType(), getType(), "source and result");
}
OpFoldResult BroadcastOp::fold(FoldAdaptor) { return getSource().getType() == getType() ? OpFoldResult(getSource()) : OpFoldResult(); }

LogicalResult ReshapeOp::verify() {
  if (elementCount(getSource().getType()) != elementCount(getType()))
    return emitOpError() << "cannot turn " << shapeText(getSource().getType()) << " into " << shapeText(getType()) << ": the element counts differ";
  return verifySameElement(*this, getSource().getType(), getType(), "source and result");
}
OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  if (getSource().getType() == getType()) return getSource();
  if (auto inner = getSource().getDefiningOp<ReshapeOp>()) {
    if (inner.getSource().getType() == getType()) return inner.getSource();
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  return {};
}

LogicalResult TransposeOp::verify() {
  ArrayRef<int64_t> from = shapeOf(getSource().getType()), to = shapeOf(getType());
  if (failed(verifyPermutation(*this, getPermutation(), from.size()))) return failure();
  bool ok = to.size() == from.size();
  for (size_t i = 0; ok && i < to.size(); ++i) ok = to[i] == from[getPermutation()[i]];
  if (!ok) return emitOpError() << "has a result shape that does not follow from its permutation";
  return verifySameElement(*this, getSource().getType(), getType(), "source and result");
}
OpFoldResult TransposeOp::fold(FoldAdaptor) {
  if (auto inner = getSource().getDefiningOp<TransposeOp>()) {
    SmallVector<int64_t> order;
    for (int64_t axis : getPermutation()) order.push_back(inner.getPermutation()[axis]);
    if (!llvm::is_sorted(order)) {
      setPermutation(order);
      getSourceMutable().assign(inner.getSource());
      return getResult();
    }
    return inner.getSource();
  }
  for (auto [i, axis] : llvm::enumerate(getPermutation()))
    if (static_cast<int64_t>(i) != axis) return {};
  return getSource();
}

LogicalResult JoinOp::verify() {
  SmallVector<int64_t> shape(shapeOf(getLhs().getType()));
  shape.push_back(2);
  if (getLhs().getType() != getRhs().getType()) return emitOpError("joins two tiles of one type");
  if (tileType(shape, elementType(getLhs().getType())) != getType()) return emitOpError("gives the operands' shape with a last axis of size 2");
  return success();
}

LogicalResult SplitOp::verify() {
  ArrayRef<int64_t> shape = shapeOf(getSource().getType());
  if (shape.back() != 2) return emitOpError("needs a last axis of size 2");
  Type half = tileType(shape.drop_back(), elementType(getSource().getType()));
  if (getFirst().getType() != half || getSecond().getType() != half) return emitOpError("gives two halves without the last axis");
  return success();
}

LogicalResult CatOp::verify() {
  ArrayRef<int64_t> to = shapeOf(getType());
  if (failed(verifyAxis(*this, getAxis(), to.size()))) return failure();
  if (getSources().empty()) return emitOpError("needs at least one tile");
  int64_t total = 0;
  for (Value source : getSources()) {
    ArrayRef<int64_t> from = shapeOf(source.getType());
    bool ok = from.size() == to.size();
    for (size_t i = 0; ok && i < to.size(); ++i) ok = i == getAxis() || from[i] == to[i];
    if (!ok) return emitOpError() << "cannot concatenate " << shapeText(source.getType()) << " into " << shapeText(getType());
    if (failed(verifySameElement(*this, source.getType(), getType(), "sources and result"))) return failure();
    total += from[getAxis()];
  }
  if (total != to[getAxis()]) return emitOpError() << "gives " << total << " elements on axis " << getAxis() << ", not " << to[getAxis()];
  return success();
}

LogicalResult ExtractOp::verify() {
  size_t rank = shapeOf(getSource().getType()).size();
  if (getOffsets().size() != rank) return emitOpError() << "needs " << rank << " offsets, not " << getOffsets().size();
  size_t resultRank = shapeOf(getType()).size();
  if (resultRank != 0 && resultRank != rank) return emitOpError("gives a tile of the source's rank, or a scalar");
  return verifySameElement(*this, getSource().getType(), getType(), "source and result");
}

LogicalResult GatherAlongOp::verify() {
  ArrayRef<int64_t> source = shapeOf(getSource().getType()), to = shapeOf(getType());
  if (failed(verifyAxis(*this, getAxis(), source.size())) ||
      failed(verifySameShape(*this, getIndices().getType(), getType(), "indices and result")) ||
      failed(verifySameElement(*this, getSource().getType(), getType(), "source and result")))
    return failure();
  if (!elementType(getIndices().getType()).isIntOrIndex()) return emitOpError("needs integer indices");
  bool ok = source.size() == to.size();
  for (size_t i = 0; ok && i < to.size(); ++i) ok = i == getAxis() || source[i] == to[i];
  if (!ok) return emitOpError("needs source and indices to agree on every axis but the gathered one");
  return success();
}

LogicalResult HistogramOp::verify() {
  if (!elementType(getSource().getType()).isIntOrIndex()) return emitOpError("counts integers");
  if (shapeOf(getType()).size() != 1 || !elementType(getType()).isInteger(32)) return emitOpError("gives one axis of i32 counts");
  if (getMask() && (failed(verifySameShape(*this, getMask().getType(), getSource().getType(), "mask and source")) ||
                    !elementType(getMask().getType()).isInteger(1)))
    return emitOpError("needs an i1 mask of the source's shape");
  return success();
}

LogicalResult FlipOp::verify() { return verifyAxis(*this, getAxis(), shapeOf(getType()).size()); }
