// Loops over tiles: materialisation, stores, concatenation and gathers.

#include "targets/cpu/lower/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace sectile::tile;

namespace sectile::cpu {

Buffer KernelLowering::allocate(ArrayRef<int64_t> shape, Type element) {
  Buffer buffer;
  buffer.shape.assign(shape.begin(), shape.end());
  buffer.element = element;
  int64_t count = 1;
  for (int64_t size : shape) count *= size;
  Type memory = element.isInteger(1) ? lowering::storageType(element) : lowering::carrierType(element);
  buffer.pointer = allocateBytes(count * memory.getIntOrFloatBitWidth() / 8);
  return buffer;
}

/// The innermost axis with more than one element.
int64_t KernelLowering::vectorAxis(ArrayRef<int64_t> shape) {
  int64_t axis = static_cast<int64_t>(shape.size()) - 1;
  while (axis > 0 && shape[axis] == 1) --axis;
  return axis;
}

void KernelLowering::forRange(Value low, Value high, Value step, function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(b_, low, high, step);
  OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToStart(loop.getBody());
  auto saved = memo_;
  body(loop.getInductionVar());
  memo_ = saved;
}

void KernelLowering::forEachChunk(ArrayRef<int64_t> shape, int64_t maxLanes, function_ref<void(Chunk &)> body, int64_t skip) {
  Chunk at;
  at.index.assign(shape.size(), i64(0));
  SmallVector<int64_t> visited(shape.begin(), shape.end());
  if (skip >= 0) visited[skip] = 1;
  at.axis = vectorAxis(visited);
  auto inner = [&] {
    int64_t size = visited[at.axis], lanes = std::min(size, maxLanes), whole = size / lanes * lanes;
    auto run = [&](int64_t count) {
      at.lanes = count;
      auto saved = memo_;
      body(at);
      memo_ = saved;
    };
    if (whole == lanes) {
      at.index[at.axis] = i64(0);
      run(lanes);
    } else {
      forRange(i64(0), i64(whole), i64(lanes), [&](Value index) {
        at.index[at.axis] = index;
        run(lanes);
      });
    }
    if (whole < size) {
      at.index[at.axis] = i64(whole);
      run(size - whole);
    }
  };
  std::function<void(int64_t)> outer = [&](int64_t axis) {
    if (axis == static_cast<int64_t>(shape.size())) return inner();
    if (axis == at.axis || visited[axis] == 1) return outer(axis + 1);
    forRange(i64(0), i64(visited[axis]), i64(1), [&](Value index) {
      at.index[axis] = index;
      outer(axis + 1);
    });
  };
  outer(0);
}

Value KernelLowering::allInside(const ViewValue &view, ArrayRef<Value> offsets, ArrayRef<int64_t> shape) {
  Value inside;
  for (auto [offset, size, extent] : llvm::zip_equal(offsets, shape, view.sizes)) {
    inside = logicalAnd(inside, compare(arith::CmpIPredicate::sge, offset, i64(0)));
    inside = logicalAnd(inside, compare(arith::CmpIPredicate::sle, offset, sub(extent, i64(size))));
  }
  return inside;
}

void KernelLowering::collectAccesses(Value tile, SmallVectorImpl<Value> &conditions, llvm::DenseSet<Value> &seen) {
  if (buffers_.contains(tile) || !isTile(tile.getType()) || !seen.insert(tile).second) return;
  Operation *op = tile.getDefiningOp();
  if (!op) return;
  if (auto load = dyn_cast<LoadOp>(op)) {
    conditions.push_back(allInside(views_[load.getView()], scalarsOf(load.getOffsets()), shapeOf(tile.getType())));
    return;
  }
  if (isa<SplitOp, ExtractOp>(op)) return;
  for (Value operand : op->getOperands()) collectAccesses(operand, conditions, seen);
}

void KernelLowering::withVersions(ValueRange tiles, Value extraInside, function_ref<void(bool)> body) {
  SmallVector<Value> conditions;
  llvm::DenseSet<Value> seen;
  for (Value tile : tiles) collectAccesses(tile, conditions, seen);
  if (extraInside) conditions.push_back(extraInside);
  auto saved = memo_;
  if (conditions.empty()) {
    body(true);
    memo_ = saved;
    return;
  }
  Value all;
  for (Value condition : conditions) all = logicalAnd(all, condition);
  auto branch = scf::IfOp::create(b_, all, /*withElseRegion=*/true);
  for (bool inside : {true, false}) {
    OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(inside ? branch.thenBlock() : branch.elseBlock());
    body(inside);
    memo_ = saved;
  }
}

void KernelLowering::evaluateInto(Value tile, const Buffer &buffer) {
  withVersions(tile, {}, [&](bool inside) {
    forEachChunk(buffer.shape, target_.lanes(), [&](Chunk &at) {
      at.inside = inside;
      storeBuffer(buffer, chunk(tile, at), at);
    });
  });
}

Buffer KernelLowering::materialise(Value tile) {
  Buffer buffer = allocate(shapeOf(tile.getType()), elementType(tile.getType()));
  evaluateInto(tile, buffer);
  buffers_[tile] = buffer;
  return buffer;
}

/// The buffer of a tile, made now when it has none. It is kept for later users only where it dominates them: in the tile's own block.
Buffer KernelLowering::bufferOf(Value tile) {
  if (auto found = buffers_.find(tile); found != buffers_.end()) return found->second;
  Buffer buffer = allocate(shapeOf(tile.getType()), elementType(tile.getType()));
  evaluateInto(tile, buffer);
  if (tile.getParentBlock() == block_) buffers_[tile] = buffer;
  return buffer;
}

void KernelLowering::lowerStore(StoreOp op) {
  const ViewValue view = views_[op.getView()];
  SmallVector<Value> offsets = scalarsOf(op.getOffsets());
  Value tile = op.getValue();
  ArrayRef<int64_t> shape = shapeOf(tile.getType());
  withVersions(tile, allInside(view, offsets, shape), [&](bool inside) {
    forEachChunk(shape, target_.lanes(), [&](Chunk &at) {
      at.inside = inside;
      storeView(view, offsets, chunk(tile, at), at);
    });
  });
}

void KernelLowering::lowerCat(CatOp op) {
  Buffer result = allocate(shapeOf(op.getType()), elementType(op.getType()));
  int64_t axis = op.getAxis(), offset = 0;
  for (Value source : op.getSources()) {
    withVersions(source, {}, [&](bool inside) {
      forEachChunk(shapeOf(source.getType()), target_.lanes(), [&](Chunk &at) {
        at.inside = inside;
        Chunk to = at;
        to.index[axis] = add(at.index[axis], i64(offset));
        storeBuffer(result, chunk(source, at), to);
      });
    });
    offset += shapeOf(source.getType())[axis];
  }
  buffers_[op.getResult()] = result;
}

void KernelLowering::lowerJoin(JoinOp op) {
  Buffer result = allocate(shapeOf(op.getType()), elementType(op.getType()));
  Value sides[] = {op.getLhs(), op.getRhs()};
  for (int64_t side : {0, 1}) {
    Value source = sides[side];
    if (!isTile(source.getType())) {
      Chunk to;
      to.index = {i64(side)};
      storeBuffer(result, scalar(source), to);
      continue;
    }
    withVersions(source, {}, [&](bool inside) {
      forEachChunk(shapeOf(source.getType()), target_.lanes(), [&](Chunk &at) {
        at.inside = inside;
        Chunk to = at;
        to.index.push_back(i64(side));
        storeBuffer(result, chunk(source, at), to);
      });
    });
  }
  buffers_[op.getResult()] = result;
}

void KernelLowering::lowerGather(GatherOp op) {
  Buffer result = allocate(shapeOf(op.getType()), elementType(op.getType()));
  const ViewValue view = views_[op.getView()];
  Value fill = op.getFill() ? scalar(op.getFill()) : Value();
  SmallVector<Value> tiles(op.getIndices());
  if (op.getMask()) tiles.push_back(op.getMask());
  withVersions(tiles, {}, [&](bool inside) {
    forEachChunk(result.shape, target_.lanes(), [&](Chunk &at) {
      at.inside = inside;
      SmallVector<Value> indices;
      for (Value index : op.getIndices()) indices.push_back(chunk(index, at));
      Value mask = op.getMask() ? chunk(op.getMask(), at) : Value();
      storeBuffer(result, gatherFrom(view, indices, mask, fill, at.lanes), at);
    });
  });
  buffers_[op.getResult()] = result;
}

void KernelLowering::lowerGatherAlong(GatherAlongOp op) {
  ViewValue source = asView(bufferOf(op.getSource()));
  Buffer result = allocate(shapeOf(op.getType()), elementType(op.getType()));
  int64_t axis = op.getAxis();
  Type indexElement = elementType(op.getIndices().getType());
  withVersions(op.getIndices(), {}, [&](bool inside) {
    forEachChunk(result.shape, target_.lanes(), [&](Chunk &at) {
      at.inside = inside;
      Value picked = lowering::emitCast(b_, b_.getLoc(), chunk(op.getIndices(), at), indexElement, b_.getI64Type(), false, false, target_.numeric);
      SmallVector<Value> indices = at.index;
      if (at.axis != axis) indices[at.axis] = laneIndex(at.index[at.axis], at.lanes, true);
      indices[axis] = picked;
      storeBuffer(result, gatherFrom(source, indices, {}, {}, at.lanes), at);
    });
  });
  buffers_[op.getResult()] = result;
}

}  // namespace sectile::cpu
