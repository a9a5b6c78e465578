// Reductions and scans. Combine regions are applied to vectors of carriers; no neutral element is needed.

#include "targets/cpu/lower/Lowering.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace sectile::tile;

namespace sectile::cpu {

/// Combines the lanes of vectors down to scalars by halves; an odd last lane joins at the end of its round.
SmallVector<Value> KernelLowering::reduceLanes(Region &body, SmallVector<Value> values, int64_t lanes) {
  auto extract = [&](ArrayRef<Value> from, int64_t lane) {
    return llvm::to_vector(llvm::map_range(from, [&](Value value) -> Value { return vector::ExtractOp::create(b_, value, lane); }));
  };
  SmallVector<Value> leftover;
  while (lanes > 1) {
    if (lanes % 2) {
      SmallVector<Value> last = extract(values, lanes - 1);
      leftover = leftover.empty() ? last : combine(body, leftover, last, 1);
    }
    int64_t half = lanes / 2;
    if (half == 1) {
      values = combine(body, extract(values, 0), extract(values, 1), 1);
      lanes = 1;
      break;
    }
    auto low = llvm::to_vector(llvm::seq<int64_t>(0, half)), high = llvm::to_vector(llvm::seq<int64_t>(half, 2 * half));
    SmallVector<Value> lows, highs;
    for (Value value : values) {
      lows.push_back(vector::ShuffleOp::create(b_, value, value, low));
      highs.push_back(vector::ShuffleOp::create(b_, value, value, high));
    }
    values = combine(body, lows, highs, half);
    lanes = half;
  }
  return leftover.empty() ? values : combine(body, values, leftover, 1);
}

void KernelLowering::lowerReduce(ReduceOp op) {
  int64_t axis = op.getAxis();
  SmallVector<int64_t> shape(shapeOf(op.getSources().front().getType()));
  SmallVector<int64_t> resultShape = shape;
  resultShape[axis] = 1;
  SmallVector<Buffer> results;
  for (Value source : op.getSources()) results.push_back(allocate(resultShape, elementType(source.getType())));
  Region &body = op.getBody();
  int64_t size = shape[axis];

  auto read = [&](const Chunk &at) {
    return llvm::to_vector(llvm::map_range(op.getSources(), [&](Value source) { return chunk(source, at); }));
  };
  // Combines chunks first, first + step, ... < last along the axis into `start`.
  auto accumulate = [&](Chunk at, SmallVector<Value> start, int64_t first, int64_t last, int64_t step) {
    if (first >= last) return start;
    auto loop = scf::ForOp::create(b_, i64(first), i64(last), i64(step), start);
    OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(loop.getBody());
    auto saved = memo_;
    at.index[axis] = loop.getInductionVar();
    scf::YieldOp::create(b_, combine(body, loop.getRegionIterArgs(), read(at), at.lanes));
    memo_ = saved;
    return SmallVector<Value>(loop.getResults());
  };
  auto alongLanes = [&](Chunk at) {
    int64_t native = target_.lanes();
    at.axis = axis;
    at.lanes = size >= 4 * native ? 4 * native : std::min(size, native);
    int64_t whole = size / at.lanes * at.lanes;
    at.index[axis] = i64(0);
    SmallVector<Value> total = reduceLanes(body, accumulate(at, read(at), at.lanes, whole, at.lanes), at.lanes);
    // What is left is shorter than a chunk: whole native vectors first, then the last few lanes.
    for (int64_t lanes = native; whole < size; lanes = size - whole) {
      if (size - whole < lanes) continue;
      at.lanes = lanes;
      at.index[axis] = i64(whole);
      int64_t end = whole + (size - whole) / lanes * lanes;
      total = combine(body, total, reduceLanes(body, accumulate(at, read(at), whole + lanes, end, lanes), lanes), 1);
      whole = end;
    }
    return total;
  };

  withVersions(op.getSources(), {}, [&](bool inside) {
    bool lanesAreAxis = vectorAxis(shape) == axis && (size > 1);
    forEachChunk(resultShape, lanesAreAxis ? 1 : target_.lanes(), [&](Chunk &at) {
      at.inside = inside;
      SmallVector<Value> total;
      if (lanesAreAxis) {
        total = alongLanes(at);
      } else {
        Chunk first = at;
        first.index[axis] = i64(0);
        total = accumulate(first, read(first), 1, size, 1);
      }
      for (auto [buffer, value] : llvm::zip_equal(results, total)) storeBuffer(buffer, value, at);
    });
  });
  for (auto [result, buffer] : llvm::zip_equal(op.getResults(), results)) buffers_[result] = buffer;
}

void KernelLowering::lowerScan(ScanOp op) {
  int64_t axis = op.getAxis();
  SmallVector<int64_t> shape(shapeOf(op.getSources().front().getType()));
  SmallVector<Buffer> results;
  for (Value source : op.getSources()) results.push_back(allocate(shape, elementType(source.getType())));
  int64_t size = shape[axis];
  Region &body = op.getBody();
  auto position = [&](Value step) -> Value { return op.getReverse() ? sub(i64(size - 1), step) : step; };

  withVersions(op.getSources(), {}, [&](bool inside) {
    forEachChunk(shape, target_.lanes(), [&](Chunk &at) {
      at.inside = inside;
      auto visit = [&](Value step, SmallVector<Value> before) {
        at.index[axis] = position(step);
        SmallVector<Value> values = llvm::to_vector(llvm::map_range(op.getSources(), [&](Value source) { return chunk(source, at); }));
        if (!before.empty()) values = combine(body, before, values, at.lanes);
        for (auto [buffer, value] : llvm::zip_equal(results, values)) storeBuffer(buffer, value, at);
        return values;
      };
      SmallVector<Value> first = visit(i64(0), {});
      if (size == 1) return;
      auto loop = scf::ForOp::create(b_, i64(1), i64(size), i64(1), first);
      OpBuilder::InsertionGuard guard(b_);
      b_.setInsertionPointToStart(loop.getBody());
      memo_.clear();
      scf::YieldOp::create(b_, visit(loop.getInductionVar(), SmallVector<Value>(loop.getRegionIterArgs())));
    }, axis);
  });
  for (auto [result, buffer] : llvm::zip_equal(op.getResults(), results)) buffers_[result] = buffer;
}

}  // namespace sectile::cpu
