// Verifiers of the view operations.

#include "compiler/ir/Verify.h"

using namespace mlir;
using namespace sectile::tile;

static LogicalResult verifyResultView(Operation *op, ViewType source, ViewType result, int64_t rank) {
  if (result.getRank() != rank) return op->emitOpError() << "gives a view of rank " << rank << ", not " << result.getRank();
  if (result.getElementType() != source.getElementType()) return op->emitOpError("keeps the element type of the view");
  if (source.getReadonly() && !result.getReadonly()) return op->emitOpError("cannot make a read-only view writable");
  return success();
}

LogicalResult ViewSizeOp::verify() { return verifyAxis(*this, getAxis(), getView().getType().getRank()); }
LogicalResult ViewStrideOp::verify() { return verifyAxis(*this, getAxis(), getView().getType().getRank()); }

LogicalResult ViewSliceOp::verify() {
  ViewType source = getView().getType();
  if (source.getRank() < 2) return emitOpError("needs a view of rank 2 or more");
  if (failed(verifyAxis(*this, getAxis(), source.getRank()))) return failure();
  return verifyResultView(*this, source, getResult().getType(), source.getRank() - 1);
}

LogicalResult ViewTransposeOp::verify() {
  ViewType source = getView().getType();
  if (failed(verifyPermutation(*this, getPermutation(), source.getRank()))) return failure();
  return verifyResultView(*this, source, getResult().getType(), source.getRank());
}

LogicalResult SubviewOp::verify() {
  ViewType source = getView().getType();
  if (static_cast<int64_t>(getOffsets().size()) != source.getRank()) return emitOpError("needs one offset, size and step per axis");
  return verifyResultView(*this, source, getResult().getType(), source.getRank());
}

LogicalResult ViewBroadcastOp::verify() {
  ViewType source = getView().getType();
  int64_t next = 0;
  for (int64_t dimension : getDimensions()) {
    if (dimension == -1) continue;
    if (dimension != next++) return emitOpError("needs every axis of the source once, in order");
  }
  if (next != source.getRank()) return emitOpError("needs every axis of the source once, in order");
  if (getSizes().size() != getDimensions().size()) return emitOpError("needs one size per axis of the result");
  return verifyResultView(*this, source, getResult().getType(), getDimensions().size());
}

LogicalResult ViewReshapeOp::verify() {
  if (getSizes().empty()) return emitOpError("needs at least one size");
  return verifyResultView(*this, getView().getType(), getResult().getType(), getSizes().size());
}
