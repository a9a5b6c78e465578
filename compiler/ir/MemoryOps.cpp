// Verifiers of loads, stores, gathers, scatters and atomics.

#include "compiler/ir/Verify.h"

using namespace mlir;
using namespace sectile::tile;

static LogicalResult verifyWritable(Operation *op, ViewType view) {
  if (view.getReadonly()) return op->emitOpError("writes to a read-only view");
  return success();
}

/// A tile at element offsets: one offset per axis; the value has the view's rank, or is a scalar.
static LogicalResult verifyBlock(Operation *op, ViewType view, size_t offsets, Type value) {
  if (static_cast<int64_t>(offsets) != view.getRank())
    return op->emitOpError() << "needs " << view.getRank() << " offsets for a view of rank " << view.getRank() << ", not " << offsets;
  if (elementType(value) != view.getElementType())
    return op->emitOpError() << "moves " << elementType(value) << " through a view of " << view.getElementType();
  int64_t rank = shapeOf(value).size();
  if (rank != 0 && rank != view.getRank())
    return op->emitOpError() << "moves a tile of rank " << rank << " through a view of rank " << view.getRank();
  return success();
}

static LogicalResult verifyIndexed(Operation *op, ViewType view, OperandRange indices, Type value, Value mask) {
  if (static_cast<int64_t>(indices.size()) != view.getRank())
    return op->emitOpError() << "needs " << view.getRank() << " index tiles for a view of rank " << view.getRank() << ", not " << indices.size();
  if (elementType(value) != view.getElementType())
    return op->emitOpError() << "moves " << elementType(value) << " through a view of " << view.getElementType();
  for (Value index : indices)
    if (failed(verifySameShape(op, index.getType(), value, "index and value"))) return failure();
  if (mask && failed(verifySameShape(op, mask.getType(), value, "mask and value"))) return failure();
  return success();
}

static LogicalResult verifyOrder(Operation *op, StringRef order, StringRef scope) {
  if (!llvm::is_contained({"relaxed", "acquire", "release", "acq_rel", "seq_cst"}, order))
    return op->emitOpError() << "has the unknown memory order '" << order << "'";
  if (!llvm::is_contained({"program", "cluster", "device", "system"}, scope))
    return op->emitOpError() << "has the unknown scope '" << scope << "'";
  return success();
}

static LogicalResult verifyAtomicElement(Operation *op, Type element, bool isCas) {
  if (element.isInteger(1) || isFloat8(element)) return op->emitOpError() << "has no atomic form for elements of type " << element;
  (void)isCas;
  return success();
}

LogicalResult LoadOp::verify() {
  if (failed(verifyBlock(*this, getView().getType(), getOffsets().size(), getResult().getType()))) return failure();
  if (getFill() && getFill().getType() != getView().getType().getElementType()) return emitOpError("needs a fill of the view's element type");
  return success();
}

LogicalResult StoreOp::verify() {
  if (failed(verifyWritable(*this, getView().getType()))) return failure();
  return verifyBlock(*this, getView().getType(), getOffsets().size(), getValue().getType());
}

LogicalResult GatherOp::verify() {
  if (getFill() && getFill().getType() != getView().getType().getElementType()) return emitOpError("needs a fill of the view's element type");
  return verifyIndexed(*this, getView().getType(), getIndices(), getResult().getType(), getMask());
}

LogicalResult ScatterOp::verify() {
  if (failed(verifyWritable(*this, getView().getType()))) return failure();
  return verifyIndexed(*this, getView().getType(), getIndices(), getValue().getType(), getMask());
}

LogicalResult AtomicRmwOp::verify() {
  ViewType view = getView().getType();
  if (failed(verifyWritable(*this, view)) || failed(verifyIndexed(*this, view, getIndices(), getValue().getType(), getMask())) ||
      failed(verifyOrder(*this, getOrder(), getScope())) || failed(verifyAtomicElement(*this, view.getElementType(), false)))
    return failure();
  if (getOld().getType() != getValue().getType()) return emitOpError("gives old values of the type of the new ones");
  StringRef kind = getKind();
  bool isInt = view.getElementType().isIntOrIndex();
  if (!llvm::is_contained({"add", "min", "max", "umin", "umax", "and", "or", "xor", "exchange"}, kind))
    return emitOpError() << "has the unknown kind '" << kind << "'";
  if (!isInt && llvm::is_contained({"umin", "umax", "and", "or", "xor"}, kind)) return emitOpError() << "'" << kind << "' needs integers";
  return success();
}

LogicalResult AtomicCasOp::verify() {
  ViewType view = getView().getType();
  if (failed(verifyWritable(*this, view)) || failed(verifyIndexed(*this, view, getIndices(), getDesired().getType(), getMask())) ||
      failed(verifyOrder(*this, getOrder(), getScope())) || failed(verifyAtomicElement(*this, view.getElementType(), true)))
    return failure();
  if (getOld().getType() != getDesired().getType() || getExpected().getType() != getDesired().getType())
    return emitOpError("has one type for expected, desired and old values");
  return success();
}

LogicalResult FenceOp::verify() { return verifyOrder(*this, getOrder(), getScope()); }
