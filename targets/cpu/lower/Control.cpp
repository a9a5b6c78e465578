// Loops and conditions. Scalars stay SSA values; every carried tile lives in one buffer, which the end of each iteration updates. A new value
// goes straight into it when nothing still needs the old one, otherwise through a temporary.

#include "targets/cpu/lower/Lowering.h"

using namespace mlir;
using namespace sectile::tile;

namespace sectile::cpu {

void KernelLowering::copy(const Buffer &from, const Buffer &to) {
  if (from.pointer == to.pointer) return;
  forEachChunk(to.shape, target_.lanes(), [&](Chunk &at) {
    at.inside = true;
    storeBuffer(to, loadBuffer(from, at), at);
  });
}

Buffer KernelLowering::carry(Value init) {
  Buffer buffer = allocate(shapeOf(init.getType()), elementType(init.getType()));
  evaluateInto(init, buffer);
  return buffer;
}

/// Does evaluating `tile` read the memory of `argument`? `pointwise` becomes false when at other indices than its own.
bool KernelLowering::readsArgument(Value tile, Value argument, bool &pointwise) {
  if (!isTile(tile.getType())) return false;
  if (auto found = buffers_.find(tile); found != buffers_.end()) return found->second.pointer == buffers_[argument].pointer;
  Operation *op = tile.getDefiningOp();
  if (!op) return false;
  bool reads = false;
  for (Value operand : op->getOperands()) reads = readsArgument(operand, argument, pointwise) || reads;
  if (reads && isa<BroadcastOp, TransposeOp, FlipOp, ReshapeOp, ExtractOp, SplitOp>(op)) pointwise = false;
  return reads;
}

/// targets[i] = values[i], as if all at once. `arguments` name the old contents.
void KernelLowering::assignAll(ValueRange values, ArrayRef<Buffer> targets, ValueRange arguments) {
  size_t count = values.size();
  SmallVector<std::optional<Buffer>> temporaries(count);
  SmallVector<bool> done(count, false);
  for (size_t i = 0; i < count; ++i) {
    auto found = buffers_.find(values[i]);
    done[i] = found != buffers_.end() && found->second.pointer == targets[i].pointer;
  }
  for (size_t i = 0; i < count; ++i) {
    if (done[i]) continue;
    bool pointwise = true, oldNeeded = false;
    readsArgument(values[i], arguments[i], pointwise);
    for (size_t j = 0; j < count; ++j) {
      bool ignored = true;
      oldNeeded = oldNeeded || (j != i && !done[j] && readsArgument(values[j], arguments[i], ignored));
    }
    if (pointwise && !oldNeeded) continue;
    temporaries[i] = allocate(targets[i].shape, targets[i].element);
    evaluateInto(values[i], *temporaries[i]);
  }
  for (size_t i = 0; i < count; ++i)
    if (!done[i] && !temporaries[i]) evaluateInto(values[i], targets[i]);
  for (size_t i = 0; i < count; ++i)
    if (temporaries[i]) copy(*temporaries[i], targets[i]);
}

/// The buffer of `tile` may be overwritten by `user`: nothing else names it.
bool KernelLowering::ownsBuffer(Value tile, Operation *user) {
  auto found = buffers_.find(tile);
  return found != buffers_.end() && !found->second.shared && tile.hasOneUse() && tile.getDefiningOp() && tile.getParentBlock() == user->getBlock();
}

/// The carried buffer that the product updates in place: its accumulator is the carried value, or an element-wise function of it, used for
/// nothing else, and its result is what the loop carries on.
std::optional<Buffer> KernelLowering::destinationFor(DotOp op) {
  if (!op->hasOneUse()) return std::nullopt;
  OpOperand &use = *op->getUses().begin();
  auto yield = dyn_cast<scf::YieldOp>(use.getOwner());
  if (!yield || yield->getBlock() != op->getBlock()) return std::nullopt;
  auto loop = dyn_cast<scf::ForOp>(yield->getParentOp());
  if (!loop) return std::nullopt;
  Value argument = loop.getRegionIterArg(use.getOperandNumber());
  if (!argument.hasOneUse()) return std::nullopt;
  bool pointwise = true;
  if (!readsArgument(op.getAcc(), argument, pointwise) || !pointwise) return std::nullopt;
  for (Value tile = op.getAcc(); tile != argument;) {
    if (!tile.hasOneUse() || (tile != op.getAcc() && buffers_.contains(tile)) || (tile == op.getAcc() && buffers_.contains(tile))) return std::nullopt;
    Operation *producer = tile.getDefiningOp();
    auto next = llvm::find_if(producer->getOperands(), [&](Value operand) {
      bool ignored = true;
      return readsArgument(operand, argument, ignored);
    });
    tile = *next;
  }
  return buffers_[argument];
}

/// Binds the arguments of a region (scalars and tiles in their own orders) and lowers its block.
LogicalResult KernelLowering::lowerRegion(Region &region, ValueRange scalarArguments, ArrayRef<Buffer> tileArguments) {
  size_t nextScalar = 0, nextTile = 0;
  for (Value argument : region.getArguments()) {
    if (isTile(argument.getType())) buffers_[argument] = tileArguments[nextTile++];
    else scalars_[argument] = scalarArguments[nextScalar++];
  }
  return lowerBlock(region.front());
}

static SmallVector<Value> tilesOf(ValueRange values) {
  return llvm::to_vector(llvm::make_filter_range(values, [](Value value) { return isTile(value.getType()); }));
}
static SmallVector<Value> scalarValues(ValueRange values) {
  return llvm::to_vector(llvm::make_filter_range(values, [](Value value) { return !isTile(value.getType()); }));
}

LogicalResult KernelLowering::lowerFor(scf::ForOp op) {
  SmallVector<Buffer> carried;
  for (Value init : tilesOf(op.getInitArgs())) carried.push_back(carry(init));
  // Steps are positive by contract; a smaller one would never end.
  Value step = arith::MaxSIOp::create(b_, scalar(op.getStep()), i64(1));
  auto loop = scf::ForOp::create(b_, scalar(op.getLowerBound()), scalar(op.getUpperBound()), step, scalarsOf(scalarValues(op.getInitArgs())));
  {
    OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(loop.getBody());
    if (loop.getInitArgs().empty()) loop.getBody()->getTerminator()->erase(), b_.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> scalarArguments{loop.getInductionVar()};
    llvm::append_range(scalarArguments, loop.getRegionIterArgs());
    if (failed(lowerRegion(op.getRegion(), scalarArguments, carried))) return failure();
    Operation *yield = op.getBody()->getTerminator();
    assignAll(tilesOf(yield->getOperands()), carried, tilesOf(op.getRegionIterArgs()));
    scf::YieldOp::create(b_, scalarsOf(scalarValues(yield->getOperands())));
  }
  for (auto [result, buffer] : llvm::zip_equal(tilesOf(op.getResults()), carried)) buffers_[result] = buffer;
  for (auto [result, value] : llvm::zip_equal(scalarValues(op.getResults()), loop.getResults())) scalars_[result] = value;
  return success();
}

LogicalResult KernelLowering::lowerIf(scf::IfOp op) {
  SmallVector<Buffer> results;
  for (Value result : tilesOf(op.getResults())) results.push_back(allocate(shapeOf(result.getType()), elementType(result.getType())));
  SmallVector<Type> types;
  for (Value result : scalarValues(op.getResults())) types.push_back(lowering::carrierType(result.getType()));
  bool hasElse = !op.getElseRegion().empty();
  auto branch = scf::IfOp::create(b_, types, scalar(op.getCondition()), /*addThenBlock=*/true, /*addElseBlock=*/hasElse);
  for (auto [from, to] : {std::pair{&op.getThenRegion(), &branch.getThenRegion()}, std::pair{&op.getElseRegion(), &branch.getElseRegion()}}) {
    if (from->empty()) continue;
    OpBuilder::InsertionGuard guard(b_);
    Block &block = to->front();
    if (!block.empty()) block.getTerminator()->erase();
    b_.setInsertionPointToStart(&block);
    if (failed(lowerRegion(*from, {}, {}))) return failure();
    Operation *yield = from->front().getTerminator();
    for (auto [value, buffer] : llvm::zip_equal(tilesOf(yield->getOperands()), results)) evaluateInto(value, buffer);
    scf::YieldOp::create(b_, scalarsOf(scalarValues(yield->getOperands())));
  }
  for (auto [result, buffer] : llvm::zip_equal(tilesOf(op.getResults()), results)) buffers_[result] = buffer;
  for (auto [result, value] : llvm::zip_equal(scalarValues(op.getResults()), branch.getResults())) scalars_[result] = value;
  return success();
}

LogicalResult KernelLowering::lowerWhile(scf::WhileOp op) {
  SmallVector<Buffer> before, after;
  for (Value init : tilesOf(op.getInits())) before.push_back(carry(init));
  scf::ConditionOp condition = op.getConditionOp();
  SmallVector<Type> types;
  for (Value result : scalarValues(op.getResults())) types.push_back(lowering::carrierType(result.getType()));
  SmallVector<Value> inits = scalarsOf(scalarValues(op.getInits()));
  auto loop = scf::WhileOp::create(b_, types, inits);
  OpBuilder::InsertionGuard guard(b_);

  Block *beforeBlock = b_.createBlock(&loop.getBefore());
  for (Value init : inits) beforeBlock->addArgument(init.getType(), op.getLoc());
  if (failed(lowerRegion(op.getBefore(), beforeBlock->getArguments(), before))) return failure();
  for (Value value : tilesOf(condition.getArgs())) {
    // The loop usually hands its own carried value on: then both names mean one buffer, as long as no other name does.
    auto found = buffers_.find(value);
    bool own = isa<BlockArgument>(value) && value.getParentRegion() == &op.getBefore() && llvm::count(condition.getArgs(), value) == 1;
    if (own) after.push_back(found->second);
    else after.push_back(allocate(shapeOf(value.getType()), elementType(value.getType()))), evaluateInto(value, after.back());
  }
  scf::ConditionOp::create(b_, scalar(condition.getCondition()), scalarsOf(scalarValues(condition.getArgs())));

  Block *afterBlock = b_.createBlock(&loop.getAfter());
  for (Type type : types) afterBlock->addArgument(type, op.getLoc());
  if (failed(lowerRegion(op.getAfter(), afterBlock->getArguments(), after))) return failure();
  Operation *yield = op.getAfter().front().getTerminator();
  assignAll(tilesOf(yield->getOperands()), before, tilesOf(op.getBefore().getArguments()));
  scf::YieldOp::create(b_, scalarsOf(scalarValues(yield->getOperands())));

  for (auto [result, buffer] : llvm::zip_equal(tilesOf(op.getResults()), after)) buffers_[result] = buffer;
  for (auto [result, value] : llvm::zip_equal(scalarValues(op.getResults()), loop.getResults())) scalars_[result] = value;
  return success();
}

}  // namespace sectile::cpu
