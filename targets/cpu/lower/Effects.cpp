// Scatters, atomics, prints and assertions: elements in a plain order, each exactly once.

#include "targets/cpu/lower/Lowering.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace sectile::tile;

namespace sectile::cpu {

void KernelLowering::lowerScatter(ScatterOp op) {
  const ViewValue view = views_[op.getView()];
  SmallVector<Value> tiles(op->getOperands().drop_front());
  withVersions(tiles, {}, [&](bool inside) {
    forEachChunk(shapeOf(op.getValue().getType()), target_.lanes(), [&](Chunk &at) {
      at.inside = inside;
      SmallVector<Value> indices;
      for (Value index : op.getIndices()) indices.push_back(chunk(index, at));
      scatterTo(view, indices, op.getMask() ? chunk(op.getMask(), at) : Value(), chunk(op.getValue(), at), at.lanes);
    });
  });
}

static LLVM::AtomicOrdering orderingOf(StringRef order) {
  if (order == "acquire") return LLVM::AtomicOrdering::acquire;
  if (order == "release") return LLVM::AtomicOrdering::release;
  if (order == "acq_rel") return LLVM::AtomicOrdering::acq_rel;
  return order == "seq_cst" ? LLVM::AtomicOrdering::seq_cst : LLVM::AtomicOrdering::monotonic;
}

static LLVM::AtomicOrdering failureOrdering(LLVM::AtomicOrdering order) {
  if (order == LLVM::AtomicOrdering::acq_rel) return LLVM::AtomicOrdering::acquire;
  return order == LLVM::AtomicOrdering::release ? LLVM::AtomicOrdering::monotonic : order;
}

/// Element by element: `update` for the active ones, 0 for the others; the old values become `result`.
void KernelLowering::lowerAtomic(Value viewValue, OperandRange indices, Value mask, Value result, ValueRange operands,
                                 function_ref<Value(Value, ValueRange)> update) {
  const ViewValue view = views_[viewValue];
  Type carrier = lowering::carrierType(view.element);
  auto one = [&](ArrayRef<Value> index, Value active, ValueRange values) {
    active = logicalAnd(insideMask(view, index, 1), active);
    Value pointer = address(view, index, 1);
    auto branch = scf::IfOp::create(b_, carrier, active, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b_, update(pointer, values));
    b_.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b_, zeroOf(carrier));
    return branch.getResult(0);
  };
  if (!isTile(result.getType())) {
    scalars_[result] = one(scalarsOf(indices), mask ? scalar(mask) : Value(), scalarsOf(operands));
    return;
  }
  Buffer old = allocate(shapeOf(result.getType()), view.element);
  SmallVector<Value> tiles(indices);
  llvm::append_range(tiles, operands);
  if (mask) tiles.push_back(mask);
  withVersions(tiles, {}, [&](bool inside) {
    forEachChunk(old.shape, 1, [&](Chunk &at) {
      at.inside = inside;
      auto read = [&](Value tile) { return chunk(tile, at); };
      SmallVector<Value> index = llvm::to_vector(llvm::map_range(indices, read)), values = llvm::to_vector(llvm::map_range(operands, read));
      storeBuffer(old, one(index, mask ? chunk(mask, at) : Value(), values), at);
    });
  });
  buffers_[result] = old;
}

/// old = *pointer; repeat until *pointer goes from old to update(old). Gives old.
Value KernelLowering::casLoop(Value pointer, Type element, LLVM::AtomicOrdering order, function_ref<Value(Value)> update) {
  Location loc = b_.getLoc();
  Type bits = b_.getIntegerType(lowering::storageType(element).getIntOrFloatBitWidth());
  auto toBits = [&](Value carried) {
    Value raw = lowering::encode(b_, loc, carried, element, target_.numeric);
    return raw.getType() == bits ? raw : Value(arith::BitcastOp::create(b_, bits, raw));
  };
  auto fromBits = [&](Value raw) {
    if (raw.getType() != lowering::storageType(element)) raw = arith::BitcastOp::create(b_, lowering::storageType(element), raw);
    return lowering::decode(b_, loc, raw, element, target_.numeric);
  };
  Value first = LLVM::LoadOp::create(b_, bits, pointer, bits.getIntOrFloatBitWidth() / 8, false, false, false, false, LLVM::AtomicOrdering::monotonic);
  auto loop = scf::WhileOp::create(b_, TypeRange{bits}, ValueRange{first});
  OpBuilder::InsertionGuard guard(b_);
  Block *before = b_.createBlock(&loop.getBefore(), {}, {bits}, {loc});
  Value expected = before->getArgument(0);
  Value exchange = LLVM::AtomicCmpXchgOp::create(b_, pointer, expected, toBits(update(fromBits(expected))), order, failureOrdering(order));
  Value seen = LLVM::ExtractValueOp::create(b_, exchange, ArrayRef<int64_t>{0});
  Value done = LLVM::ExtractValueOp::create(b_, exchange, ArrayRef<int64_t>{1});
  Value again = arith::XOrIOp::create(b_, done, lowering::intConstant(b_, loc, b_.getI1Type(), 1));
  scf::ConditionOp::create(b_, again, seen);
  Block *after = b_.createBlock(&loop.getAfter(), {}, {bits}, {loc});
  scf::YieldOp::create(b_, after->getArgument(0));
  b_.setInsertionPointAfter(loop);
  return fromBits(loop.getResult(0));
}

LogicalResult KernelLowering::lowerAtomicRmw(AtomicRmwOp op) {
  Type element = cast<ViewType>(op.getView().getType()).getElementType();
  LLVM::AtomicOrdering order = orderingOf(op.getOrder());
  StringRef kind = op.getKind();
  bool isInt = element.isIntOrIndex();
  auto update = [&](Value pointer, ValueRange operands) -> Value {
    Value value = operands.front();
    if (isInt) {
      LLVM::AtomicBinOp code = llvm::StringSwitch<LLVM::AtomicBinOp>(kind)
                                   .Case("add", LLVM::AtomicBinOp::add).Case("min", LLVM::AtomicBinOp::min).Case("max", LLVM::AtomicBinOp::max)
                                   .Case("umin", LLVM::AtomicBinOp::umin).Case("umax", LLVM::AtomicBinOp::umax).Case("and", LLVM::AtomicBinOp::_and)
                                   .Case("or", LLVM::AtomicBinOp::_or).Case("xor", LLVM::AtomicBinOp::_xor).Default(LLVM::AtomicBinOp::xchg);
      return LLVM::AtomicRMWOp::create(b_, code, pointer, value, order);
    }
    OpBuilder::InsertPoint here = b_.saveInsertionPoint();
    Value old = casLoop(pointer, element, order, [&](Value before) -> Value {
      if (kind == "exchange") return value;
      if (kind == "min") return arith::MinimumFOp::create(b_, before, value);
      if (kind == "max") return arith::MaximumFOp::create(b_, before, value);
      return lowering::roundToElement(b_, b_.getLoc(), arith::AddFOp::create(b_, before, value), element, target_.numeric);
    });
    (void)here;
    b_.setInsertionPointAfter(old.getDefiningOp());
    return old;
  };
  lowerAtomic(op.getView(), op.getIndices(), op.getMask(), op.getOld(), ValueRange{op.getValue()}, update);
  return success();
}

LogicalResult KernelLowering::lowerAtomicCas(AtomicCasOp op) {
  Type element = cast<ViewType>(op.getView().getType()).getElementType();
  LLVM::AtomicOrdering order = orderingOf(op.getOrder());
  Location loc = op.getLoc();
  auto update = [&](Value pointer, ValueRange operands) -> Value {
    Type bits = b_.getIntegerType(lowering::storageType(element).getIntOrFloatBitWidth());
    auto toBits = [&](Value carried) {
      Value raw = lowering::encode(b_, loc, carried, element, target_.numeric);
      return raw.getType() == bits ? raw : Value(arith::BitcastOp::create(b_, bits, raw));
    };
    Value pair = LLVM::AtomicCmpXchgOp::create(b_, pointer, toBits(operands[0]), toBits(operands[1]), order, failureOrdering(order));
    Value raw = LLVM::ExtractValueOp::create(b_, pair, ArrayRef<int64_t>{0});
    if (raw.getType() != lowering::storageType(element)) raw = arith::BitcastOp::create(b_, lowering::storageType(element), raw);
    return lowering::decode(b_, loc, raw, element, target_.numeric);
  };
  lowerAtomic(op.getView(), op.getIndices(), op.getMask(), op.getOld(), ValueRange{op.getExpected(), op.getDesired()}, update);
  return success();
}

/// Registers a place that talks to the host; its id is its position.
int64_t KernelLowering::addSite(Operation *op, StringRef kind, StringRef text, ValueRange values) {
  SmallVector<Attribute> types;
  for (Value value : values) types.push_back(TypeAttr::get(tileType(shapeOf(value.getType()), lowering::carrierType(elementType(value.getType())))));
  sites_.push_back(b_.getDictionaryAttr({b_.getNamedAttr("kind", b_.getStringAttr(kind)), b_.getNamedAttr("text", b_.getStringAttr(text)),
                                         b_.getNamedAttr("values", b_.getArrayAttr(types)),
                                         b_.getNamedAttr("location", b_.getStringAttr(locationText(op->getLoc())))}));
  return sites_.size() - 1;
}

/// Calls host->callback(self, site[, values], program) when it is not null. Callbacks are members of sectile_host.
void KernelLowering::callHost(int64_t callback, int64_t site, Value values) {
  Type pointer = host_.getType(), i64Type = b_.getI64Type();
  Value program = allocateBytes(4 * 8);
  for (int64_t axis = 0; axis < 4; ++axis) {
    Value id = axis < static_cast<int64_t>(programIds_.size()) ? programIds_[axis] : i64(0);
    LLVM::StoreOp::create(b_, id, gep(program, i64Type, i64(axis)), 8);
  }
  Value self = LLVM::LoadOp::create(b_, pointer, host_, 8);
  Value function = LLVM::LoadOp::create(b_, pointer, gep(host_, b_.getI8Type(), i64(8 * callback)), 8);
  Value null = LLVM::ZeroOp::create(b_, pointer);
  auto branch = scf::IfOp::create(b_, LLVM::ICmpOp::create(b_, LLVM::ICmpPredicate::ne, function, null), /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> arguments{self, i64(site)};
  if (values) arguments.push_back(values);
  arguments.push_back(program);
  SmallVector<Type> types(ValueRange(arguments).getTypes());
  arguments.insert(arguments.begin(), function);
  LLVM::CallOp::create(b_, LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b_.getContext()), types), arguments);
}

void KernelLowering::lowerPrint(PrintOp op) {
  int64_t site = addSite(op, "print", op.getText(), op.getValues());
  Value table = allocateBytes(std::max<int64_t>(1, op.getValues().size()) * 8);
  for (auto [i, value] : llvm::enumerate(op.getValues())) {
    Buffer buffer;
    if (isTile(value.getType())) {
      buffer = bufferOf(value);
    } else {
      buffer = allocate({1}, value.getType());
      storeBuffer(buffer, scalar(value), Chunk{{i64(0)}, 0, 1, true});
    }
    LLVM::StoreOp::create(b_, buffer.pointer, gep(table, b_.getI64Type(), i64(i)), 8);
  }
  callHost(1, site, table);
}

void KernelLowering::lowerAssert(AssertOp op) {
  int64_t site = addSite(op, "assert", op.getText(), {});
  Value condition;
  if (!isTile(op.getCondition().getType())) {
    condition = scalar(op.getCondition());
  } else {
    Buffer flag = allocate({1}, b_.getI1Type());
    Chunk only{{i64(0)}, 0, 1, true};
    storeBuffer(flag, lowering::intConstant(b_, op.getLoc(), b_.getI1Type(), 1), only);
    withVersions(op.getCondition(), {}, [&](bool inside) {
      forEachChunk(shapeOf(op.getCondition().getType()), target_.lanes(), [&](Chunk &at) {
        at.inside = inside;
        Value holds = chunk(op.getCondition(), at);
        if (at.lanes > 1) holds = vector::ReductionOp::create(b_, vector::CombiningKind::AND, holds);
        storeBuffer(flag, logicalAnd(loadBuffer(flag, only), holds), only);
      });
    });
    condition = loadBuffer(flag, only);
  }
  Value fails = arith::XOrIOp::create(b_, condition, lowering::intConstant(b_, op.getLoc(), b_.getI1Type(), 1));
  auto branch = scf::IfOp::create(b_, fails, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToStart(branch.thenBlock());
  callHost(2, site, {});
}

}  // namespace sectile::cpu
