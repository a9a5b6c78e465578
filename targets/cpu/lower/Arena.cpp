// The arena: offsets are fixed while lowering, and memory is used again once the last operation that may read it has been lowered.
//
// Deferred tiles read buffers late, so the last need of a buffer is found through every operation that may pass it on. What a region's
// end still needs is kept until the operation around the region is done.

#include "targets/cpu/lower/Lowering.h"

using namespace mlir;
using namespace sectile::tile;

namespace sectile::cpu {

Value KernelLowering::allocateBytes(int64_t bytes) {
  int64_t size = std::max<int64_t>(64, llvm::alignTo(bytes, 64)), offset = -1;
  for (auto [i, slot] : llvm::enumerate(free_)) {
    if (slot.bytes < size) continue;
    offset = slot.offset;
    slot.offset += size, slot.bytes -= size;
    if (slot.bytes == 0) free_.erase(free_.begin() + i);
    break;
  }
  if (offset < 0) offset = std::exchange(arenaBytes_, arenaBytes_ + size);
  taken_.push_back({offset, size});
  // At the top of the function, so that every use is dominated whichever region asks first.
  OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToStart(cast<BlockArgument>(arena_).getOwner());
  return gep(arena_, b_.getI8Type(), i64(offset));
}

void KernelLowering::release(ArrayRef<ArenaSlot> slots) {
  llvm::append_range(free_, slots);
  llvm::sort(free_, [](const ArenaSlot &a, const ArenaSlot &b) { return a.offset < b.offset; });
  SmallVector<ArenaSlot> merged;
  for (const ArenaSlot &slot : free_) {
    if (!merged.empty() && merged.back().offset + merged.back().bytes == slot.offset) merged.back().bytes += slot.bytes;
    else merged.push_back(slot);
  }
  free_ = std::move(merged);
}

/// Results never refer to the operands' memory: they have buffers of their own.
static bool endsNeed(Operation *op, Value operand) {
  if (auto dot = dyn_cast<DotOp>(op)) return operand != dot.getAcc();
  return op->getNumRegions() > 0 || isa<SortOp, TopKOp, HistogramOp, GatherOp, GatherAlongOp, CatOp, JoinOp, AtomicRmwOp, AtomicCasOp>(op);
}

/// The last operation of the block that may read memory taken while `op` was lowered.
Operation *KernelLowering::lastNeed(Operation *op) {
  Block *block = op->getBlock();
  Operation *last = op;
  SmallVector<Value> pending(op->getResults());
  // Operands may have been given their buffer only now.
  for (Value operand : op->getOperands())
    if (operand.getParentBlock() == block) pending.push_back(operand);
  llvm::SmallDenseSet<Value> seen;
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    if (!isTile(value.getType()) || !seen.insert(value).second) continue;
    for (Operation *user : value.getUsers()) {
      Operation *ancestor = block->findAncestorOpInBlock(*user);
      if (!ancestor) continue;
      if (last->isBeforeInBlock(ancestor)) last = ancestor;
      if (ancestor == user && !endsNeed(user, value)) llvm::append_range(pending, user->getResults());
    }
  }
  return last;
}

}  // namespace sectile::cpu
