// Programs, blocks, loops and conditions; the dispatch of operations to the files that know them.

#include "compiler/evaluator/Machine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

namespace sectile::evaluator {

bool Machine::fail(Operation *op, const Twine &message) {
  if (error.empty()) {
    std::string where = tile::locationText(op->getLoc());
    error = (where.empty() ? op->getName().getStringRef().str() : where) + ": " + message.str();
  }
  return false;
}

bool Machine::spend(uint64_t amount, Operation *op) {
  spent += amount;
  return spent <= options.limit || fail(op, "the evaluation takes too many operations");
}

Index Machine::numbersOf(ValueRange values) const {
  Index numbers;
  for (Value value : values) numbers.push_back(numberOf(value));
  return numbers;
}

std::vector<Tile> Machine::valuesOf(ValueRange values) const {
  std::vector<Tile> result;
  for (Value value : values) result.push_back(tileOf(value));
  return result;
}

void Machine::assign(ValueRange targets, std::vector<Tile> values) {
  for (auto [target, value] : llvm::zip_equal(targets, values)) tiles[target] = std::move(value);
}

void Machine::bind(ArrayRef<Argument> arguments) {
  tiles.clear(), views.clear();
  for (auto [parameter, argument] : llvm::zip_equal(kernel.getBody().getArguments(), arguments)) {
    if (auto type = dyn_cast<tile::ViewType>(parameter.getType())) {
      View view;
      view.memory = static_cast<char *>(argument.memory), view.element = type.getElementType();
      view.shape.assign(argument.shape.begin(), argument.shape.end()), view.strides.assign(argument.strides.begin(), argument.strides.end());
      views[parameter] = view;
      continue;
    }
    Tile scalar(parameter.getType());
    scalar.elements[0] = masked(argument.bits, parameter.getType());
    tiles[parameter] = std::move(scalar);
  }
}

/// Runs up to the terminator.
bool Machine::runBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (!execute(&op)) return false;
    if (discovering && isa<tile::GridOp>(op)) return true;
  }
  return true;
}

bool Machine::elementwise(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumOperands() == 0) return false;
  Tile result(op->getResult(0).getType());
  std::vector<Bits> in(op->getNumOperands());
  for (size_t i = 0; i < result.elements.size(); ++i) {
    for (auto [k, operand] : llvm::enumerate(op->getOperands())) {
      const Tile &tile = tileOf(operand);
      in[k] = tile.elements[tile.elements.size() == 1 ? 0 : i];  // the condition of a select may be a scalar
    }
    std::optional<Bits> bits = scalarOperation(op, in);
    if (!bits) return false;
    result.elements[i] = *bits;
  }
  tiles[op->getResult(0)] = std::move(result);
  return true;
}

bool Machine::execute(Operation *op) {
  uint64_t cost = 1;
  for (Type type : op->getResultTypes())
    if (!isa<tile::ViewType>(type)) cost += tile::elementCount(type);
  if (!spend(cost, op)) return false;
  if (auto grid = dyn_cast<tile::GridOp>(op)) return this->grid(grid);
  if (auto loop = dyn_cast<scf::ForOp>(op)) return forLoop(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op)) return ifElse(branch);
  if (auto loop = dyn_cast<scf::WhileOp>(op)) return whileLoop(loop);
  auto setNumber = [&](int64_t number) {
    Tile scalar(op->getResult(0).getType());
    scalar.elements[0] = static_cast<Bits>(number);
    tiles[op->getResult(0)] = std::move(scalar);
    return true;
  };
  if (auto id = dyn_cast<tile::ProgramIdOp>(op)) return setNumber(program.empty() ? 0 : program[id.getAxis()]);
  if (auto number = dyn_cast<tile::NumProgramsOp>(op)) return setNumber(counts.empty() ? 0 : counts[number.getAxis()]);
  if (auto size = dyn_cast<tile::ViewSizeOp>(op)) return setNumber(viewOf(size.getView()).shape[size.getAxis()]);
  if (auto stride = dyn_cast<tile::ViewStrideOp>(op)) return setNumber(viewOf(stride.getView()).strides[stride.getAxis()]);
  if (auto split = dyn_cast<tile::SplitOp>(op)) {
    const Tile source = tileOf(split.getSource());
    Tile first(split.getFirst().getType()), second(split.getSecond().getType());
    for (size_t i = 0; i < first.elements.size(); ++i) first.elements[i] = source.elements[2 * i], second.elements[i] = source.elements[2 * i + 1];
    tiles[split.getFirst()] = std::move(first), tiles[split.getSecond()] = std::move(second);
    return true;
  }
  if (viewOperation(op)) return true;
  if (std::optional<Tile> result = shapeOperation(op)) {
    tiles[op->getResult(0)] = std::move(*result);
    return true;
  }
  bool known = false, good = memoryOperation(op, known);
  if (known) return good;
  good = reductionOperation(op, known);
  if (known) return good;
  return elementwise(op) || fail(op, "is not an operation of kernels");
}

bool Machine::grid(tile::GridOp op) {
  counts.clear();
  for (auto [extent, step] : llvm::zip_equal(numbersOf(op.getExtents()), numbersOf(op.getSteps()))) {
    if (step <= 0) return fail(op, "the step of a grid axis must be positive");
    counts.push_back(extent <= 0 ? 0 : (extent - 1) / step + 1);
  }
  if (discovering) return true;
  for (auto [offset, step, id] : llvm::zip_equal(op.getOffsets(), op.getSteps(), program)) {
    Tile scalar(offset.getType());
    scalar.elements[0] = static_cast<Bits>(id * numberOf(step));
    tiles[offset] = std::move(scalar);
  }
  return true;
}

bool Machine::forLoop(scf::ForOp op) {
  int64_t low = numberOf(op.getLowerBound()), high = numberOf(op.getUpperBound()), step = numberOf(op.getStep());
  if (step <= 0) return fail(op, "the step of a loop must be positive");
  std::vector<Tile> carried = valuesOf(op.getInitArgs());
  for (__int128 i = low; i < high; i += step) {
    Tile index(op.getInductionVar().getType());
    index.elements[0] = static_cast<Bits>(static_cast<int64_t>(i));
    tiles[op.getInductionVar()] = std::move(index);
    assign(op.getRegionIterArgs(), std::move(carried));
    if (!spend(1, op) || !runBlock(*op.getBody())) return false;
    carried = valuesOf(op.getBody()->getTerminator()->getOperands());
  }
  assign(op.getResults(), std::move(carried));
  return true;
}

bool Machine::ifElse(scf::IfOp op) {
  Region &region = tileOf(op.getCondition()).elements[0] ? op.getThenRegion() : op.getElseRegion();
  if (region.empty()) return true;
  if (!runBlock(region.front())) return false;
  assign(op.getResults(), valuesOf(region.front().getTerminator()->getOperands()));
  return true;
}

bool Machine::whileLoop(scf::WhileOp op) {
  std::vector<Tile> carried = valuesOf(op.getInits());
  while (true) {
    assign(op.getBeforeArguments(), std::move(carried));
    if (!spend(1, op) || !runBlock(*op.getBeforeBody())) return false;
    scf::ConditionOp condition = op.getConditionOp();
    std::vector<Tile> forwarded = valuesOf(condition.getArgs());
    if (!tileOf(condition.getCondition()).elements[0]) {
      assign(op.getResults(), std::move(forwarded));
      return true;
    }
    assign(op.getAfterArguments(), std::move(forwarded));
    if (!runBlock(*op.getAfterBody())) return false;
    carried = valuesOf(op.getAfterBody()->getTerminator()->getOperands());
  }
}

llvm::Error Machine::run(ArrayRef<Argument> arguments) {
  auto result = [&] { return error.empty() ? llvm::Error::success() : llvm::createStringError(error); };
  Block &body = kernel.getBody().front();
  if (arguments.size() != body.getNumArguments()) return llvm::createStringError("the kernel has " + Twine(body.getNumArguments()) + " parameters");
  bind(arguments);
  discovering = true;
  bool good = runBlock(body);
  discovering = false;
  if (!good) return result();
  for (int64_t count : counts)
    if (count == 0) return result();
  const std::vector<int64_t> extents = counts;
  program.assign(extents.size(), 0);
  while (true) {
    bind(arguments);
    if (!runBlock(body)) return result();
    size_t axis = extents.size();
    while (axis > 0 && ++program[axis - 1] == extents[axis - 1]) program[--axis] = 0;
    if (axis == 0) return result();
  }
}

llvm::Error evaluate(tile::KernelOp kernel, ArrayRef<Argument> arguments, const Options &options) { return Machine(kernel, options).run(arguments); }

}  // namespace sectile::evaluator
