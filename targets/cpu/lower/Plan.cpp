// Which tiles get a buffer: those read at run-time positions, loads that a later write may change, values carried into loops, and values
// that are dear and needed more than once. Everything else is evaluated where it is used.

#include "targets/cpu/lower/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace sectile::tile;

namespace sectile::cpu {

/// Costs nothing to evaluate again: made of splats and indices only.
bool KernelLowering::isCheap(Value tile, int depth) {
  if (buffers_.contains(tile) || !isTile(tile.getType())) return true;
  Operation *op = tile.getDefiningOp();
  if (!op || depth > 3) return false;
  if (isa<SplatOp, IotaOp, arith::ConstantOp>(op)) return true;
  if (isa<BroadcastOp>(op)) return isCheap(op->getOperand(0), depth);
  if (isa<arith::AddIOp, arith::CmpIOp, arith::SubIOp>(op))
    return llvm::all_of(op->getOperands(), [&](Value operand) { return isCheap(operand, depth + 1); });
  return false;
}

/// Rough instructions per element of evaluating a deferred tile.
int64_t KernelLowering::cost(Value tile) {
  if (buffers_.contains(tile) || !isTile(tile.getType())) return 0;
  Operation *op = tile.getDefiningOp();
  if (!op) return 0;
  int64_t total = 1;
  if (isa<math::MathDialect>(op->getDialect()) && !isa<math::AbsFOp, math::FmaOp, math::SqrtOp>(op)) total = 20;
  if (isa<arith::DivFOp, arith::RemFOp, DivOp, RemOp>(op)) total = 8;
  if (isa<CastOp>(op) && (isa<Float16Type, BFloat16Type>(elementType(tile.getType())) || isFloat8(elementType(tile.getType())))) total = 6;
  for (Value operand : op->getOperands())
    if (total < 100) total += cost(operand);
  return total;
}

/// A load may wait for its uses when nothing in between can write what it reads.
bool KernelLowering::isDeferrableLoad(LoadOp load) {
  int64_t parameter = parameterOf(load.getView());
  Block *block = load->getBlock();
  // Every operation of this block that needs the load, directly or through deferred tiles.
  llvm::SmallPtrSet<Operation *, 16> needing;
  SmallVector<Operation *> pending{load};
  llvm::SmallPtrSet<Operation *, 16> visited;
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val();
    for (Operation *user : op->getUsers()) {
      Operation *ancestor = block->findAncestorOpInBlock(*user);
      if (!ancestor) return false;
      needing.insert(ancestor);
      if (visited.insert(ancestor).second && ancestor->getNumResults() > 0) pending.push_back(ancestor);
    }
  }
  bool written = false;
  for (Operation &op : llvm::make_range(std::next(Block::iterator(load)), block->end())) {
    bool writes = mayWriteTo(&op, parameter);
    written = written || writes;
    if (written && needing.contains(&op)) return false;
  }
  return true;
}

bool KernelLowering::needsBuffer(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op); load && !isDeferrableLoad(load)) return true;
  for (Value result : op->getResults()) {
    if (!isTile(result.getType())) continue;
    int64_t uses = 0;
    for (OpOperand &use : result.getUses()) {
      Operation *user = use.getOwner();
      ++uses;
      if (isa<SplitOp, ExtractOp>(user)) return true;
      if (isa<GatherAlongOp>(user) && use.getOperandNumber() == 0) return true;
      if (user->getBlock() != op->getBlock() && !isCheap(result)) return true;
    }
    if (uses > 1 && cost(result) >= 8) return true;
  }
  return false;
}

}  // namespace sectile::cpu
