// Matrix products: register-blocked loops over packed operands. Each block keeps rows x vectors accumulators in registers through the loop
// over k; edges are blocks of their own static size, so there are at most four of them and no scalar tail.

#include "targets/cpu/lower/Lowering.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace sectile::tile;

namespace sectile::cpu {

/// Operand in the arithmetic's own type: f8 as f32, i8 as i32; other elements are carried in it already.
Buffer KernelLowering::dotOperand(Value tile) {
  Type element = elementType(tile.getType());
  if (!isFloat8(element) && !element.isInteger(8)) return bufferOf(tile);
  auto dot = cast<DotOp>(*llvm::find_if(tile.getUsers(), [](Operation *user) { return isa<DotOp>(user); }));
  bool isUnsigned = tile == dot.getA() ? dot.getAUnsigned() : dot.getBUnsigned();
  Type wide = element.isInteger(8) ? Type(b_.getI32Type()) : Type(b_.getF32Type());
  Buffer buffer = allocate(shapeOf(tile.getType()), wide);
  withVersions(tile, {}, [&](bool inside) {
    forEachChunk(buffer.shape, target_.lanes(), [&](Chunk &at) {
      at.inside = inside;
      storeBuffer(buffer, lowering::emitCast(b_, b_.getLoc(), chunk(tile, at), element, wide, isUnsigned, false, target_.numeric), at);
    });
  });
  return buffer;
}

void KernelLowering::emitDotBlock(const DotBuffers &dot, Value batch, Value row, Value column, int64_t rows, int64_t vectors, int64_t lanes) {
  auto at = [&](Value i, Value j, int64_t count) {
    Chunk chunk{{}, dot.batched ? 2 : 1, count, true};
    if (dot.batched) chunk.index.push_back(batch);
    chunk.index.push_back(i), chunk.index.push_back(j);
    return chunk;
  };
  SmallVector<Value> rowIndex, columnIndex, start;
  for (int64_t i = 0; i < rows; ++i) rowIndex.push_back(add(row, i64(i)));
  for (int64_t j = 0; j < vectors; ++j) columnIndex.push_back(add(column, i64(j * lanes)));
  for (Value i : rowIndex)
    for (Value j : columnIndex) start.push_back(loadBuffer(dot.acc, at(i, j, lanes)));

  auto loop = scf::ForOp::create(b_, i64(0), i64(dot.k), i64(1), start);
  {
    OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(loop.getBody());
    Value k = loop.getInductionVar();
    SmallVector<Value> right, next;
    for (Value j : columnIndex) right.push_back(loadBuffer(dot.b, at(k, j, lanes)));
    for (auto [i, index] : llvm::enumerate(rowIndex)) {
      Value left = splatLanes(loadBuffer(dot.a, at(index, k, 1)), lanes);
      for (int64_t j = 0; j < vectors; ++j) {
        Value acc = loop.getRegionIterArg(i * vectors + j);
        if (!isa<FloatType>(getElementTypeOrSelf(acc.getType()))) next.push_back(add(acc, mul(left, right[j])));
        else if (target_.fma) next.push_back(math::FmaOp::create(b_, left, right[j], acc));
        else next.push_back(arith::AddFOp::create(b_, acc, arith::MulFOp::create(b_, left, right[j])));
      }
    }
    scf::YieldOp::create(b_, next);
  }
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < vectors; ++j) storeBuffer(dot.acc, loop.getResult(i * vectors + j), at(rowIndex[i], columnIndex[j], lanes));
}

/// Rows of a register block: a divisor of m when a good one exists.
static int64_t blockRows(int64_t m, int64_t most) {
  for (int64_t rows = std::min(m, most); rows >= std::max<int64_t>(1, most / 2); --rows)
    if (m % rows == 0) return rows;
  return std::min(m, most);
}

void KernelLowering::lowerDot(DotOp op) {
  DotBuffers dot;
  dot.a = dotOperand(op.getA()), dot.b = dotOperand(op.getB());
  dot.k = op.getK();
  dot.batched = shapeOf(op.getType()).size() == 3;
  if (std::optional<Buffer> destination = destinationFor(op)) {
    if (!buffers_.contains(op.getAcc())) evaluateInto(op.getAcc(), *destination);
    dot.acc = *destination;
  } else if (ownsBuffer(op.getAcc(), op)) {
    dot.acc = buffers_[op.getAcc()];
  } else {
    dot.acc = allocate(shapeOf(op.getType()), elementType(op.getType()));
    evaluateInto(op.getAcc(), dot.acc);
  }

  int64_t m = op.getM(), n = op.getN();
  int64_t native = target_.vectorBytes * 8 / elementType(op.getType()).getIntOrFloatBitWidth();
  int64_t vectors = n >= 2 * native ? 2 : 1, lanes = std::min(n, native);
  int64_t rows = blockRows(m, (target_.vectorRegisters - 4) / vectors > 14 ? 14 : (target_.vectorRegisters - 4) / vectors);
  auto overRows = [&](Value batch, Value column, int64_t blockVectors, int64_t blockLanes) {
    int64_t whole = m / rows * rows;
    forRange(i64(0), i64(whole), i64(rows), [&](Value row) { emitDotBlock(dot, batch, row, column, rows, blockVectors, blockLanes); });
    if (whole < m) emitDotBlock(dot, batch, i64(whole), column, m - whole, blockVectors, blockLanes);
  };
  auto overColumns = [&](Value batch) {
    int64_t step = vectors * lanes, whole = n / step * step;
    forRange(i64(0), i64(whole), i64(step), [&](Value column) { overRows(batch, column, vectors, lanes); });
    if (n - whole >= lanes && vectors == 2) overRows(batch, i64(whole), 1, lanes), whole += lanes;
    if (whole < n) overRows(batch, i64(whole), 1, n - whole);
  };
  if (dot.batched) forRange(i64(0), i64(op.getBatch()), i64(1), overColumns);
  else overColumns({});
  buffers_[op.getResult()] = dot.acc;
}

}  // namespace sectile::cpu
