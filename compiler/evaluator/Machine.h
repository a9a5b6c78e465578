// State of one evaluation. Internal to compiler/evaluator.
#pragma once

#include "compiler/evaluator/Evaluator.h"
#include "compiler/evaluator/Number.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"

namespace sectile::evaluator {

using namespace mlir;
using Index = SmallVector<int64_t, 4>;

/// A tile or scalar: elements in row-major order.
struct Tile {
  Index shape;
  Type element;
  std::vector<Bits> elements;

  Tile() = default;
  /// All zeros.
  explicit Tile(Type type);
  int64_t offset(ArrayRef<int64_t> index) const;
  bool inside(ArrayRef<int64_t> index) const;
  Bits at(ArrayRef<int64_t> index) const { return elements[offset(index)]; }
  Bits &at(ArrayRef<int64_t> index) { return elements[offset(index)]; }
  /// Calls `body` for every index, last axis fastest.
  void forEach(llvm::function_ref<void(ArrayRef<int64_t>)> body) const;
};

/// Memory seen through a view.
struct View {
  char *memory = nullptr;
  Index shape, strides;
  Type element;
  bool inside(ArrayRef<int64_t> index) const;
  /// Both expect an index inside.
  Bits load(ArrayRef<int64_t> index) const;
  void store(ArrayRef<int64_t> index, Bits bits) const;

 private:
  char *address(ArrayRef<int64_t> index) const;
};

/// The meaning of an element-wise operation (arith, math and tile ones) on single elements; nothing for other operations.
std::optional<Bits> scalarOperation(Operation *op, ArrayRef<Bits> operands);

class Machine {
 public:
  Machine(tile::KernelOp kernel, const Options &options) : kernel(kernel), options(options) {}
  llvm::Error run(ArrayRef<Argument> arguments);

 private:
  bool fail(Operation *op, const Twine &message);
  bool spend(uint64_t amount, Operation *op);
  const Tile &tileOf(Value value) const { return tiles.find(value)->second; }
  const View &viewOf(Value value) const { return views.find(value)->second; }
  int64_t numberOf(Value value) const { return asSigned(tileOf(value).elements[0], tileOf(value).element); }
  Index numbersOf(ValueRange values) const;

  // Control.cpp
  void bind(ArrayRef<Argument> arguments);
  bool runBlock(Block &block);
  bool execute(Operation *op);
  bool grid(tile::GridOp op);
  bool forLoop(scf::ForOp op);
  bool ifElse(scf::IfOp op);
  bool whileLoop(scf::WhileOp op);
  std::vector<Tile> valuesOf(ValueRange values) const;
  void assign(ValueRange targets, std::vector<Tile> values);
  bool elementwise(Operation *op);

  // Shapes.cpp
  std::optional<Tile> shapeOperation(Operation *op);
  bool viewOperation(Operation *op);

  // Memory.cpp
  bool memoryOperation(Operation *op, bool &known);
  void load(tile::LoadOp op);
  void store(tile::StoreOp op);
  void gather(tile::GatherOp op);
  void scatter(tile::ScatterOp op);
  void atomicRmw(tile::AtomicRmwOp op);
  void atomicCas(tile::AtomicCasOp op);
  void forEachTarget(Value view, ValueRange indices, Value mask, llvm::function_ref<void(size_t, const View &, ArrayRef<int64_t>)> body);

  // Reductions.cpp
  bool reductionOperation(Operation *op, bool &known);
  bool combine(Region &body, std::vector<Bits> &left, ArrayRef<Bits> right);
  bool reduceOrScan(Operation *op, Region &body, int64_t axis, bool scan, bool reverse);
  void sort(Operation *op, const Tile &source, int64_t axis, bool descending, bool isUnsigned);
  void dot(tile::DotOp op);

  tile::KernelOp kernel;
  const Options &options;
  llvm::DenseMap<Value, Tile> tiles;
  llvm::DenseMap<Value, View> views;
  std::vector<int64_t> counts, program;  // of the grid; `counts` is empty until the grid was met once
  bool discovering = false;              // only up to the grid
  uint64_t spent = 0;
  std::string error;
};

}  // namespace sectile::evaluator
