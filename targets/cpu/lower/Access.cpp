// Memory: chunks of views and arena buffers, contiguous or strided, whole or masked. Memory outside a view is never touched.

#include "targets/cpu/lower/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace sectile::tile;

namespace sectile::cpu {

static int64_t byteWidth(Type type) { return std::max<int64_t>(1, type.getIntOrFloatBitWidth() / 8); }

Type KernelLowering::memoryType(const ViewValue &view) {
  if (view.carriers && !view.element.isInteger(1)) return lowering::carrierType(view.element);
  return lowering::storageType(view.element);
}

Value KernelLowering::toCarrier(Value raw, const ViewValue &view) {
  if (view.carriers && !view.element.isInteger(1)) return raw;
  return lowering::decode(b_, b_.getLoc(), raw, view.element, target_.numeric);
}

Value KernelLowering::toMemory(Value carried, const ViewValue &view) {
  if (view.carriers && !view.element.isInteger(1)) return carried;
  return lowering::encode(b_, b_.getLoc(), carried, view.element, target_.numeric);
}

ViewValue KernelLowering::asView(const Buffer &buffer) {
  ViewValue view;
  view.pointer = buffer.pointer, view.element = buffer.element, view.carriers = true;
  int64_t stride = 1;
  SmallVector<int64_t> strides(buffer.shape.size());
  for (int64_t axis = static_cast<int64_t>(buffer.shape.size()) - 1; axis >= 0; --axis) {
    strides[axis] = stride;
    // The innermost axis with more than one element is contiguous.
    if (stride == 1) view.unitAxis = axis;
    stride *= buffer.shape[axis];
  }
  for (auto [size, step] : llvm::zip_equal(buffer.shape, strides)) view.sizes.push_back(i64(size)), view.strides.push_back(i64(step));
  return view;
}

/// Pointer (or vector of pointers, when an index is a vector) of an element.
Value KernelLowering::address(const ViewValue &view, ArrayRef<Value> indices, int64_t lanes) {
  Value linear;
  for (auto [index, stride] : llvm::zip_equal(indices, view.strides)) {
    Value term = mul(index, splatLanes(stride, isa<VectorType>(index.getType()) ? lanes : 1));
    if (linear && linear.getType() != term.getType()) linear = splatLanes(linear, lanes), term = splatLanes(term, lanes);
    linear = linear ? add(linear, term) : term;
  }
  return gep(view.pointer, memoryType(view), linear);
}

/// True where every index lies in its axis; scalar when all indices are.
Value KernelLowering::insideMask(const ViewValue &view, ArrayRef<Value> indices, int64_t lanes) {
  Value scalars, vectors;
  for (auto [index, size] : llvm::zip_equal(indices, view.sizes)) {
    bool isVector = isa<VectorType>(index.getType());
    // Sizes are not negative, so one unsigned comparison covers both ends.
    Value inside = compare(arith::CmpIPredicate::ult, index, splatLanes(size, isVector ? lanes : 1));
    (isVector ? vectors : scalars) = logicalAnd(isVector ? vectors : scalars, inside);
  }
  if (!vectors) return scalars;
  return scalars ? logicalAnd(vectors, splatLanes(scalars, lanes)) : vectors;
}

Value KernelLowering::gatherFrom(const ViewValue &view, ArrayRef<Value> indices, Value mask, Value fill, int64_t lanes) {
  Type raw = memoryType(view), carrier = laneType(lowering::carrierType(view.element), lanes);
  Value active = insideMask(view, indices, lanes);
  if (mask) active = isa<VectorType>(mask.getType()) ? logicalAnd(splatLanes(active, lanes), mask) : logicalAnd(active, mask);
  Value otherwise = fill ? splatLanes(fill, lanes) : zeroOf(carrier);
  Value pointer = address(view, indices, lanes);
  if (lanes == 1) {
    auto branch = scf::IfOp::create(b_, carrier, active, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b_, toCarrier(LLVM::LoadOp::create(b_, raw, pointer, byteWidth(raw)), view));
    b_.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b_, otherwise);
    return branch.getResult(0);
  }
  Type rawVector = VectorType::get(lanes, raw);
  if (!isa<VectorType>(pointer.getType())) pointer = vector::BroadcastOp::create(b_, VectorType::get(lanes, pointer.getType()), pointer);
  active = splatLanes(active, lanes);
  Value loaded = LLVM::masked_gather::create(b_, rawVector, pointer, active, ValueRange{zeroOf(rawVector)}, b_.getI32IntegerAttr(byteWidth(raw)));
  Value carried = toCarrier(loaded, view);
  return fill ? Value(arith::SelectOp::create(b_, active, carried, otherwise)) : carried;
}

void KernelLowering::scatterTo(const ViewValue &view, ArrayRef<Value> indices, Value mask, Value value, int64_t lanes) {
  Type raw = memoryType(view);
  Value active = insideMask(view, indices, lanes);
  if (mask) active = isa<VectorType>(mask.getType()) ? logicalAnd(splatLanes(active, lanes), mask) : logicalAnd(active, mask);
  Value pointer = address(view, indices, lanes), stored = toMemory(value, view);
  if (lanes == 1) {
    auto branch = scf::IfOp::create(b_, active, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(branch.thenBlock());
    LLVM::StoreOp::create(b_, stored, pointer, byteWidth(raw));
    return;
  }
  if (!isa<VectorType>(pointer.getType())) pointer = vector::BroadcastOp::create(b_, VectorType::get(lanes, pointer.getType()), pointer);
  LLVM::masked_scatter::create(b_, stored, pointer, splatLanes(active, lanes), byteWidth(raw));
}

/// Elements of a view at offsets + chunk. Outside the view: `fill`, or 0 when null.
Value KernelLowering::loadView(const ViewValue &view, ArrayRef<Value> offsets, Value fill, const Chunk &at) {
  SmallVector<Value> first;
  for (auto [offset, index] : llvm::zip_equal(offsets, at.index)) first.push_back(add(offset, index));
  Type raw = memoryType(view);
  bool contiguous = at.lanes == 1 || at.axis == view.unitAxis;
  if (at.inside && contiguous) {
    Value pointer = address(view, first, 1);
    return toCarrier(LLVM::LoadOp::create(b_, laneType(raw, at.lanes), pointer, byteWidth(raw)), view);
  }
  if (at.lanes == 1) return gatherFrom(view, first, {}, fill, 1);
  SmallVector<Value> indices = first;
  indices[at.axis] = laneIndex(first[at.axis], at.lanes, true);
  if (!contiguous) return gatherFrom(view, indices, {}, fill, at.lanes);
  Value mask = splatLanes(insideMask(view, indices, at.lanes), at.lanes);
  Type rawVector = VectorType::get(at.lanes, raw);
  Value loaded = LLVM::MaskedLoadOp::create(b_, rawVector, address(view, first, 1), mask, zeroOf(rawVector), b_.getI32IntegerAttr(byteWidth(raw)), UnitAttr());
  Value carried = toCarrier(loaded, view);
  return fill ? Value(arith::SelectOp::create(b_, mask, carried, splatLanes(fill, at.lanes))) : carried;
}

void KernelLowering::storeView(const ViewValue &view, ArrayRef<Value> offsets, Value value, const Chunk &at) {
  SmallVector<Value> first;
  for (auto [offset, index] : llvm::zip_equal(offsets, at.index)) first.push_back(add(offset, index));
  Type raw = memoryType(view);
  bool contiguous = at.lanes == 1 || at.axis == view.unitAxis;
  if (at.inside && contiguous) {
    LLVM::StoreOp::create(b_, toMemory(value, view), address(view, first, 1), byteWidth(raw));
    return;
  }
  if (at.lanes == 1) return scatterTo(view, first, {}, value, 1);
  SmallVector<Value> indices = first;
  indices[at.axis] = laneIndex(first[at.axis], at.lanes, true);
  if (!contiguous) return scatterTo(view, indices, {}, value, at.lanes);
  Value mask = splatLanes(insideMask(view, indices, at.lanes), at.lanes);
  LLVM::MaskedStoreOp::create(b_, toMemory(value, view), address(view, first, 1), mask, byteWidth(raw));
}

static SmallVector<Value> zeros(Value zero, size_t count) { return SmallVector<Value>(count, zero); }

Value KernelLowering::loadBuffer(const Buffer &buffer, const Chunk &at) {
  ViewValue view = asView(buffer);
  Chunk whole = at;
  whole.inside = true;
  // Every axis inside a run of size-1 axes after the lanes' axis is contiguous too.
  if (at.lanes > 1 && llvm::all_of(ArrayRef<int64_t>(buffer.shape).drop_front(at.axis + 1), [](int64_t size) { return size == 1; }))
    view.unitAxis = at.axis;
  return loadView(view, zeros(i64(0), buffer.shape.size()), {}, whole);
}

void KernelLowering::storeBuffer(const Buffer &buffer, Value value, const Chunk &at) {
  ViewValue view = asView(buffer);
  Chunk whole = at;
  whole.inside = true;
  if (at.lanes > 1 && llvm::all_of(ArrayRef<int64_t>(buffer.shape).drop_front(at.axis + 1), [](int64_t size) { return size == 1; }))
    view.unitAxis = at.axis;
  storeView(view, zeros(i64(0), buffer.shape.size()), value, whole);
}

}  // namespace sectile::cpu
