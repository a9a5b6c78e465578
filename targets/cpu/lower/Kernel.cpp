// One kernel: reading the launch slots, the loop over programs, and the dispatch of operations to the files that lower them.

#include "targets/cpu/lower/Lowering.h"
#include "targets/cpu/lower/LowerToCpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sectile::tile;

namespace sectile::cpu {

KernelLowering::KernelLowering(KernelOp kernel, const CpuTarget &target, OpBuilder &builder)
    : kernel_(kernel), target_(target), b_(kernel.getLoc(), builder) {}

Value KernelLowering::i64(int64_t value) { return arith::ConstantOp::create(b_, b_.getI64IntegerAttr(value)); }

SmallVector<Value> KernelLowering::scalarsOf(ValueRange values) {
  return llvm::to_vector(llvm::map_range(values, [&](Value value) { return scalar(value); }));
}

Value KernelLowering::zeroOf(Type type) {
  if (isa<FloatType>(getElementTypeOrSelf(type))) return lowering::floatConstant(b_, b_.getLoc(), type, 0);
  return lowering::intConstant(b_, b_.getLoc(), type, 0);
}

Value KernelLowering::gep(Value pointer, Type element, Value index) {
  Type type = pointer.getType();
  if (auto vector = dyn_cast<VectorType>(index.getType())) type = VectorType::get(vector.getShape(), pointer.getType());
  return LLVM::GEPOp::create(b_, type, element, pointer, ValueRange{index});
}

LogicalResult KernelLowering::run() {
  MLIRContext *context = kernel_.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context), i64Type = b_.getI64Type();
  auto function = func::FuncOp::create(b_, kernel_.getName(), FunctionType::get(context, {pointer, i64Type, i64Type, pointer, pointer}, {}));
  Block *entry = function.addEntryBlock();
  b_.setInsertionPointToStart(entry);
  emitPrologue(function);
  auto loop = scf::ForOp::create(b_, entry->getArgument(1), entry->getArgument(2), i64(1));
  func::ReturnOp::create(b_);
  b_.setInsertionPointToStart(loop.getBody());
  emitProgram(loop.getInductionVar());
  if (failed(lowerBlock(kernel_.getBody().front()))) return failure();
  function->setAttr(kArenaBytes, b_.getI64IntegerAttr(arenaBytes_));
  function->setAttr(kSites, b_.getArrayAttr(sites_));
  return success();
}

/// Reads every slot once and fills the tables with the kernel's parameters.
void KernelLowering::emitPrologue(func::FuncOp function) {
  Block &entry = function.getBody().front();
  slots_ = entry.getArgument(0), arena_ = entry.getArgument(3), host_ = entry.getArgument(4);
  Type pointer = slots_.getType(), i64Type = b_.getI64Type();
  SmallVector<int64_t> slots = parameterSlots(kernel_);
  auto read = [&](int64_t slot, Type type) -> Value { return LLVM::LoadOp::create(b_, type, gep(slots_, i64Type, i64(slot)), 8); };
  for (auto [i, argument] : llvm::enumerate(kernel_.getBody().front().getArguments())) {
    auto type = dyn_cast<ViewType>(argument.getType());
    if (!type) {
      Type storage = lowering::storageType(argument.getType());
      Value raw = read(slots[i], storage);
      scalars_[argument] = lowering::decode(b_, b_.getLoc(), raw, argument.getType(), target_.numeric);
      continue;
    }
    ViewValue view;
    view.pointer = read(slots[i], pointer);
    view.element = type.getElementType();
    view.parameter = i;
    if (auto unit = kernel_.getArgAttrOfType<IntegerAttr>(i, kUnitAxis)) view.unitAxis = unit.getInt();
    for (int64_t axis = 0; axis < type.getRank(); ++axis) view.sizes.push_back(read(slots[i] + 1 + axis, i64Type));
    for (int64_t axis = 0; axis < type.getRank(); ++axis)
      view.strides.push_back(axis == view.unitAxis ? i64(1) : read(slots[i] + 1 + type.getRank() + axis, i64Type));
    views_[argument] = view;
  }
}

Value KernelLowering::countOf(int64_t axis) {
  int64_t slot = parameterSlots(kernel_).back() + axis;
  return LLVM::LoadOp::create(b_, b_.getI64Type(), gep(slots_, b_.getI64Type(), i64(slot)), 8);
}

/// Coordinates of the program with linear id `linear`, last axis fastest.
void KernelLowering::emitProgram(Value linear) {
  int64_t rank = kernel_.getGrid().getRank();
  programIds_.assign(rank, Value());
  Value rest = linear;
  for (int64_t axis = rank - 1; axis > 0; --axis) {
    Value count = countOf(axis);
    programIds_[axis] = arith::RemUIOp::create(b_, rest, count);
    rest = arith::DivUIOp::create(b_, rest, count);
  }
  programIds_[0] = rest;
}

LogicalResult KernelLowering::lowerBlock(Block &block) {
  Block *outer = std::exchange(block_, &block);
  findLastNeeds(block);
  llvm::scope_exit leave([&] { block_ = outer; });
  // Memory that the end of the block needs stays taken until the operation around it is done.
  SmallVector<ArenaSlot> kept = std::exchange(taken_, {});
  DenseMap<Operation *, SmallVector<ArenaSlot>> releases;
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::IsTerminator>()) break;
    b_.setLoc(op.getLoc());
    memo_.clear();
    if (failed(lowerOp(&op))) return failure();
    if (!taken_.empty()) {
      Operation *last = lastNeed(&op);
      llvm::append_range(last->hasTrait<OpTrait::IsTerminator>() ? kept : releases[last], taken_);
      taken_.clear();
    }
    if (auto found = releases.find(&op); found != releases.end()) release(found->second);
  }
  taken_ = std::move(kept);
  memo_.clear();
  return success();
}

LogicalResult KernelLowering::lowerOp(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) return lowerFor(loop);
  if (auto condition = dyn_cast<scf::IfOp>(op)) return lowerIf(condition);
  if (auto loop = dyn_cast<scf::WhileOp>(op)) return lowerWhile(loop);
  if (op->getNumResults() > 0 && isa<ViewType>(op->getResult(0).getType())) return lowerViewOp(op);
  bool touchesTile = llvm::any_of(op->getOperandTypes(), isTile) || llvm::any_of(op->getResultTypes(), isTile);
  if (!touchesTile) return lowerScalarOp(op);
  return lowerTileOp(op);
}

LogicalResult KernelLowering::lowerScalarOp(Operation *op) {
  auto define = [&](Value value) {
    scalars_[op->getResult(0)] = value;
    return success();
  };
  Chunk one;
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case<GridOp>([&](GridOp grid) {
        for (auto [i, step] : llvm::enumerate(grid.getSteps())) scalars_[grid.getResult(i)] = mul(programIds_[i], scalar(step));
        return success();
      })
      .Case<ProgramIdOp>([&](auto id) { return define(programIds_[id.getAxis()]); })
      .Case<NumProgramsOp>([&](auto count) { return define(countOf(count.getAxis())); })
      .Case<ViewSizeOp>([&](auto size) { return define(views_[size.getView()].sizes[size.getAxis()]); })
      .Case<ViewStrideOp>([&](auto stride) { return define(views_[stride.getView()].strides[stride.getAxis()]); })
      .Case<LoadOp>([&](LoadOp load) {
        Value fill = load.getFill() ? scalar(load.getFill()) : Value();
        return define(gatherFrom(views_[load.getView()], scalarsOf(load.getOffsets()), {}, fill, 1));
      })
      .Case<GatherOp>([&](GatherOp gather) {
        Value fill = gather.getFill() ? scalar(gather.getFill()) : Value(), mask = gather.getMask() ? scalar(gather.getMask()) : Value();
        return define(gatherFrom(views_[gather.getView()], scalarsOf(gather.getIndices()), mask, fill, 1));
      })
      .Case<StoreOp>([&](StoreOp store) {
        scatterTo(views_[store.getView()], scalarsOf(store.getOffsets()), {}, scalar(store.getValue()), 1);
        return success();
      })
      .Case<ScatterOp>([&](ScatterOp scatter) {
        Value mask = scatter.getMask() ? scalar(scatter.getMask()) : Value();
        scatterTo(views_[scatter.getView()], scalarsOf(scatter.getIndices()), mask, scalar(scatter.getValue()), 1);
        return success();
      })
      .Case<AtomicRmwOp>([&](auto atomic) { return lowerAtomicRmw(atomic); })
      .Case<AtomicCasOp>([&](auto atomic) { return lowerAtomicCas(atomic); })
      .Case<FenceOp>([&](FenceOp fence) {
        auto order = fence.getOrder();
        auto ordering = order == "acquire"   ? LLVM::AtomicOrdering::acquire
                        : order == "release" ? LLVM::AtomicOrdering::release
                        : order == "acq_rel" ? LLVM::AtomicOrdering::acq_rel
                                             : LLVM::AtomicOrdering::seq_cst;
        if (order != "relaxed") LLVM::FenceOp::create(b_, ordering, StringRef());
        return success();
      })
      .Case<AssumeOp>([&](auto) { return success(); })
      .Case<PrintOp>([&](auto print) { return lowerPrint(print), success(); })
      .Case<AssertOp>([&](auto assertion) { return lowerAssert(assertion), success(); })
      .Default([&](Operation *) -> LogicalResult {
        if (op->getNumResults() != 1 || op->getNumRegions() != 0) return op->emitOpError("is not supported by the cpu target");
        Value value = elementwise(op, scalarsOf(op->getOperands()), 1);
        if (!value) return op->emitOpError("is not supported by the cpu target");
        return define(value);
      });
}

LogicalResult KernelLowering::lowerTileOp(Operation *op) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case<StoreOp>([&](auto store) { return lowerStore(store), success(); })
      .Case<ScatterOp>([&](auto scatter) { return lowerScatter(scatter), success(); })
      .Case<AtomicRmwOp>([&](auto atomic) { return lowerAtomicRmw(atomic); })
      .Case<AtomicCasOp>([&](auto atomic) { return lowerAtomicCas(atomic); })
      .Case<ReduceOp>([&](auto reduce) { return lowerReduce(reduce), success(); })
      .Case<ScanOp>([&](auto scan) { return lowerScan(scan), success(); })
      .Case<SortOp>([&](SortOp sort) {
        lowerSort(sort, sort.getSource(), sort.getValues(), sort.getIndices(), sort.getAxis(), sort.getDescending(), sort.getIsUnsigned());
        return success();
      })
      .Case<TopKOp>([&](TopKOp top) {
        lowerSort(top, top.getSource(), top.getValues(), top.getIndices(), top.getAxis(), top.getLargest(), top.getIsUnsigned());
        return success();
      })
      .Case<HistogramOp>([&](auto histogram) { return lowerHistogram(histogram), success(); })
      .Case<DotOp>([&](auto dot) { return lowerDot(dot), success(); })
      .Case<CatOp>([&](auto cat) { return lowerCat(cat), success(); })
      .Case<JoinOp>([&](auto join) { return lowerJoin(join), success(); })
      .Case<GatherOp>([&](auto gather) { return lowerGather(gather), success(); })
      .Case<GatherAlongOp>([&](auto gather) { return lowerGatherAlong(gather), success(); })
      .Case<PrintOp>([&](auto print) { return lowerPrint(print), success(); })
      .Case<AssertOp>([&](auto assertion) { return lowerAssert(assertion), success(); })
      .Default([&](Operation *) -> LogicalResult {
        for (Value result : op->getResults()) {
          if (isTile(result.getType())) continue;
          // A scalar taken out of a tile: one element at the indices 0 (reshape, split) or at the operation's own offsets (extract).
          Chunk at;
          scalars_[result] = computeChunk(result, at);
          if (!scalars_[result]) return op->emitOpError("is not supported by the cpu target");
        }
        if (auto reshape = dyn_cast<ReshapeOp>(op); reshape && isTile(reshape.getType()) && isTile(reshape.getSource().getType()) && !isUnitReshape(reshape)) {
          Buffer buffer = bufferOf(reshape.getSource());
          if (auto found = buffers_.find(reshape.getSource()); found != buffers_.end()) found->second.shared = true;
          buffer.shape.assign(shapeOf(reshape.getType()).begin(), shapeOf(reshape.getType()).end());
          buffer.shared = true;
          buffers_[reshape.getResult()] = buffer;
          return success();
        }
        for (Value result : op->getResults())
          if (isTile(result.getType()) && needsBuffer(op)) materialise(result);
        return success();
      });
}

/// Views are tables of SSA values; nothing is emitted but the arithmetic of shapes.
LogicalResult KernelLowering::lowerViewOp(Operation *op) {
  ViewValue view = views_[op->getOperand(0)];
  Value zero = i64(0);
  auto positive = [&](Value condition, Value size) -> Value { return arith::SelectOp::create(b_, condition, size, zero); };
  if (auto slice = dyn_cast<ViewSliceOp>(op)) {
    int64_t axis = slice.getAxis();
    Value index = scalar(slice.getIndex());
    Value inside = compare(arith::CmpIPredicate::ult, index, view.sizes[axis]);
    view.pointer = gep(view.pointer, lowering::storageType(view.element), mul(index, view.strides[axis]));
    view.sizes.erase(view.sizes.begin() + axis);
    view.strides.erase(view.strides.begin() + axis);
    view.unitAxis = view.unitAxis == axis ? -1 : view.unitAxis > axis ? view.unitAxis - 1 : view.unitAxis;
    for (Value &size : view.sizes) size = positive(inside, size);
  } else if (auto transpose = dyn_cast<ViewTransposeOp>(op)) {
    ViewValue source = view;
    view.unitAxis = -1;
    for (auto [i, axis] : llvm::enumerate(transpose.getPermutation())) {
      view.sizes[i] = source.sizes[axis], view.strides[i] = source.strides[axis];
      if (axis == source.unitAxis) view.unitAxis = i;
    }
  } else if (auto sub_ = dyn_cast<SubviewOp>(op)) {
    Value offset = zero;
    for (auto [i, size] : llvm::enumerate(view.sizes)) {
      Value start = scalar(sub_.getOffsets()[i]), wanted = scalar(sub_.getSizes()[i]), step = scalar(sub_.getSteps()[i]);
      bool unitStep = matchPattern(sub_.getSteps()[i], m_One());
      // ceil((size - start) / step), 0 when the start or the step is out of range
      Value one = i64(1), safe = arith::MaxSIOp::create(b_, step, one);
      Value available = arith::DivSIOp::create(b_, sub(add(sub(size, start), safe), one), safe);
      Value ok = logicalAnd(compare(arith::CmpIPredicate::sge, start, zero), compare(arith::CmpIPredicate::sge, step, one));
      ok = logicalAnd(ok, compare(arith::CmpIPredicate::slt, start, size));
      size = positive(ok, arith::MaxSIOp::create(b_, zero, arith::MinSIOp::create(b_, wanted, available)));
      offset = add(offset, mul(start, view.strides[i]));
      if (!unitStep) {
        view.strides[i] = mul(view.strides[i], step);
        if (view.unitAxis == static_cast<int64_t>(i)) view.unitAxis = -1;
      }
    }
    view.pointer = gep(view.pointer, lowering::storageType(view.element), offset);
  } else if (auto broadcast = dyn_cast<ViewBroadcastOp>(op)) {
    ViewValue source = view;
    view.sizes.clear(), view.strides.clear();
    view.unitAxis = -1;
    for (auto [i, axis] : llvm::enumerate(broadcast.getDimensions())) {
      Value wanted = scalar(broadcast.getSizes()[i]);
      if (axis < 0) {
        view.sizes.push_back(arith::MaxSIOp::create(b_, wanted, zero)), view.strides.push_back(zero);
        continue;
      }
      Value single = compare(arith::CmpIPredicate::eq, source.sizes[axis], i64(1));
      view.sizes.push_back(arith::SelectOp::create(b_, single, arith::MaxSIOp::create(b_, wanted, zero), source.sizes[axis]));
      view.strides.push_back(arith::SelectOp::create(b_, single, zero, source.strides[axis]));
    }
  } else if (auto reshape = dyn_cast<ViewReshapeOp>(op)) {
    Value packed = i64(1), ok = compare(arith::CmpIPredicate::eq, zero, zero), count = packed;
    for (int64_t axis = static_cast<int64_t>(view.sizes.size()) - 1; axis >= 0; --axis) {
      Value single = compare(arith::CmpIPredicate::sle, view.sizes[axis], i64(1));
      ok = logicalAnd(ok, arith::OrIOp::create(b_, single, compare(arith::CmpIPredicate::eq, view.strides[axis], packed)));
      packed = mul(packed, view.sizes[axis]);
    }
    SmallVector<Value> sizes = scalarsOf(reshape.getSizes()), strides(sizes.size());
    for (int64_t axis = static_cast<int64_t>(sizes.size()) - 1; axis >= 0; --axis) {
      ok = logicalAnd(ok, compare(arith::CmpIPredicate::sge, sizes[axis], zero));
      strides[axis] = count;
      // A product that does not fit cannot be the source's.
      auto product = arith::MulSIExtendedOp::create(b_, count, sizes[axis]);
      count = product.getLow();
      ok = logicalAnd(ok, compare(arith::CmpIPredicate::eq, product.getHigh(), zero));
      ok = logicalAnd(ok, compare(arith::CmpIPredicate::sge, count, zero));
    }
    ok = logicalAnd(ok, compare(arith::CmpIPredicate::eq, count, packed));
    for (Value &size : sizes) size = positive(ok, size);
    view.sizes = sizes, view.strides = strides;
    view.unitAxis = sizes.size() - 1;
  } else {
    return op->emitOpError("is not supported by the cpu target");
  }
  views_[op->getResult(0)] = view;
  return success();
}

}  // namespace sectile::cpu
