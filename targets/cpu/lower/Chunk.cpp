// Evaluation of deferred tiles: which elements of which operands make a chunk of the result. Emits straight-line code only, so that a chunk
// computed once in a block may be used again in it (the memo).

#include "targets/cpu/lower/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sectile::tile;

namespace sectile::cpu {

Value KernelLowering::splatLanes(Value scalar, int64_t lanes) {
  if (lanes == 1 || isa<VectorType>(scalar.getType())) return scalar;
  return vector::BroadcastOp::create(b_, VectorType::get(lanes, scalar.getType()), scalar);
}

/// first, first + 1, ... when the lanes run along the axis in question, else `first` in every lane.
Value KernelLowering::laneIndex(Value first, int64_t lanes, bool along) {
  if (lanes == 1) return first;
  Value splat = splatLanes(first, lanes);
  if (!along) return splat;
  auto steps = llvm::to_vector(llvm::seq<int64_t>(0, lanes));
  Value step = arith::ConstantOp::create(b_, DenseElementsAttr::get(VectorType::get(lanes, b_.getI64Type()), ArrayRef<int64_t>(steps)));
  return add(splat, step);
}

/// Only axes of size 1 come or go, so that every element keeps its indices on the others.
bool KernelLowering::isUnitReshape(ReshapeOp op) {
  auto significant = [](Type type) {
    SmallVector<int64_t> sizes(llvm::make_filter_range(shapeOf(type), [](int64_t size) { return size != 1; }));
    return sizes;
  };
  return significant(op.getSource().getType()) == significant(op.getType());
}

Value KernelLowering::chunk(Value tile, const Chunk &at) {
  for (auto &[value, entry] : memo_)
    if (value == tile && entry.first.lanes == at.lanes && (at.lanes == 1 || entry.first.axis == at.axis) && entry.first.index == at.index)
      return entry.second;
  Value result = computeChunk(tile, at);
  memo_.push_back({tile, {at, result}});
  return result;
}

Value KernelLowering::computeChunk(Value tile, const Chunk &at) {
  if (auto found = buffers_.find(tile); found != buffers_.end()) return loadBuffer(found->second, at);
  if (Value known = scalars_.lookup(tile)) return splatLanes(known, at.lanes);
  Operation *op = tile.getDefiningOp();
  return TypeSwitch<Operation *, Value>(op)
      .Case<SplatOp>([&](SplatOp splat) { return splatLanes(scalar(splat.getValue()), at.lanes); })
      .Case<arith::ConstantOp>([&](arith::ConstantOp constant) -> Value {
        auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
        if (!dense || !dense.isSplat()) return {};
        Type element = dense.getElementType(), carrier = lowering::carrierType(element);
        TypedAttr value;
        if (element.isIntOrIndex()) value = IntegerAttr::get(carrier, dense.getSplatValue<APInt>());
        else if (isFloat8(element)) value = IntegerAttr::get(carrier, dense.getSplatValue<APFloat>().bitcastToAPInt());
        else value = FloatAttr::get(carrier, dense.getSplatValue<APFloat>().convertToDouble());
        return splatLanes(arith::ConstantOp::create(b_, value), at.lanes);
      })
      .Case<IotaOp>([&](IotaOp iota) { return laneIndex(at.index[iota.getAxis()], at.lanes, static_cast<int64_t>(iota.getAxis()) == at.axis); })
      .Case<BroadcastOp>([&](BroadcastOp broadcast) {
        Chunk from = at;
        ArrayRef<int64_t> shape = shapeOf(broadcast.getSource().getType());
        for (auto [i, size] : llvm::enumerate(shape))
          if (size == 1) from.index[i] = i64(0);
        if (at.lanes > 1 && shape[at.axis] == 1) from.lanes = 1;
        return splatLanes(chunk(broadcast.getSource(), from), at.lanes);
      })
      .Case<TransposeOp>([&](TransposeOp transpose) {
        Chunk from = at;
        for (auto [i, axis] : llvm::enumerate(transpose.getPermutation())) from.index[axis] = at.index[i];
        from.axis = transpose.getPermutation()[at.axis];
        return chunk(transpose.getSource(), from);
      })
      .Case<FlipOp>([&](FlipOp flip) -> Value {
        Chunk from = at;
        int64_t axis = flip.getAxis(), size = shapeOf(flip.getType())[axis];
        bool along = axis == at.axis && at.lanes > 1;
        from.index[axis] = sub(i64(size - (along ? at.lanes : 1)), at.index[axis]);
        Value value = chunk(flip.getSource(), from);
        if (!along) return value;
        auto reversed = llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, at.lanes)));
        return vector::ShuffleOp::create(b_, value, value, reversed);
      })
      .Case<ReshapeOp>([&](ReshapeOp reshape) -> Value {
        Chunk from;
        from.lanes = at.lanes, from.inside = at.inside;
        SmallVector<Value> significant;
        int64_t lanePosition = -1;
        for (auto [i, size] : llvm::enumerate(shapeOf(reshape.getType()))) {
          if (size == 1) continue;
          if (static_cast<int64_t>(i) == at.axis) lanePosition = significant.size();
          significant.push_back(at.index[i]);
        }
        if (!isTile(reshape.getSource().getType())) return splatLanes(scalar(reshape.getSource()), at.lanes);
        size_t next = 0;
        for (auto [i, size] : llvm::enumerate(shapeOf(reshape.getSource().getType()))) {
          if (size != 1 && static_cast<int64_t>(next) == lanePosition) from.axis = i;
          from.index.push_back(size == 1 ? i64(0) : significant[next++]);
        }
        return chunk(reshape.getSource(), from);
      })
      .Case<SplitOp>([&](SplitOp split) {
        Chunk from = at;
        from.index.push_back(i64(tile == split.getFirst() ? 0 : 1));
        return loadBuffer(bufferOf(split.getSource()), from);
      })
      .Case<ExtractOp>([&](ExtractOp extract) {
        ViewValue source = asView(bufferOf(extract.getSource()));
        if (at.index.empty()) return gatherFrom(source, scalarsOf(extract.getOffsets()), {}, {}, 1);
        Chunk bounded = at;
        bounded.inside = false;
        return loadView(source, scalarsOf(extract.getOffsets()), {}, bounded);
      })
      .Case<LoadOp>([&](LoadOp load) {
        Value fill = load.getFill() ? scalar(load.getFill()) : Value();
        return loadView(views_[load.getView()], scalarsOf(load.getOffsets()), fill, at);
      })
      .Default([&](Operation *) {
        SmallVector<Value> operands;
        for (Value operand : op->getOperands()) operands.push_back(splatLanes(isTile(operand.getType()) ? chunk(operand, at) : scalar(operand), at.lanes));
        return elementwise(op, operands, at.lanes);
      });
}

}  // namespace sectile::cpu
