// The generator: a pool of values, and steps that add to it.

#include "Generator.h"

#include <random>

using namespace mlir;

namespace sectile::fuzz {
namespace {

uint64_t mixed(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9e3779b97f4a7c15u ^ (b + 0x7f4a7c159e3779b9u + (a << 6) + (a >> 2));
  x ^= x >> 31, x *= 0xbf58476d1ce4e5b9u, x ^= x >> 27;
  return x;
}

class Generator {
 public:
  Generator(ModuleOp module, StringRef name, uint64_t seed, const std::set<uint64_t> &leftOut)
      : b(module.getContext()), loc(b.getUnknownLoc()), seed(seed), leftOut(leftOut) {
    b.setInsertionPointToEnd(module.getBody());
    program.kernel = tile::KernelOp::create(b, loc, name, b.getFunctionType({}, {}));
    body = &program.kernel.getBody().front();
    b.setInsertionPointToStart(body);
  }

  Program run() {
    random.seed(mixed(seed, 0));
    start();
    steps(seed, 4 + pick(9));
    random.seed(mixed(seed, 1));
    for (int i = 0; i < 3; ++i) storeValue(any());
    for (Value value : approximate) storeValue(value, true);
    tile::ReturnOp::create(b, loc);
    finish();
    return std::move(program);
  }

 private:
  // ---- chance ----
  int64_t pick(int64_t count) { return static_cast<int64_t>(random() % static_cast<uint64_t>(count)); }
  bool chance(int percent) { return pick(100) < percent; }
  template <typename T>
  T oneOf(std::initializer_list<T> list) { return *(list.begin() + pick(static_cast<int64_t>(list.size()))); }
  int64_t dimension() { return oneOf<int64_t>({1, 2, 3, 4, 5, 7, 8, 16, 17, 31, 32, 48}); }
  Type elementType() {
    return oneOf<Type>({b.getI1Type(), b.getIntegerType(8), b.getIntegerType(16), b.getI32Type(), b.getI32Type(), b.getI64Type(), b.getIndexType(), b.getF16Type(), b.getBF16Type(),
                        b.getF32Type(), b.getF32Type(), b.getF32Type(), b.getF64Type()});
  }
  SmallVector<int64_t> tileShape() {
    SmallVector<int64_t> shape;
    int64_t rank = oneOf<int64_t>({1, 2, 2, 2, 3}), count = 1;
    for (int64_t i = 0; i < rank; ++i) {
      int64_t size = dimension();
      while (count * size > 600) size = (size + 1) / 2;
      shape.push_back(size), count *= size;
    }
    return shape;
  }

  // ---- small values ----
  Value index(int64_t value) { return arith::ConstantOp::create(b, loc, b.getIndexAttr(value)); }
  Value constant(Type element, double value) {
    if (isa<FloatType>(element)) return arith::ConstantOp::create(b, loc, b.getFloatAttr(element, value));
    if (element.isInteger(1)) return arith::ConstantOp::create(b, loc, b.getIntegerAttr(element, value != 0));
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(element, static_cast<int64_t>(value)));
  }
  Value filled(Type type, double value) {
    Value scalar = constant(tile::elementType(type), value);
    return tile::isTile(type) ? Value(tile::SplatOp::create(b, loc, type, scalar)) : scalar;
  }
  Value castTo(Value value, Type element) {
    Type from = tile::elementType(value.getType());
    if (from == element) return value;
    bool fromUnsigned = from.isIntOrIndex() && !from.isIndex() && chance(30), toUnsigned = element.isIntOrIndex() && !element.isIndex() && chance(30);
    auto flag = [&](bool set) { return set ? b.getUnitAttr() : UnitAttr(); };
    return tile::CastOp::create(b, loc, tile::tileType(tile::shapeOf(value.getType()), element), value, flag(fromUnsigned), flag(toUnsigned));
  }
  Value select(Value condition, Value yes, Value no) { return arith::SelectOp::create(b, loc, condition, yes, no); }
  /// A whole number between -8 and 8 for each float, so that sums and products are exact.
  Value tamed(Value value) {
    Type type = value.getType();
    if (!isa<FloatType>(tile::elementType(type))) return value;
    Value magnitude = math::AbsFOp::create(b, loc, value);
    Value small = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLE, magnitude, filled(type, 8));
    return select(small, math::TruncOp::create(b, loc, value), filled(type, 1));
  }

  // ---- the pool ----
  void add(Value value) { pool.push_back(value); }
  Value any() { return pool[pick(static_cast<int64_t>(pool.size()))]; }
  template <typename F>
  Value anyWhere(F &&good) {
    for (int i = 0; i < 30; ++i)
      if (Value value = any(); good(value)) return value;
    return {};
  }
  Value anyTile() {
    Value value = anyWhere([](Value v) { return tile::isTile(v.getType()); });
    return value ? value : Value(tile::IotaOp::create(b, loc, RankedTensorType::get({8}, b.getIndexType()), 0));
  }
  /// A value of exactly this type: from the pool, broadcast or cast.
  Value like(Type type) {
    if (Value same = anyWhere([&](Value v) { return v.getType() == type; }); same && chance(80)) return same;
    Value shape = anyWhere([&](Value v) { return tile::shapeOf(v.getType()) == tile::shapeOf(type); });
    if (shape && chance(70)) return castTo(shape, tile::elementType(type));
    return filled(type, static_cast<double>(pick(9)) - 2);
  }
  Value smallScalar() {
    if (chance(50)) return index(pick(9) - 3);
    return chance(50) ? offsets[pick(static_cast<int64_t>(offsets.size()))] : Value(tile::ProgramIdOp::create(b, loc, b.getIndexType(), b.getI64IntegerAttr(0)));
  }
  Value scalarOf(Value value) {
    if (!tile::isTile(value.getType())) return value;
    SmallVector<Value> at;
    for (int64_t size : tile::shapeOf(value.getType())) at.push_back(index(pick(size)));
    return tile::ExtractOp::create(b, loc, tile::elementType(value.getType()), value, at);
  }

  // ---- parameters and views ----
  Value parameter(Parameter what, bool readonly) {
    Type type = what.isView ? Type(tile::ViewType::get(b.getContext(), what.shape.size(), what.element, readonly)) : what.element;
    what.seed = random();
    if (what.isView) layout(what);
    program.parameters.push_back(what);
    return body->addArgument(type, loc);
  }
  /// Packed, padded, transposed, or with gaps.
  void layout(Parameter &view) {
    SmallVector<int64_t> order;
    for (size_t i = 0; i < view.shape.size(); ++i) order.push_back(static_cast<int64_t>(i));
    if (chance(25)) std::shuffle(order.begin(), order.end(), random);
    int64_t stride = chance(15) ? 2 : 1;
    view.strides.assign(view.shape.size(), 0);
    for (size_t i = order.size(); i-- > 0;) {
      view.strides[order[i]] = stride;
      stride = stride * std::max<int64_t>(1, view.shape[order[i]]) + (chance(30) ? pick(5) : 0);
    }
    view.span = 1;
    for (auto [size, step] : llvm::zip_equal(view.shape, view.strides)) view.span += size > 0 ? (size - 1) * step : 0;
  }
  int64_t viewSize() { return oneOf<int64_t>({0, 1, 7, 17, 17, 40, 63, 71, 80, 96}); }
  Value newView(Type element, int64_t rank, bool readonly, bool isApproximate = false) {
    Parameter view;
    view.element = element, view.isView = true, view.approximate = isApproximate;
    int64_t count = 1;
    for (int64_t i = 0; i < rank; ++i) {
      int64_t size = viewSize();
      while (count * size > 20000 && size > 1) size /= 2;
      view.shape.push_back(size), count *= std::max<int64_t>(size, 1);
    }
    Value argument = parameter(view, readonly);
    views.push_back(argument);
    return argument;
  }
  /// A part, another order, or another shape of a view.
  Value derived(Value view) {
    auto type = cast_or_null<tile::ViewType>(view.getType());
    int64_t rank = type.getRank();
    auto make = [&](int64_t newRank) { return tile::ViewType::get(b.getContext(), newRank, type.getElementType(), type.getReadonly()); };
    switch (pick(6)) {
      case 0: {
        if (rank < 2) return view;
        return tile::ViewSliceOp::create(b, loc, make(rank - 1), view, smallScalar(), pick(rank));
      }
      case 1: {
        SmallVector<int64_t> order;
        for (int64_t i = 0; i < rank; ++i) order.push_back(i);
        std::shuffle(order.begin(), order.end(), random);
        return tile::ViewTransposeOp::create(b, loc, type, view, b.getDenseI64ArrayAttr(order));
      }
      case 2: {
        SmallVector<Value> starts, sizes, steps;
        for (int64_t i = 0; i < rank; ++i) starts.push_back(chance(70) ? index(pick(4)) : smallScalar()), sizes.push_back(index(pick(60))), steps.push_back(index(1 + pick(3)));
        return tile::SubviewOp::create(b, loc, type, view, starts, sizes, steps);
      }
      case 3: {
        if (rank >= 3) return view;
        SmallVector<int64_t> dimensions{-1};
        SmallVector<Value> sizes{index(1 + pick(9))};
        for (int64_t i = 0; i < rank; ++i) dimensions.push_back(i), sizes.push_back(index(pick(20)));
        return tile::ViewBroadcastOp::create(b, loc, make(rank + 1), view, sizes, b.getDenseI64ArrayAttr(dimensions));
      }
      default: return view;
    }
  }
  SmallVector<Value> offsetsFor(Value view) {
    SmallVector<Value> result;
    for (int64_t i = 0; i < cast<tile::ViewType>(view.getType()).getRank(); ++i) {
      Value offset = i < static_cast<int64_t>(offsets.size()) && chance(75) ? offsets[i] : smallScalar();
      if (chance(30)) offset = arith::AddIOp::create(b, loc, offset, index(pick(7) - 3));
      result.push_back(offset);
    }
    return result;
  }
  Value viewToRead() {
    if (chance(40)) {
      Value view = anyView([](Value) { return true; });
      if (view) return chance(60) ? derived(view) : view;
    }
    Type element = chance(8) ? oneOf<Type>({Float8E4M3FNType::get(b.getContext()), Float8E5M2Type::get(b.getContext())}) : elementType();
    if (element.isIndex()) element = b.getI64Type();
    Value view = newView(element, oneOf<int64_t>({1, 2, 2, 3}), true);
    return chance(40) ? derived(view) : view;
  }
  template <typename F>
  Value anyView(F &&good) {
    for (int i = 0; i < 10 && !views.empty(); ++i)
      if (Value view = views[pick(static_cast<int64_t>(views.size()))]; good(view)) return view;
    return {};
  }

  // ---- steps ----
  void start() {
    int64_t axes = oneOf<int64_t>({1, 1, 2});
    main = tileShape();
    SmallVector<Value> extents, steps;
    SmallVector<Type> types;
    for (int64_t i = 0; i < axes; ++i) {
      int64_t step = main[std::min<int64_t>(i, main.size() - 1)];
      extents.push_back(index(chance(90) ? step * (1 + pick(3)) - pick(step) : 0)), steps.push_back(index(step)), types.push_back(b.getIndexType());
    }
    auto grid = tile::GridOp::create(b, loc, types, extents, steps, UnitAttr());
    offsets.assign(grid.getOffsets().begin(), grid.getOffsets().end());
    for (Value offset : offsets) add(offset);
    for (Type type : {Type(b.getI32Type()), Type(b.getF32Type())}) {
      Parameter scalar;
      scalar.element = type;
      add(parameter(scalar, true));
    }
    for (int i = 0; i < 2; ++i) loadStep(main);
  }

  void steps(uint64_t name, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      uint64_t step = mixed(name, static_cast<uint64_t>(i) + 17);
      if (leftOut.contains(step)) continue;
      program.steps.push_back(step);
      auto saved = random;
      random.seed(step);
      one(step);
      random = saved;
    }
  }

  void one(uint64_t name) {
    switch (pick(22)) {
      case 0: case 1: case 2: case 3: return arithmeticStep();
      case 4: case 5: return unaryStep();
      case 6: return add(castTo(any(), elementType()));
      case 7: return compareStep();
      case 8: case 9: case 10: return rearrangeStep();
      case 11: case 12: return reduceStep();
      case 13: return orderStep();
      case 14: return dotStep();
      case 15: return loadStep(chance(60) ? main : tileShape());
      case 16: return gatherStep();
      case 17: return storeValue(any());
      case 18: return atomicStep();
      case 19: return loopStep(name);
      case 20: return branchStep(name);
      default: return functionStep();
    }
  }

  void loadStep(ArrayRef<int64_t> wanted) {
    Value view = viewToRead();
    auto type = cast<tile::ViewType>(view.getType());
    SmallVector<int64_t> shape(wanted);
    shape.resize(type.getRank(), 1);
    if (chance(8)) shape.clear();
    Value fill = chance(40) ? constant(type.getElementType(), static_cast<double>(pick(5))) : Value();
    Value tile = tile::LoadOp::create(b, loc, tile::tileType(shape, type.getElementType()), view, offsetsFor(view), fill);
    add(tile::isFloat8(type.getElementType()) ? castTo(tile, b.getF32Type()) : tile);
  }

  void arithmeticStep() {
    Value lhs = any();
    Type type = lhs.getType(), element = tile::elementType(type);
    Value rhs = like(type);
    if (isa<FloatType>(element)) {
      switch (pick(7)) {
        case 0: return add(arith::AddFOp::create(b, loc, lhs, rhs));
        case 1: return add(arith::SubFOp::create(b, loc, lhs, rhs));
        case 2: return add(arith::MulFOp::create(b, loc, lhs, rhs));
        case 3: return add(arith::DivFOp::create(b, loc, lhs, rhs));
        case 4: return add(arith::MaximumFOp::create(b, loc, lhs, rhs));
        case 5: return add(arith::MinimumFOp::create(b, loc, lhs, rhs));
        default: return add(math::FmaOp::create(b, loc, lhs, rhs, like(type)));
      }
    }
    auto flag = [&] { return chance(50) ? b.getUnitAttr() : UnitAttr(); };
    Value odd = element.isInteger(1) ? filled(type, 1) : Value(arith::OrIOp::create(b, loc, rhs, filled(type, 1)));
    switch (pick(14)) {
      case 0: return add(arith::AddIOp::create(b, loc, lhs, rhs));
      case 1: return add(arith::SubIOp::create(b, loc, lhs, rhs));
      case 2: return add(arith::MulIOp::create(b, loc, lhs, rhs));
      case 3: return add(arith::AndIOp::create(b, loc, lhs, rhs));
      case 4: return add(arith::OrIOp::create(b, loc, lhs, rhs));
      case 5: return add(arith::XOrIOp::create(b, loc, lhs, rhs));
      case 6: return add(arith::MaxSIOp::create(b, loc, lhs, rhs));
      case 7: return add(arith::MinUIOp::create(b, loc, lhs, rhs));
      case 8: return add(arith::MinSIOp::create(b, loc, lhs, rhs));
      case 9: return add(tile::DivOp::create(b, loc, lhs, odd, flag()));
      case 10: return add(tile::RemOp::create(b, loc, lhs, odd, flag()));
      case 11: return add(tile::ShlOp::create(b, loc, lhs, rhs));
      case 12: return add(tile::ShrOp::create(b, loc, lhs, rhs, flag()));
      default: return add(tile::MulHiOp::create(b, loc, lhs, rhs, flag()));
    }
  }

  void unaryStep() {
    Value value = any();
    Type element = tile::elementType(value.getType());
    if (isa<FloatType>(element)) {
      switch (pick(9)) {
        case 0: return add(arith::NegFOp::create(b, loc, value));
        case 1: return add(math::AbsFOp::create(b, loc, value));
        case 2: return add(math::SqrtOp::create(b, loc, value));
        case 3: return add(math::FloorOp::create(b, loc, value));
        case 4: return add(math::CeilOp::create(b, loc, value));
        case 5: return add(math::TruncOp::create(b, loc, value));
        case 6: return add(math::RoundOp::create(b, loc, value));
        case 7: return add(math::RoundEvenOp::create(b, loc, value));
        default: return add(castTo(castTo(value, oneOf<Type>({Float8E4M3FNType::get(b.getContext()), Float8E5M2Type::get(b.getContext())})), element));
      }
    }
    if (element.isIndex() || element.isInteger(1)) return add(castTo(value, b.getI32Type()));
    switch (pick(3)) {
      case 0: return add(math::AbsIOp::create(b, loc, value));
      case 1: return add(math::CtPopOp::create(b, loc, value));
      default: return add(math::CountLeadingZerosOp::create(b, loc, value));
    }
  }

  Value compared(Value lhs, Value rhs) {
    if (isa<FloatType>(tile::elementType(lhs.getType()))) return arith::CmpFOp::create(b, loc, static_cast<arith::CmpFPredicate>(1 + pick(14)), lhs, rhs);
    return arith::CmpIOp::create(b, loc, static_cast<arith::CmpIPredicate>(pick(10)), lhs, rhs);
  }
  void compareStep() {
    Value lhs = any(), condition = compared(lhs, like(lhs.getType()));
    add(condition);
    Value yes = anyWhere([&](Value v) { return tile::shapeOf(v.getType()) == tile::shapeOf(lhs.getType()); });
    add(select(condition, yes, like(yes.getType())));
  }

  /// Results of transcendental functions are stored and not used further.
  void functionStep() {
    Value value = castTo(any(), oneOf<Type>({b.getF32Type(), b.getF32Type(), b.getF64Type(), b.getF16Type()}));
    Value result;
    switch (pick(9)) {
      case 0: result = math::ExpOp::create(b, loc, value); break;
      case 1: result = math::Exp2Op::create(b, loc, value); break;
      case 2: result = math::LogOp::create(b, loc, value); break;
      case 3: result = math::Log1pOp::create(b, loc, value); break;
      case 4: result = math::TanhOp::create(b, loc, value); break;
      case 5: result = math::SinOp::create(b, loc, value); break;
      case 6: result = math::ErfOp::create(b, loc, value); break;
      case 7: result = math::RsqrtOp::create(b, loc, value); break;
      default: result = math::Atan2Op::create(b, loc, value, like(value.getType())); break;
    }
    if (depth == 0) approximate.push_back(result);
  }

  void rearrangeStep() {
    Value value = anyTile();
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(type.getShape());
    int64_t rank = type.getRank(), axis = pick(rank);
    auto typed = [&](ArrayRef<int64_t> dims) { return RankedTensorType::get(dims, type.getElementType()); };
    switch (pick(10)) {
      case 0: {
        SmallVector<int64_t> order, permuted;
        for (int64_t i = 0; i < rank; ++i) order.push_back(i);
        std::shuffle(order.begin(), order.end(), random);
        for (int64_t i : order) permuted.push_back(shape[i]);
        return add(tile::TransposeOp::create(b, loc, typed(permuted), value, b.getDenseI64ArrayAttr(order)));
      }
      case 1: {
        int64_t count = type.getNumElements();
        if (rank > 1 && chance(60)) return add(tile::ReshapeOp::create(b, loc, typed({count}), value));
        for (int64_t part : {7, 5, 4, 3, 2})
          if (count % part == 0) return add(tile::ReshapeOp::create(b, loc, typed({part, count / part}), value));
        return add(tile::ReshapeOp::create(b, loc, typed({1, count, 1}), value));
      }
      case 2: {
        if (type.getNumElements() > 400 || rank > 3) return;
        shape.push_back(2);
        Value joined = tile::JoinOp::create(b, loc, typed(shape), value, like(type));
        add(joined);
        if (!chance(50)) return;
        auto split = tile::SplitOp::create(b, loc, type, type, chance(50) ? joined : Value(arith::SelectOp::create(b, loc, compared(joined, joined), joined, joined)));
        add(split.getFirst()), add(split.getSecond());
        return;
      }
      case 3: {
        if (type.getNumElements() > 400) return;
        Value other = like(type);
        shape[axis] *= 2;
        return add(tile::CatOp::create(b, loc, typed(shape), ValueRange{value, other}, axis));
      }
      case 4: case 5: {
        SmallVector<Value> at;
        for (int64_t &size : shape) {
          size = 1 + pick(std::min<int64_t>(size + 2, 40));
          at.push_back(chance(70) ? index(pick(size + 1) - 1) : smallScalar());
        }
        if (chance(20)) return add(tile::ExtractOp::create(b, loc, type.getElementType(), value, at));
        if (typed(shape).getNumElements() > 800) return;
        return add(tile::ExtractOp::create(b, loc, typed(shape), value, at));
      }
      case 6: return add(tile::FlipOp::create(b, loc, type, value, axis));
      case 7: {
        if (type.getNumElements() > 2000) return;
        shape[axis] = std::min<int64_t>(dimension(), std::max<int64_t>(1, 800 * shape[axis] / type.getNumElements()));
        Value indices = like(RankedTensorType::get(shape, b.getI32Type()));
        return add(tile::GatherAlongOp::create(b, loc, typed(shape), value, indices, axis));
      }
      case 8: {
        Value numbers = isa<FloatType>(type.getElementType()) ? castTo(value, b.getI32Type()) : value;
        Value mask = chance(50) ? like(RankedTensorType::get(type.getShape(), b.getI1Type())) : Value();
        return add(tile::HistogramOp::create(b, loc, RankedTensorType::get({dimension()}, b.getI32Type()), numbers, mask));
      }
      default: {
        if (Value scalar = anyWhere([](Value v) { return !tile::isTile(v.getType()); }); scalar && chance(40))
          return add(tile::SplatOp::create(b, loc, RankedTensorType::get(main, scalar.getType()), scalar));
        for (int64_t &size : shape)
          if (size == 1 && type.getNumElements() < 100) size = 1 + pick(8);
        return add(tile::BroadcastOp::create(b, loc, typed(shape), value));
      }
    }
  }

  /// A combination that is associative and commutative, exact on tamed values.
  Value combination(Value x, Value y, int kind) {
    if (isa<FloatType>(x.getType())) {
      if (kind % 3 == 0) return arith::AddFOp::create(b, loc, x, y);
      return kind % 3 == 1 ? Value(arith::MaximumFOp::create(b, loc, x, y)) : Value(arith::MinimumFOp::create(b, loc, x, y));
    }
    switch (kind % 5) {
      case 0: return arith::AddIOp::create(b, loc, x, y);
      case 1: return arith::MaxSIOp::create(b, loc, x, y);
      case 2: return arith::XOrIOp::create(b, loc, x, y);
      case 3: return arith::MulIOp::create(b, loc, x, y);
      default: return arith::MinUIOp::create(b, loc, x, y);
    }
  }

  void reduceStep() {
    Value value = anyTile();
    Type element = tile::elementType(value.getType());
    int kind = static_cast<int>(pick(15));
    if (element.isF16() || element.isBF16()) kind = 1 + static_cast<int>(pick(2));  // no sums of narrow floats
    if (isa<FloatType>(element) && kind % 3 == 0) value = tamed(value);
    auto type = cast<RankedTensorType>(value.getType());
    int64_t axis = pick(type.getRank());
    bool scan = chance(40), pair = chance(30);
    SmallVector<Value> sources{value};
    if (pair) sources.push_back(like(RankedTensorType::get(type.getShape(), b.getI32Type())));
    SmallVector<int64_t> reduced(type.getShape());
    if (!scan) reduced[axis] = 1;
    SmallVector<Type> results;
    for (Value source : sources) results.push_back(RankedTensorType::get(reduced, tile::elementType(source.getType())));
    Operation *op = scan ? tile::ScanOp::create(b, loc, results, sources, axis, chance(40)).getOperation() : tile::ReduceOp::create(b, loc, results, sources, axis).getOperation();
    OpBuilder::InsertionGuard guard(b);
    Block *block = b.createBlock(&op->getRegion(0));
    for (int side = 0; side < 2; ++side)
      for (Value source : sources) block->addArgument(tile::elementType(source.getType()), loc);
    size_t count = sources.size();
    SmallVector<Value> yields{combination(block->getArgument(0), block->getArgument(count), kind)};
    if (pair) {
      Value x = block->getArgument(1), y = block->getArgument(3);
      // For scans a combination that is associative but not commutative: the later of two nonzero numbers.
      Value zero = constant(b.getI32Type(), 0);
      yields.push_back(scan ? select(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, y, zero), y, x) : combination(x, y, static_cast<int>(pick(5))));
    }
    tile::YieldOp::create(b, loc, yields);
    guarded.assign(op->getResults().begin(), op->getResults().end());
    for (Value result : guarded) add(result);
  }

  void orderStep() {
    Value value = anyTile();
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getElementType().isIndex()) value = castTo(value, b.getI64Type()), type = cast<RankedTensorType>(value.getType());
    int64_t axis = pick(type.getRank());
    SmallVector<int64_t> shape(type.getShape());
    bool top = chance(50);
    if (top) shape[axis] = 1 + pick(shape[axis]);
    Type values = RankedTensorType::get(shape, type.getElementType()), indices = RankedTensorType::get(shape, b.getI32Type());
    bool flag = chance(50), isUnsigned = chance(30) && type.getElementType().isIntOrIndex();
    Operation *op = top ? tile::TopKOp::create(b, loc, values, indices, value, axis, flag, isUnsigned).getOperation()
                        : tile::SortOp::create(b, loc, values, indices, value, axis, flag, isUnsigned).getOperation();
    for (Value result : op->getResults()) add(result);
  }

  void dotStep() {
    auto size = [&] { return oneOf<int64_t>({1, 2, 3, 7, 8, 16, 17, 32}); };
    int64_t m = size(), n = size(), k = size(), batch = 1 + pick(3);
    bool batched = chance(25);
    Type element = oneOf<Type>({b.getF32Type(), b.getF32Type(), b.getF64Type(), b.getF16Type(), b.getBF16Type(), b.getIntegerType(8)});
    Type sum = element.isF64() ? element : element.isInteger(8) ? Type(b.getI32Type()) : Type(b.getF32Type());
    auto operand = [&](int64_t rows, int64_t columns) {
      SmallVector<int64_t> shape;
      if (batched) shape.push_back(batch);
      shape.push_back(rows), shape.push_back(columns);
      auto type = RankedTensorType::get(shape, element);
      Value tile = anyWhere([&](Value v) { return tile::isTile(v.getType()) && tile::elementCount(v.getType()) >= 2; });
      if (!tile) return tamed(like(type));
      // Any tile, as a line, gathered into the operand's shape.
      Value line = tile::ReshapeOp::create(b, loc, RankedTensorType::get({tile::elementCount(tile.getType())}, tile::elementType(tile.getType())), tile);
      line = castTo(line, element);
      Value whole = tile::IotaOp::create(b, loc, RankedTensorType::get({type.getNumElements()}, b.getIndexType()), 0);
      Value length = filled(whole.getType(), static_cast<double>(tile::elementCount(tile.getType())));
      Value at = tile::RemOp::create(b, loc, whole, length, UnitAttr());
      Value gathered = tile::GatherAlongOp::create(b, loc, RankedTensorType::get({type.getNumElements()}, element), line, at, 0);
      return tamed(tile::ReshapeOp::create(b, loc, type, gathered));
    };
    Value a = operand(m, k), right = operand(k, n);
    if (chance(20)) {
      SmallVector<int64_t> order{1, 0};
      if (batched) order = {0, 2, 1};
      a = tile::TransposeOp::create(b, loc, a.getType(), operand(k, m), b.getDenseI64ArrayAttr(order));
    }
    SmallVector<int64_t> shape{m, n};
    if (batched) shape.insert(shape.begin(), batch);
    Type type = RankedTensorType::get(shape, sum);
    Value acc = chance(50) ? filled(type, 0) : tamed(like(type));
    UnitAttr isUnsigned = element.isInteger(8) && chance(40) ? b.getUnitAttr() : UnitAttr();
    add(tile::DotOp::create(b, loc, type, a, right, acc, isUnsigned, isUnsigned, UnitAttr(), UnitAttr()));
  }

  Value indexTile(ArrayRef<int64_t> shape) {
    Value numbers = like(tile::tileType(shape, b.getI32Type()));
    Value small = arith::AndIOp::create(b, loc, numbers, filled(numbers.getType(), 63));
    return castTo(small, b.getIndexType());
  }
  void gatherStep() {
    Value view = viewToRead();
    auto type = cast<tile::ViewType>(view.getType());
    SmallVector<int64_t> shape = chance(60) ? main : tileShape();
    SmallVector<Value> indices;
    for (int64_t i = 0; i < type.getRank(); ++i) indices.push_back(indexTile(shape));
    Value mask = chance(50) ? like(tile::tileType(shape, b.getI1Type())) : Value();
    Value fill = chance(50) ? constant(type.getElementType(), 3) : Value();
    Value tile = tile::GatherOp::create(b, loc, tile::tileType(shape, type.getElementType()), view, indices, mask, fill);
    add(tile::isFloat8(type.getElementType()) ? castTo(tile, b.getF32Type()) : tile);
  }

  void storeValue(Value value, bool isApproximate = false) {
    Type element = tile::elementType(value.getType());
    if (element.isIndex()) value = castTo(value, b.getI64Type()), element = b.getI64Type();
    int64_t rank = std::max<size_t>(1, tile::shapeOf(value.getType()).size());
    if (rank > 5) return;
    Value view = isApproximate ? Value() : anyView([&](Value v) {
      auto type = cast<tile::ViewType>(v.getType());
      return !type.getReadonly() && type.getElementType() == element && type.getRank() == rank && !exact.contains(v);
    });
    if (!view || chance(60)) view = newView(element, rank, false, isApproximate);
    if (isApproximate) exact.insert(view), views.pop_back();
    Value target = chance(25) && !isApproximate ? derivedForStore(view) : view;
    tile::StoreOp::create(b, loc, target, offsetsFor(target), value);
  }
  Value derivedForStore(Value view) {
    auto type = cast<tile::ViewType>(view.getType());
    SmallVector<Value> starts, sizes, steps;
    for (int64_t i = 0; i < type.getRank(); ++i) starts.push_back(index(pick(4))), sizes.push_back(index(pick(60))), steps.push_back(index(1 + pick(2)));
    return tile::SubviewOp::create(b, loc, type, view, starts, sizes, steps);
  }

  /// Kinds whose result does not depend on the order within a tile; the old values are not used.
  void atomicStep() {
    Type element = oneOf<Type>({b.getI32Type(), b.getI64Type(), b.getF32Type(), b.getIntegerType(8)});
    SmallVector<int64_t> shape = chance(60) ? main : tileShape();
    Value value = tamed(like(tile::tileType(shape, element)));
    Value view = newView(element, oneOf<int64_t>({1, 2}), false);
    StringRef kind = isa<FloatType>(element) ? oneOf<StringRef>({"max", "min"}) : oneOf<StringRef>({"add", "max", "min", "umax", "umin", "and", "or", "xor"});
    SmallVector<Value> indices;
    for (int64_t i = 0; i < cast<tile::ViewType>(view.getType()).getRank(); ++i) indices.push_back(indexTile(shape));
    Value mask = chance(50) ? like(tile::tileType(shape, b.getI1Type())) : Value();
    tile::AtomicRmwOp::create(b, loc, value.getType(), view, indices, value, mask, kind, "relaxed", "device");
  }

  // ---- control flow ----
  /// Takes steps in a new region with a copy of the pool.
  template <typename F>
  void inRegion(F &&fill) {
    OpBuilder::InsertionGuard guard(b);
    std::vector<Value> outside = pool;
    ++depth;
    fill();
    --depth;
    pool = outside;  // views are parameters and stay
  }

  void loopStep(uint64_t name) {
    if (depth >= 2) return;
    SmallVector<Value> carried{anyTile()};
    if (chance(60)) carried.push_back(any());
    if (chance(20)) carried.push_back(carried.front());
    Value high = chance(70) ? index(pick(5)) : smallScalar();
    high = arith::MinSIOp::create(b, loc, high, index(6));
    auto loop = scf::ForOp::create(b, loc, index(pick(3) - 1), high, index(1 + pick(3)), carried);
    inRegion([&] {
      b.setInsertionPointToEnd(loop.getBody());
      pool.push_back(loop.getInductionVar());
      for (Value argument : loop.getRegionIterArgs()) pool.push_back(argument), pool.push_back(argument);
      steps(mixed(name, 3), 1 + pick(5));
      SmallVector<Value> yields;
      for (Value argument : loop.getRegionIterArgs()) {
        Value next = anyWhere([&](Value v) { return v.getType() == argument.getType() && v != argument; });
        yields.push_back(next && chance(85) ? next : loop.getRegionIterArgs()[pick(static_cast<int64_t>(carried.size()))]);
        if (yields.back().getType() != argument.getType()) yields.back() = argument;
      }
      scf::YieldOp::create(b, loc, yields);
    });
    for (Value result : loop.getResults()) add(result);
  }

  void branchStep(uint64_t name) {
    if (depth >= 2) return;
    Value scalar = scalarOf(any()), condition = compared(scalar, like(scalar.getType()));
    SmallVector<Type> types{anyTile().getType()};
    if (chance(40)) types.push_back(any().getType());
    auto branch = scf::IfOp::create(b, loc, types, condition, true);
    for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
      inRegion([&] {
        b.setInsertionPointToEnd(&region->front());
        steps(mixed(name, region == &branch.getThenRegion() ? 5 : 7), pick(4));
        SmallVector<Value> yields;
        for (Type type : types) yields.push_back(like(type));
        scf::YieldOp::create(b, loc, yields);
      });
    for (Value result : branch.getResults()) add(result);
  }

  /// The kernel's type, and true facts about some parameters.
  void finish() {
    SmallVector<Type> types(body->getArgumentTypes());
    program.kernel.setFunctionType(b.getFunctionType(types, {}));
    for (auto [i, what] : llvm::enumerate(program.parameters)) {
      if (!what.isView) continue;
      if (chance(75)) program.kernel.setArgAttr(i, tile::kDisjoint, b.getUnitAttr());
      for (auto [axis, stride] : llvm::enumerate(what.strides))
        if (stride == 1 && what.shape[axis] > 1 && chance(80)) program.kernel.setArgAttr(i, tile::kUnitAxis, b.getI64IntegerAttr(axis));
    }
  }

  OpBuilder b;
  Location loc;
  uint64_t seed;
  const std::set<uint64_t> &leftOut;
  Program program;
  Block *body;
  std::mt19937_64 random;
  std::vector<Value> pool, views, approximate, guarded;
  llvm::DenseSet<Value> exact;
  SmallVector<Value> offsets;
  SmallVector<int64_t> main;
  int depth = 0;
};

}  // namespace

Program generate(ModuleOp module, StringRef name, uint64_t seed, const std::set<uint64_t> &leftOut) { return Generator(module, name, seed, leftOut).run(); }

}  // namespace sectile::fuzz
