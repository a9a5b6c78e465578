// May a write reach the memory that a load reads? Decided by kernel parameter and the disjointness facts of the launch.

#include "targets/cpu/lower/Lowering.h"

using namespace mlir;
using namespace sectile::tile;

namespace sectile::cpu {

int64_t KernelLowering::parameterOf(Value view) {
  while (Operation *op = view.getDefiningOp()) view = op->getOperand(0);
  return cast<BlockArgument>(view).getArgNumber();
}

/// True when `op`, or anything inside it, may write memory that parameter `parameter` shows.
bool KernelLowering::mayWriteTo(Operation *op, int64_t parameter) {
  auto aliases = [&](Value view) {
    int64_t other = parameterOf(view);
    if (other == parameter) return true;
    return !kernel_.getArgAttr(parameter, kDisjoint) && !kernel_.getArgAttr(other, kDisjoint);
  };
  WalkResult result = op->walk([&](Operation *inner) {
    bool writes = false;
    if (auto store = dyn_cast<StoreOp>(inner)) writes = aliases(store.getView());
    if (auto scatter = dyn_cast<ScatterOp>(inner)) writes = aliases(scatter.getView());
    if (auto atomic = dyn_cast<AtomicRmwOp>(inner)) writes = atomic.getOrder() != "relaxed" || aliases(atomic.getView());
    if (auto atomic = dyn_cast<AtomicCasOp>(inner)) writes = atomic.getOrder() != "relaxed" || aliases(atomic.getView());
    if (isa<FenceOp>(inner)) writes = true;
    return writes ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

}  // namespace sectile::cpu
