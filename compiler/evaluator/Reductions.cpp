// Reductions, scans, sorts and products.

#include "compiler/evaluator/Machine.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

namespace sectile::evaluator {

/// left = body(left, right) on single elements.
bool Machine::combine(Region &body, std::vector<Bits> &left, ArrayRef<Bits> right) {
  Block &block = body.front();
  size_t count = left.size();
  auto set = [&](Value value, Bits bits) {
    Tile scalar(value.getType());
    scalar.elements[0] = bits;
    tiles[value] = std::move(scalar);
  };
  for (size_t i = 0; i < count; ++i) set(block.getArgument(i), left[i]), set(block.getArgument(count + i), right[i]);
  for (Operation &op : block.without_terminator())
    if (!execute(&op)) return false;
  for (auto [i, value] : llvm::enumerate(block.getTerminator()->getOperands())) left[i] = tileOf(value).elements[0];
  return true;
}

bool Machine::reduceOrScan(Operation *op, Region &body, int64_t axis, bool scan, bool reverse) {
  std::vector<Tile> sources = valuesOf(op->getOperands()), results;
  for (Type type : op->getResultTypes()) results.emplace_back(type);
  int64_t length = sources[0].shape[axis];
  bool good = true;
  sources[0].forEach([&](ArrayRef<int64_t> first) {
    if (!good || first[axis] != 0) return;
    Index at(first);
    std::vector<Bits> left, right(sources.size());
    for (int64_t step = 0; good && step < length; ++step) {
      at[axis] = reverse ? length - 1 - step : step;
      for (auto [i, source] : llvm::enumerate(sources)) right[i] = source.at(at);
      if (step == 0) left = right;
      else good = combine(body, left, right);
      if (scan)
        for (auto [i, result] : llvm::enumerate(results)) result.at(at) = left[i];
    }
    if (!scan)
      for (auto [i, result] : llvm::enumerate(results)) result.at(first) = left[i];
  });
  assign(op->getResults(), std::move(results));
  return good;
}

/// Whether a comes before b in ascending order: NaN is the greatest, zeros are equal.
static bool before(Bits a, Bits b, Type type, bool isUnsigned) {
  if (isa<FloatType>(type)) {
    Real x = realOf(a, type), y = realOf(b, type);
    return std::isnan(y) ? !std::isnan(x) : x < y;
  }
  if (isUnsigned || type.isInteger(1)) return a < b;
  return asSigned(a, type) < asSigned(b, type);
}

void Machine::sort(Operation *op, const Tile &source, int64_t axis, bool descending, bool isUnsigned) {
  std::vector<Tile> results;
  for (Type type : op->getResultTypes()) results.emplace_back(type);
  source.forEach([&](ArrayRef<int64_t> first) {
    if (first[axis] != 0) return;
    Index at(first);
    std::vector<std::pair<Bits, int64_t>> line;
    for (at[axis] = 0; at[axis] < source.shape[axis]; ++at[axis]) line.emplace_back(source.at(at), at[axis]);
    auto less = [&](Bits a, Bits b) { return descending ? before(b, a, source.element, isUnsigned) : before(a, b, source.element, isUnsigned); };
    llvm::sort(line, [&](auto &a, auto &b) { return less(a.first, b.first) || (!less(b.first, a.first) && a.second < b.second); });
    for (at[axis] = 0; at[axis] < results[0].shape[axis]; ++at[axis])
      results[0].at(at) = line[at[axis]].first, results[1].at(at) = static_cast<Bits>(line[at[axis]].second);
  });
  assign(op->getResults(), std::move(results));
}

void Machine::dot(tile::DotOp op) {
  const Tile &a = tileOf(op.getA()), &b = tileOf(op.getB()), &acc = tileOf(op.getAcc());
  Tile result(op.getType());
  bool integers = acc.element.isInteger(32);
  auto number = [&](Bits bits, Type type, bool isUnsigned) { return isUnsigned ? static_cast<int64_t>(bits) : asSigned(bits, type); };
  result.forEach([&](ArrayRef<int64_t> at) {
    Index left(at), right(at);
    int64_t rank = at.size(), whole = asSigned(acc.at(at), acc.element);
    Real sum = integers ? 0 : realOf(acc.at(at), acc.element);
    for (int64_t k = 0; k < op.getK(); ++k) {
      left[rank - 1] = k, right[rank - 2] = k;
      if (integers) whole += number(a.at(left), a.element, op.getAUnsigned()) * number(b.at(right), b.element, op.getBUnsigned());
      else sum += realOf(a.at(left), a.element) * realOf(b.at(right), b.element);
    }
    result.at(at) = integers ? masked(static_cast<Bits>(whole), acc.element) : bitsOf(sum, acc.element);
  });
  tiles[op.getResult()] = std::move(result);
}

bool Machine::reductionOperation(Operation *op, bool &known) {
  known = true;
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](tile::ReduceOp o) { return reduceOrScan(o, o.getBody(), o.getAxis(), false, false); })
      .Case([&](tile::ScanOp o) { return reduceOrScan(o, o.getBody(), o.getAxis(), true, o.getReverse()); })
      .Case([&](tile::SortOp o) { return sort(o, Tile(tileOf(o.getSource())), o.getAxis(), o.getDescending(), o.getIsUnsigned()), true; })
      .Case([&](tile::TopKOp o) { return sort(o, Tile(tileOf(o.getSource())), o.getAxis(), o.getLargest(), o.getIsUnsigned()), true; })
      .Case([&](tile::DotOp o) { return dot(o), true; })
      .Default([&](Operation *) { return known = false; });
}

}  // namespace sectile::evaluator
