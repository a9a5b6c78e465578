// Sorting by rank, and histograms.
//
// The place of an element is the number of elements that come before it: smaller ones, and equal ones of lower index. Counting is
// vectorised; it takes n^2 comparisons, which beats a branchy sort for the lengths that fit a tile, and its code has a fixed size.

#include "targets/cpu/lower/Lowering.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace sectile::tile;

namespace sectile::cpu {

/// A signed integer that orders like the element: NaN above everything, both zeros equal.
Value KernelLowering::sortKey(Value carried, Type element, bool isUnsigned, int64_t lanes) {
  Location loc = b_.getLoc();
  if (element.isInteger(1)) return arith::ExtUIOp::create(b_, laneType(b_.getI32Type(), lanes), carried);
  if (element.isIntOrIndex()) {
    int64_t width = carried.getType().isIntOrFloat() ? carried.getType().getIntOrFloatBitWidth() : getElementTypeOrSelf(carried.getType()).getIntOrFloatBitWidth();
    Type type = laneType(width == 64 ? b_.getI64Type() : b_.getI32Type(), lanes);
    bool flip = isUnsigned && !element.isIndex();
    Value key = carried;
    if (width < 32) return flip ? Value(arith::ExtUIOp::create(b_, type, key)) : Value(arith::ExtSIOp::create(b_, type, key));
    if (flip) key = arith::XOrIOp::create(b_, key, lowering::intConstant(b_, loc, type, width == 64 ? INT64_MIN : int64_t{INT32_MIN}));
    return key;
  }
  Type floatType = carried.getType();
  bool wide = getElementTypeOrSelf(floatType).isF64();
  Type intType = laneType(wide ? b_.getI64Type() : b_.getI32Type(), lanes);
  Value zero = lowering::floatConstant(b_, loc, floatType, 0);
  Value isZero = arith::CmpFOp::create(b_, arith::CmpFPredicate::OEQ, carried, zero);
  Value bits = arith::BitcastOp::create(b_, intType, arith::SelectOp::create(b_, isZero, zero, carried));
  Value sign = arith::ShRSIOp::create(b_, bits, lowering::intConstant(b_, loc, intType, wide ? 63 : 31));
  Value most = lowering::intConstant(b_, loc, intType, wide ? INT64_MAX : int64_t{INT32_MAX});
  Value key = arith::XOrIOp::create(b_, bits, arith::AndIOp::create(b_, sign, most));
  Value isNan = arith::CmpFOp::create(b_, arith::CmpFPredicate::UNO, carried, carried);
  return arith::SelectOp::create(b_, isNan, most, key);
}

void KernelLowering::lowerSort(Operation *, Value source, Value values, Value indices, int64_t axis, bool descending, bool isUnsigned) {
  SmallVector<int64_t> shape(shapeOf(source.getType()));
  Type element = elementType(source.getType());
  int64_t size = shape[axis], kept = shapeOf(values.getType())[axis];
  Buffer from = bufferOf(source);
  Buffer sorted = allocate(shapeOf(values.getType()), element), places = allocate(shapeOf(values.getType()), b_.getI32Type());
  bool wide = lowering::carrierType(element).getIntOrFloatBitWidth() == 64;
  Buffer keys = allocate({size}, wide ? b_.getI64Type() : b_.getI32Type());
  auto before = descending ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt;

  // Number of elements that come before element `i` of the row whose keys are in `keys`.
  auto rank = [&](Value i, Value key) {
    Value total = i64(0);
    int64_t lanes = std::min(size, target_.lanes()), whole = size / lanes * lanes;
    auto count = [&](Value first, int64_t n) -> Value {
      Chunk at{{first}, 0, n, true};
      Value others = loadBuffer(keys, at), mine = splatLanes(key, n);
      Value ahead = compare(before, others, mine);
      Value tie = logicalAnd(compare(arith::CmpIPredicate::eq, others, mine),
                             compare(arith::CmpIPredicate::slt, laneIndex(first, n, true), splatLanes(i, n)));
      return arith::ExtUIOp::create(b_, laneType(b_.getI64Type(), n), arith::OrIOp::create(b_, ahead, tie));
    };
    auto sum = [&](Value counts, int64_t n) -> Value {
      return n == 1 ? counts : Value(vector::ReductionOp::create(b_, vector::CombiningKind::ADD, counts));
    };
    auto loop = scf::ForOp::create(b_, i64(0), i64(whole), i64(lanes), ValueRange{zeroOf(laneType(b_.getI64Type(), lanes))});
    {
      OpBuilder::InsertionGuard guard(b_);
      b_.setInsertionPointToStart(loop.getBody());
      scf::YieldOp::create(b_, add(loop.getRegionIterArg(0), count(loop.getInductionVar(), lanes)));
    }
    total = add(total, sum(loop.getResult(0), lanes));
    if (whole < size) total = add(total, sum(count(i64(whole), size - whole), size - whole));
    return total;
  };

  forEachChunk(shape, 1, [&](Chunk &at) {
    forRange(i64(0), i64(size), i64(1), [&](Value i) {
      at.index[axis] = i;
      storeBuffer(keys, sortKey(loadBuffer(from, at), element, isUnsigned, 1), Chunk{{i}, 0, 1, true});
    });
    forRange(i64(0), i64(size), i64(1), [&](Value i) {
      at.index[axis] = i;
      Value place = rank(i, loadBuffer(keys, Chunk{{i}, 0, 1, true}));
      auto write = scf::IfOp::create(b_, compare(arith::CmpIPredicate::slt, place, i64(kept)), /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(b_);
      b_.setInsertionPointToStart(write.thenBlock());
      Chunk to = at;
      to.index[axis] = place;
      storeBuffer(sorted, loadBuffer(from, at), to);
      storeBuffer(places, arith::TruncIOp::create(b_, b_.getI32Type(), i), to);
    });
  }, axis);
  buffers_[values] = sorted;
  buffers_[indices] = places;
}

void KernelLowering::lowerHistogram(HistogramOp op) {
  Buffer counts = allocate(shapeOf(op.getType()), b_.getI32Type());
  int64_t bins = counts.shape[0];
  forEachChunk(counts.shape, target_.lanes(), [&](Chunk &at) { storeBuffer(counts, zeroOf(laneType(b_.getI32Type(), at.lanes)), at); });
  SmallVector<Value> tiles{op.getSource()};
  if (op.getMask()) tiles.push_back(op.getMask());
  Type element = elementType(op.getSource().getType());
  withVersions(tiles, {}, [&](bool inside) {
    forEachChunk(shapeOf(op.getSource().getType()), 1, [&](Chunk &at) {
      at.inside = inside;
      Value value = lowering::emitCast(b_, b_.getLoc(), chunk(op.getSource(), at), element, b_.getI64Type(), false, false, target_.numeric);
      Value counted = compare(arith::CmpIPredicate::ult, value, i64(bins));
      if (op.getMask()) counted = logicalAnd(counted, chunk(op.getMask(), at));
      auto branch = scf::IfOp::create(b_, counted, /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(b_);
      b_.setInsertionPointToStart(branch.thenBlock());
      Chunk bin{{value}, 0, 1, true};
      storeBuffer(counts, add(loadBuffer(counts, bin), lowering::intConstant(b_, b_.getLoc(), b_.getI32Type(), 1)), bin);
    });
  });
  buffers_[op.getResult()] = counts;
}

}  // namespace sectile::cpu
