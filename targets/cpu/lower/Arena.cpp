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

/// Fills lastNeed_ for the tiles of `block`: the last of its operations that may read a tile's memory, itself or through what passes it on. From the
/// end, so that what users pass on is known.
void KernelLowering::findLastNeeds(Block &block) {
  auto find = [&](Value value, Operation *last) {
    if (!isTile(value.getType())) return;
    auto extend = [&](Operation *op) {
      if (!last || last->isBeforeInBlock(op)) last = op;
    };
    for (Operation *user : value.getUsers()) {
      Operation *ancestor = block.findAncestorOpInBlock(*user);
      if (!ancestor) continue;
      extend(ancestor);
      if (ancestor != user || endsNeed(user, value)) continue;
      for (Value result : user->getResults())
        if (Operation *need = lastNeed_.lookup(result)) extend(need);
    }
    if (last) lastNeed_[value] = last;
  };
  for (Operation &op : llvm::reverse(block))
    for (Value result : op.getResults()) find(result, &op);
  for (Value argument : block.getArguments()) find(argument, nullptr);
}

/// The last operation of the block that may read memory taken while `op` was lowered.
Operation *KernelLowering::lastNeed(Operation *op) {
  Operation *last = op;
  auto extend = [&](Value value) {
    if (Operation *need = lastNeed_.lookup(value); need && last->isBeforeInBlock(need)) last = need;
  };
  for (Value result : op->getResults()) extend(result);
  // Operands may have been given their buffer only now.
  for (Value operand : op->getOperands())
    if (operand.getParentBlock() == op->getBlock()) extend(operand);
  return last;
}

}  // namespace sectile::cpu
