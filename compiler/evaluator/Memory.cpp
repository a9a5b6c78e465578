// Loads, stores, gathers, scatters and atomics, prints and assertions.

#include "compiler/evaluator/Machine.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

namespace sectile::evaluator {

/// offset + position, wrapping.
static Index moved(ArrayRef<int64_t> offsets, ArrayRef<int64_t> position) {
  Index index(offsets);
  for (size_t i = 0; i < position.size(); ++i) index[i] = static_cast<int64_t>(static_cast<Bits>(index[i]) + static_cast<Bits>(position[i]));
  return index;
}

void Machine::load(tile::LoadOp op) {
  const View &view = viewOf(op.getView());
  Index offsets = numbersOf(op.getOffsets());
  Bits fill = op.getFill() ? tileOf(op.getFill()).elements[0] : 0;
  Tile result(op.getType());
  result.forEach([&](ArrayRef<int64_t> at) {
    Index index = moved(offsets, at);
    result.at(at) = view.inside(index) ? view.load(index) : fill;
  });
  tiles[op.getResult()] = std::move(result);
}

void Machine::store(tile::StoreOp op) {
  const View &view = viewOf(op.getView());
  Index offsets = numbersOf(op.getOffsets());
  const Tile &value = tileOf(op.getValue());
  value.forEach([&](ArrayRef<int64_t> at) {
    Index index = moved(offsets, at);
    if (view.inside(index)) view.store(index, value.at(at));
  });
}

/// Calls `body` with the position of each active element whose index lies inside the view.
void Machine::forEachTarget(Value viewValue, ValueRange indices, Value mask, llvm::function_ref<void(size_t, const View &, ArrayRef<int64_t>)> body) {
  const View &view = viewOf(viewValue);
  size_t count = tileOf(indices[0]).elements.size();
  for (size_t i = 0; i < count; ++i) {
    if (mask && !tileOf(mask).elements[i]) continue;
    Index index;
    for (Value axis : indices) index.push_back(asSigned(tileOf(axis).elements[i], tileOf(axis).element));
    if (view.inside(index)) body(i, view, index);
  }
}

void Machine::gather(tile::GatherOp op) {
  Tile result(op.getType());
  if (op.getFill()) llvm::fill(result.elements, tileOf(op.getFill()).elements[0]);
  forEachTarget(op.getView(), op.getIndices(), op.getMask(), [&](size_t i, const View &view, ArrayRef<int64_t> index) { result.elements[i] = view.load(index); });
  tiles[op.getResult()] = std::move(result);
}

void Machine::scatter(tile::ScatterOp op) {
  const Tile &value = tileOf(op.getValue());
  forEachTarget(op.getView(), op.getIndices(), op.getMask(), [&](size_t i, const View &view, ArrayRef<int64_t> index) { view.store(index, value.elements[i]); });
}

static Bits updated(StringRef kind, Bits old, Bits value, Type type) {
  auto narrow = [&](Real x) { return type.isF64() ? Real(static_cast<double>(x)) : Real(static_cast<float>(x)); };
  if (kind == "exchange") return value;
  if (kind == "and") return old & value;
  if (kind == "or") return old | value;
  if (kind == "xor") return old ^ value;
  if (kind == "umin") return std::min(old, value);
  if (kind == "umax") return std::max(old, value);
  if (isa<FloatType>(type)) {
    Real a = realOf(old, type), b = realOf(value, type);
    if (kind == "add") return bitsOf(narrow(a + b), type);
    if (std::isnan(a) || std::isnan(b)) return bitsOf(std::numeric_limits<Real>::quiet_NaN(), type);
    bool oldIsLess = a < b || (a == b && std::signbit(a));
    return (kind == "min") == oldIsLess ? old : value;
  }
  if (kind == "add") return masked(old + value, type);
  return (kind == "min") == (asSigned(old, type) < asSigned(value, type)) ? old : value;
}

void Machine::atomicRmw(tile::AtomicRmwOp op) {
  const Tile &value = tileOf(op.getValue());
  Tile old(op.getType());
  forEachTarget(op.getView(), op.getIndices(), op.getMask(), [&](size_t i, const View &view, ArrayRef<int64_t> index) {
    old.elements[i] = view.load(index);
    view.store(index, updated(op.getKind(), old.elements[i], value.elements[i], old.element));
  });
  tiles[op.getOld()] = std::move(old);
}

void Machine::atomicCas(tile::AtomicCasOp op) {
  const Tile &expected = tileOf(op.getExpected()), &desired = tileOf(op.getDesired());
  Tile old(op.getType());
  forEachTarget(op.getView(), op.getIndices(), op.getMask(), [&](size_t i, const View &view, ArrayRef<int64_t> index) {
    old.elements[i] = view.load(index);
    if (old.elements[i] == expected.elements[i]) view.store(index, desired.elements[i]);
  });
  tiles[op.getOld()] = std::move(old);
}

bool Machine::memoryOperation(Operation *op, bool &known) {
  known = true;
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](tile::LoadOp o) { return load(o), true; })
      .Case([&](tile::StoreOp o) { return store(o), true; })
      .Case([&](tile::GatherOp o) { return gather(o), true; })
      .Case([&](tile::ScatterOp o) { return scatter(o), true; })
      .Case([&](tile::AtomicRmwOp o) { return atomicRmw(o), true; })
      .Case([&](tile::AtomicCasOp o) { return atomicCas(o), true; })
      .Case([&](tile::FenceOp) { return true; })
      .Case([&](tile::AssumeOp o) { return tileOf(o.getCondition()).elements[0] ? true : fail(o, "the assumption does not hold"); })
      .Case([&](tile::AssertOp o) { return llvm::is_contained(tileOf(o.getCondition()).elements, Bits(0)) ? fail(o, o.getText()) : true; })
      .Case([&](tile::PrintOp o) {
        std::vector<std::vector<uint64_t>> values;
        for (Value value : o.getValues()) values.push_back(tileOf(value).elements);
        if (options.print) options.print(o.getText(), values);
        return true;
      })
      .Default([&](Operation *) { return known = false; });
}

}  // namespace sectile::evaluator
