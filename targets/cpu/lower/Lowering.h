// State and helpers of the CPU lowering of one kernel. Internal to targets/cpu/lower.
//
// A tile value is either *deferred* (an expression evaluated chunk by chunk where it is needed) or *materialised* in an arena buffer. Plan.cpp
// decides which; Chunk.cpp evaluates deferred ones; the other files emit loops ("roots") that ask for chunks. Scalars are emitted in place.
// Index values are i64. All elements are carriers (see compiler/lowering/Numerics.h), in arena buffers too; only i1 takes a byte there.
#pragma once

#include "compiler/ir/Dialect.h"
#include "compiler/ir/ExtractRecipe.h"
#include "targets/cpu/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <map>

namespace sectile::cpu {

using namespace mlir;

/// Scratch memory of one tile: row-major, contiguous.
struct Buffer {
  Value pointer;
  SmallVector<int64_t> shape;
  Type element;         // tile element type
  bool shared = false;  // several tile values name this memory
};

/// Memory with a shape and strides in elements: a view, or a buffer looked at as one.
struct ViewValue {
  Value pointer;
  SmallVector<Value> sizes, strides;  // i64
  Type element;
  int64_t unitAxis = -1;
  int64_t parameter = -1;  // of the kernel, for aliasing
  bool carriers = false;   // elements are stored as carriers (arena) instead of their storage type
};

/// `lanes` consecutive elements along `axis`, starting at `index`. lanes == 1 gives scalars instead of vectors.
struct Chunk {
  SmallVector<Value> index;  // i64, one per axis
  int64_t axis = 0;
  int64_t lanes = 1;
  bool inside = false;  // every access of the expression was found to lie inside its view
};

class KernelLowering {
 public:
  KernelLowering(tile::KernelOp kernel, const CpuTarget &target, OpBuilder &moduleBuilder);
  LogicalResult run();

 private:
  // ---- Kernel.cpp: prologue, program loop, dispatch ----
  void emitPrologue(func::FuncOp function);
  Value countOf(int64_t axis);
  void emitProgram(Value linear);
  LogicalResult lowerBlock(Block &block);
  LogicalResult lowerOp(Operation *op);
  LogicalResult lowerScalarOp(Operation *op);
  LogicalResult lowerViewOp(Operation *op);
  LogicalResult lowerTileOp(Operation *op);

  // ---- Plan.cpp ----
  bool isCheap(Value tile, int depth = 0);
  int64_t cost(Value tile);
  bool needsBuffer(Operation *op);
  bool isDeferrableLoad(tile::LoadOp load);
  // ---- Alias.cpp ----
  int64_t parameterOf(Value view);
  bool mayWriteTo(Operation *op, int64_t parameter);

  // ---- Chunk.cpp, Elementwise.cpp ----
  Value chunk(Value tile, const Chunk &at);
  Value computeChunk(Value tile, const Chunk &at);
  Value elementwise(Operation *op, ValueRange operands, int64_t lanes);
  Value bitcast(Value carried, Type from, Type to);
  Value splatLanes(Value scalar, int64_t lanes);
  Value laneIndex(Value first, int64_t lanes, bool along);
  bool isUnitReshape(tile::ReshapeOp op);
  SmallVector<Value> combine(Region &body, ValueRange lhs, ValueRange rhs, int64_t lanes);

  // ---- Access.cpp ----
  Value loadView(const ViewValue &view, ArrayRef<Value> offsets, Value fill, const Chunk &at);
  void storeView(const ViewValue &view, ArrayRef<Value> offsets, Value value, const Chunk &at);
  Value gatherFrom(const ViewValue &view, ArrayRef<Value> indices, Value mask, Value fill, int64_t lanes);
  void scatterTo(const ViewValue &view, ArrayRef<Value> indices, Value mask, Value value, int64_t lanes);
  Value insideMask(const ViewValue &view, ArrayRef<Value> indices, int64_t lanes);
  Value address(const ViewValue &view, ArrayRef<Value> indices, int64_t lanes);
  ViewValue asView(const Buffer &buffer);
  Value loadBuffer(const Buffer &buffer, const Chunk &at);
  void storeBuffer(const Buffer &buffer, Value value, const Chunk &at);
  Type memoryType(const ViewValue &view);
  Value toCarrier(Value raw, const ViewValue &view);
  Value toMemory(Value carried, const ViewValue &view);

  // ---- Arena.cpp ----
  struct ArenaSlot {
    int64_t offset, bytes;
  };
  Value allocateBytes(int64_t bytes);
  void release(ArrayRef<ArenaSlot> slots);
  void findLastNeeds(Block &block);
  Operation *lastNeed(Operation *op);

  // ---- Roots.cpp ----
  Buffer allocate(ArrayRef<int64_t> shape, Type element);
  int64_t vectorAxis(ArrayRef<int64_t> shape);
  /// Loops over `shape` in chunks; `skip` (or -1) is left at index 0 for the body to loop over.
  void forEachChunk(ArrayRef<int64_t> shape, int64_t maxLanes, function_ref<void(Chunk &)> body, int64_t skip = -1);
  void forRange(Value low, Value high, Value step, function_ref<void(Value)> body);
  /// Emits `body` once or in two versions: all accesses under `tiles` (and the extra ones) inside their views, or not.
  void withVersions(ValueRange tiles, Value extraInside, function_ref<void(bool inside)> body);
  void collectAccesses(Value tile, SmallVectorImpl<Value> &conditions, llvm::DenseSet<Value> &seen);
  Value allInside(const ViewValue &view, ArrayRef<Value> offsets, ArrayRef<int64_t> shape);
  void evaluateInto(Value tile, const Buffer &buffer);
  Buffer materialise(Value tile);
  Buffer bufferOf(Value tile);
  void lowerStore(tile::StoreOp op);
  void lowerCat(tile::CatOp op);
  void lowerJoin(tile::JoinOp op);
  void lowerGather(tile::GatherOp op);
  void lowerGatherAlong(tile::GatherAlongOp op);

  // ---- Reduce.cpp, Order.cpp, Dot.cpp ----
  void lowerReduce(tile::ReduceOp op);
  SmallVector<Value> reduceLanes(Region &body, SmallVector<Value> values, int64_t lanes);
  void lowerScan(tile::ScanOp op);
  void lowerSort(Operation *op, Value source, Value values, Value indices, int64_t axis, bool descending, bool isUnsigned);
  Value sortKey(Value carried, Type element, bool isUnsigned, int64_t lanes);
  void lowerHistogram(tile::HistogramOp op);
  void lowerDot(tile::DotOp op);
  Buffer dotOperand(Value tile);
  struct DotBuffers {
    Buffer a, b, acc;
    int64_t k;
    bool batched;
  };
  void emitDotBlock(const DotBuffers &dot, Value batch, Value row, Value column, int64_t rows, int64_t vectors, int64_t lanes);

  // ---- Control.cpp ----
  LogicalResult lowerFor(scf::ForOp op);
  LogicalResult lowerIf(scf::IfOp op);
  LogicalResult lowerWhile(scf::WhileOp op);
  Buffer carry(Value init);
  void copy(const Buffer &from, const Buffer &to);
  LogicalResult lowerRegion(Region &region, ValueRange scalarArguments, ArrayRef<Buffer> tileArguments);
  void assignAll(ValueRange values, ArrayRef<Buffer> targets, ValueRange arguments);
  bool readsArgument(Value tile, Value argument, bool &pointwise);
  std::optional<Buffer> destinationFor(tile::DotOp op);
  bool ownsBuffer(Value tile, Operation *user);

  // ---- Effects.cpp ----
  void lowerScatter(tile::ScatterOp op);
  void lowerAtomic(Value view, OperandRange indices, Value mask, Value result, ValueRange operands,
                   function_ref<Value(Value pointer, ValueRange operands)> update);
  LogicalResult lowerAtomicRmw(tile::AtomicRmwOp op);
  LogicalResult lowerAtomicCas(tile::AtomicCasOp op);
  void lowerPrint(tile::PrintOp op);
  void lowerAssert(tile::AssertOp op);
  void callHost(int64_t callback, int64_t site, Value values);
  Value casLoop(Value pointer, Type element, LLVM::AtomicOrdering order, function_ref<Value(Value old)> update);
  int64_t addSite(Operation *op, StringRef kind, StringRef text, ValueRange values);

  // ---- small builders ----
  Value i64(int64_t value);
  Value add(Value a, Value b) { return arith::AddIOp::create(b_, a, b); }
  Value sub(Value a, Value b) { return arith::SubIOp::create(b_, a, b); }
  Value mul(Value a, Value b) { return arith::MulIOp::create(b_, a, b); }
  Value logicalAnd(Value a, Value b) { return !a ? b : !b ? a : Value(arith::AndIOp::create(b_, a, b)); }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) { return arith::CmpIOp::create(b_, predicate, a, b); }
  Value scalar(Value value) { return scalars_.lookup(value); }
  SmallVector<Value> scalarsOf(ValueRange values);
  Type laneType(Type element, int64_t lanes) { return lanes == 1 ? element : Type(VectorType::get(lanes, element)); }
  Value zeroOf(Type type);
  Value gep(Value pointer, Type element, Value index);

  tile::KernelOp kernel_;
  const CpuTarget &target_;
  ImplicitLocOpBuilder b_;
  Value slots_, arena_, host_;
  SmallVector<Value> programIds_;
  DenseMap<Value, Value> scalars_;
  DenseMap<Value, ViewValue> views_;
  DenseMap<Value, Buffer> buffers_;
  SmallVector<std::pair<Value, std::pair<Chunk, Value>>> memo_;
  int64_t arenaBytes_ = 0;
  DenseMap<Value, Operation *> lastNeed_;
  SmallVector<ArenaSlot> free_;   // sorted by offset, not adjacent
  SmallVector<ArenaSlot> taken_;  // by the operation being lowered
  SmallVector<Attribute> sites_;
  Block *block_ = nullptr;  // being lowered
};

}  // namespace sectile::cpu
