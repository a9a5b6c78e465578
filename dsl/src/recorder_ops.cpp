// Recording of operations: constants, arithmetic chosen by element type, broadcasts, views, the grid and built-in reductions.

#include "recorder.h"

#include <bit>
#include <cmath>
#include <limits>

#include "sectile/numeric.h"

namespace sectile::detail {
namespace {

void add_attributes(trace::Op& op, const Attr* attributes, int count) {
  for (int i = 0; i < count; ++i) {
    const Attr& a = attributes[i];
    switch (a.kind) {
      case Attr::unit: op.attributes.push_back({a.name, trace::Unit{}}); break;
      case Attr::number: op.attributes.push_back({a.name, a.value}); break;
      case Attr::text: op.attributes.push_back({a.name, std::string(a.string)}); break;
      case Attr::list: op.attributes.push_back({a.name, std::vector<std::int64_t>(a.items, a.items + a.count)}); break;
    }
  }
}

bool is_effect(OpCode code) {
  switch (code) {
    case OpCode::Load: case OpCode::Store: case OpCode::Gather: case OpCode::Scatter: case OpCode::AtomicRmw: case OpCode::AtomicCas: case OpCode::Fence:
    case OpCode::Print: case OpCode::Assert: return true;
    default: return false;
  }
}

/// Appends the operation with its operands; checks that effects come after the grid.
trace::Op& begin(Recorder& r, OpCode code, const Slot* operands, int count, const Attr* attributes, int attribute_count, Where where) {
  std::vector<ValueId> values;
  for (int i = 0; i < count; ++i) values.push_back(r.read(operands[i], where));
  if (is_effect(code) && !r.effect_seen) {
    r.effect_seen = true;
    if (!r.grid_declared) r.error(where, "memory is used before the grid is declared; call grid(tiles(extent, step), ...) first");
  }
  trace::Op& op = r.append(code, where);
  op.operands = std::move(values);
  add_attributes(op, attributes, attribute_count);
  return op;
}

Slot finish(Recorder& r, trace::Op& op, trace::Type type, Where where) {
  op.result_types.push_back(type);
  ValueId value = r.new_value(std::move(type));
  op.results.push_back(value);
  return r.new_slot(value, where);
}

Slot typed_constant(ScalarType type, std::uint64_t bits, Where where) {
  Recorder& r = Recorder::get("a constant is used", where);
  trace::Op& op = r.append(OpCode::Constant, where);
  op.attributes.push_back({"value", trace::TypedScalar{type, bits}});
  return finish(r, op, trace::Type::scalar(type), where);
}

Desc scalar_desc(ScalarType type) { return {type, 0, nullptr}; }

Slot simple(OpCode code, std::initializer_list<Slot> operands, Desc result, Where where, std::initializer_list<Attr> attributes = {}) {
  return emit(code, operands.begin(), static_cast<int>(operands.size()), result, attributes.begin(), static_cast<int>(attributes.size()), where);
}

std::int64_t predicate_of(Binary kind, ScalarType type) {
  bool floating = is_float(type), is_unsigned = is_unsigned_integer(type) || type == ScalarType::boolean;
  switch (kind) {
    case Binary::eq: return floating ? 1 : 0;
    case Binary::ne: return floating ? 13 : 1;
    case Binary::lt: return floating ? 4 : is_unsigned ? 6 : 2;
    case Binary::le: return floating ? 5 : is_unsigned ? 7 : 3;
    case Binary::gt: return floating ? 2 : is_unsigned ? 8 : 4;
    default: return floating ? 3 : is_unsigned ? 9 : 5;
  }
}

struct Choice {
  OpCode code;
  bool unsigned_attribute = false;
};

Choice choose(Binary kind, ScalarType type) {
  bool f = is_float(type), u = is_unsigned_integer(type) || type == ScalarType::boolean;
  switch (kind) {
    case Binary::add: return {f ? OpCode::AddF : OpCode::AddI};
    case Binary::sub: return {f ? OpCode::SubF : OpCode::SubI};
    case Binary::mul: return {f ? OpCode::MulF : OpCode::MulI};
    case Binary::div: return f ? Choice{OpCode::DivF} : Choice{OpCode::DivI, u};
    case Binary::rem: return f ? Choice{OpCode::RemF} : Choice{OpCode::RemI, u};
    case Binary::min: return {f ? OpCode::MinF : u ? OpCode::MinUI : OpCode::MinSI};
    case Binary::max: return {f ? OpCode::MaxF : u ? OpCode::MaxUI : OpCode::MaxSI};
    case Binary::bit_and: return {OpCode::AndI};
    case Binary::bit_or: return {OpCode::OrI};
    case Binary::bit_xor: return {OpCode::XOrI};
    case Binary::shl: return {OpCode::Shl};
    case Binary::shr: return {OpCode::Shr, u};
    case Binary::mulhi: return {OpCode::MulHi, u};
    case Binary::pow: return {OpCode::Pow};
    case Binary::atan2: return {OpCode::Atan2};
    default: return {f ? OpCode::CmpF : OpCode::CmpI};
  }
}

}  // namespace

Slot copy_slot(Slot source, Where where) {
  Recorder& r = Recorder::get("a tile is copied", where);
  return r.new_slot(r.read(source, where), where);
}

void assign_slot(Slot target, Slot source, Where where) {
  Recorder& r = Recorder::get("a tile is assigned", where);
  ValueId value = r.read(source, where);
  if (std::optional<Slot> number = r.check(target, where)) r.assign_number(*number, value);
}

void check_view_assignment(Where where) {
  Recorder& r = Recorder::get("a view is assigned", where);
  for (const auto& scope : r.scopes) {
    if (scope->kind == Scope::Kind::kernel || scope->is_guard) continue;
    r.error(where, "views are not assigned inside loops and conditions; make a new view, or choose between loaded tiles with where(...)");
    return;
  }
}

Slot emit(OpCode code, const Slot* operands, int count, Desc result, const Attr* attributes, int attribute_count, Where where) {
  Recorder& r = Recorder::get("a tile operation is used", where);
  trace::Op& op = begin(r, code, operands, count, attributes, attribute_count, where);
  return finish(r, op, r.type_of(result), where);
}

void emit_many(OpCode code, const Slot* operands, int count, const Desc* results, Slot* out, int result_count, const Attr* attributes,
               int attribute_count, Where where) {
  Recorder& r = Recorder::get("a tile operation is used", where);
  trace::Op& op = begin(r, code, operands, count, attributes, attribute_count, where);
  for (int i = 0; i < result_count; ++i) out[i] = finish(r, op, r.type_of(results[i]), where);
}

void effect(OpCode code, const Slot* operands, int count, const Attr* attributes, int attribute_count, Where where) {
  begin(Recorder::get("a memory operation is used", where), code, operands, count, attributes, attribute_count, where);
}

Slot emit_view(OpCode code, const Slot* operands, int count, ScalarType element, int rank, bool readonly, const Attr* attributes, int attribute_count,
               Where where) {
  Recorder& r = Recorder::get("a view operation is used", where);
  trace::Op& op = begin(r, code, operands, count, attributes, attribute_count, where);
  return finish(r, op, trace::Type::view(element, rank, readonly), where);
}

Slot index_slot(const IndexArg& index, Where where) {
  if (index.kind == IndexArg::slot) return convert(index.id, scalar_desc(index.element), scalar_desc(ScalarType::index), where);
  if (index.kind == IndexArg::missing)
    Recorder::get("an index is used", where).error(where, "an offset is missing: give one per axis of the view, like {row, column}");
  return typed_constant(ScalarType::index, static_cast<std::uint64_t>(index.value), where);
}

Slot literal_integer(std::int64_t value, bool is_unsigned, ScalarType type, Where where) {
  if (is_float(type)) return literal_float(is_unsigned ? static_cast<double>(static_cast<std::uint64_t>(value)) : static_cast<double>(value), type, where);
  int width = bit_width(type);
  bool fits = true;
  bool huge = is_unsigned && value < 0;  // a value above the range of int64
  if (is_unsigned_integer(type) || type == ScalarType::boolean)
    fits = (value >= 0 || is_unsigned) && (width == 64 || static_cast<std::uint64_t>(value) < (std::uint64_t{1} << width));
  else
    fits = !huge && (width == 64 || (value >= -(std::int64_t{1} << (width - 1)) && value < (std::int64_t{1} << (width - 1))));
  if (!fits) {
    std::string text = huge ? std::to_string(static_cast<std::uint64_t>(value)) : std::to_string(value);
    Recorder::get("a literal is used", where).error(where, "the literal " + text + " does not fit the tile's elements of type " + std::string(name(type)) + "; cast the tile to a wider type first");
  }
  std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  return typed_constant(type, static_cast<std::uint64_t>(value) & mask, where);
}

Slot literal_float(double value, ScalarType type, Where where) {
  switch (type) {
    case ScalarType::f16: return typed_constant(type, encode_minifloat(value, format_f16), where);
    case ScalarType::bf16: return typed_constant(type, encode_minifloat(value, format_bf16), where);
    case ScalarType::f8e4m3: return typed_constant(type, encode_minifloat(value, format_f8e4m3), where);
    case ScalarType::f8e5m2: return typed_constant(type, encode_minifloat(value, format_f8e5m2), where);
    case ScalarType::f32: return typed_constant(type, std::bit_cast<std::uint32_t>(static_cast<float>(value)), where);
    case ScalarType::f64: return typed_constant(type, std::bit_cast<std::uint64_t>(value), where);
    default: return literal_integer(static_cast<std::int64_t>(value), false, type, where);
  }
}

Slot to_shape(Slot value, Desc from, Desc to, Where where) {
  if (to.rank == 0) return value;
  if (from.rank == 0) return simple(OpCode::Splat, {value}, {from.element, to.rank, to.shape}, where);
  std::vector<std::int64_t> padded(static_cast<std::size_t>(to.rank), 1);
  for (int i = 0; i < from.rank; ++i) padded[static_cast<std::size_t>(to.rank - from.rank + i)] = from.shape[i];
  Desc aligned{from.element, to.rank, padded.data()};
  if (from.rank < to.rank) value = simple(OpCode::Reshape, {value}, aligned, where);
  if (padded == std::vector<std::int64_t>(to.shape, to.shape + to.rank)) return value;
  return simple(OpCode::Broadcast, {value}, {from.element, to.rank, to.shape}, where);
}

Slot binary(Binary kind, Slot a, Desc da, Slot b, Desc db, Desc result, Where where) {
  ScalarType common = da.element;
  if (da.element != db.element) {
    // Index mixes with integers: both become index.
    common = ScalarType::index;
    a = convert(a, da, {common, da.rank, da.shape}, where), b = convert(b, db, {common, db.rank, db.shape}, where);
  }
  Desc shape{common, result.rank, result.shape};
  a = to_shape(a, {common, da.rank, da.shape}, shape, where);
  b = to_shape(b, {common, db.rank, db.shape}, shape, where);
  if (kind >= Binary::eq && kind <= Binary::ge)
    return simple(choose(kind, common).code, {a, b}, result, where, {{"predicate", Attr::number, predicate_of(kind, common)}});
  Choice choice = choose(kind, common);
  if (choice.unsigned_attribute) return simple(choice.code, {a, b}, result, where, {{"is_unsigned"}});
  return simple(choice.code, {a, b}, result, where);
}

Slot convert(Slot value, Desc from, Desc to, Where where) {
  if (from.element == to.element) return value;
  Attr attributes[2];
  int count = 0;
  if (is_unsigned_integer(from.element)) attributes[count++] = {"source_unsigned"};
  if (is_unsigned_integer(to.element)) attributes[count++] = {"result_unsigned"};
  return emit(OpCode::Cast, &value, 1, to, attributes, count, where);
}

Slot negate(Slot value, Desc type, Where where) {
  if (is_float(type.element)) return simple(OpCode::NegF, {value}, type, where);
  Slot zero = to_shape(literal_integer(0, false, type.element, where), scalar_desc(type.element), type, where);
  return simple(OpCode::SubI, {zero, value}, type, where);
}

Slot invert(Slot value, Desc type, Where where) {
  std::uint64_t ones = bit_width(type.element) == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bit_width(type.element)) - 1;
  Slot mask = to_shape(typed_constant(type.element, ones, where), scalar_desc(type.element), type, where);
  return simple(OpCode::XOrI, {value, mask}, type, where);
}

void declare_grid(const IndexArg* extents, const IndexArg* steps, int count, bool in_order, Slot* offsets, Where where) {
  Recorder& r = Recorder::get("grid(...) is called", where);
  if (r.grid_declared) r.error(where, "the grid is declared a second time (first at line " + std::to_string(r.grid_where.line()) + "); declare it once");
  else if (r.scopes.size() > 1) r.error(where, "the grid is declared inside a loop or condition; declare it at the top of the kernel");
  r.grid_declared = true;
  r.grid_where = where;
  std::vector<Slot> operands;
  for (int i = 0; i < count; ++i) operands.push_back(index_slot(extents[i], where));
  for (int i = 0; i < count; ++i) {
    operands.push_back(index_slot(steps[i], where));
    if (steps[i].kind == IndexArg::literal && steps[i].value < 1)
      r.error(where, "the step of tiles(extent, step) must be at least 1; it is " + std::to_string(steps[i].value));
  }
  Attr attribute{"in_order"};
  std::vector<Desc> results(static_cast<std::size_t>(count), scalar_desc(ScalarType::index));
  emit_many(OpCode::Grid, operands.data(), 2 * count, results.data(), offsets, count, &attribute, in_order ? 1 : 0, where);
}

void Recorder::check_hint(const char* name, std::int64_t value, Where where) {
  if (value < 0) error(where, "hint{." + std::string(name) + " = " + std::to_string(value) + "} is negative; 0 leaves the choice to the compiler");
}

void add_hint(const char* name, std::int64_t value, Where where) {
  Recorder& r = Recorder::get("a hint is given", where);
  r.check_hint(name, value, where);
  r.hints[name] = value;
}

// ---- built-in reductions ----

namespace {

Slot combine_pair(Fold kind, ScalarType type, Slot a, Slot b, Where where) {
  Desc d = scalar_desc(type);
  switch (kind) {
    case Fold::sum: return binary(Binary::add, a, d, b, d, d, where);
    case Fold::prod: return binary(Binary::mul, a, d, b, d, d, where);
    case Fold::min: return binary(Binary::min, a, d, b, d, d, where);
    case Fold::max: return binary(Binary::max, a, d, b, d, d, where);
    case Fold::any: return binary(Binary::bit_or, a, d, b, d, d, where);
    default: return binary(Binary::bit_and, a, d, b, d, d, where);
  }
}

/// The index of the extreme value: the first NaN if there is one, else the lowest index among equals.
Slot fold_index(Fold kind, Slot source, Desc from, Desc to, int axis, Where where) {
  std::int64_t length = from.shape[axis];
  std::vector<std::int64_t> line(static_cast<std::size_t>(from.rank), 1);
  line[static_cast<std::size_t>(axis)] = length;
  Desc index_line{ScalarType::index, from.rank, line.data()}, i32_line{ScalarType::i32, from.rank, line.data()}, i32_all{ScalarType::i32, from.rank, from.shape};
  Slot positions = simple(OpCode::Iota, {}, index_line, where, {{"axis", Attr::number, axis}});
  positions = to_shape(convert(positions, index_line, i32_line, where), i32_line, i32_all, where);
  ScalarType elements[2] = {from.element, ScalarType::i32};
  Slot arguments[4];
  int token = open_combine(elements, 2, arguments, where);
  Desc value = scalar_desc(from.element), index = scalar_desc(ScalarType::i32), flag = scalar_desc(ScalarType::boolean);
  auto test = [&](Binary op, Slot a, Slot b, Desc d) { return binary(op, a, d, b, d, flag, where); };
  auto both = [&](Binary op, Slot a, Slot b) { return binary(op, a, flag, b, flag, flag, where); };
  Slot better = test(kind == Fold::argmax ? Binary::gt : Binary::lt, arguments[2], arguments[0], value);
  Slot equal = test(Binary::eq, arguments[2], arguments[0], value);
  if (is_float(from.element)) {
    Slot left_nan = test(Binary::ne, arguments[0], arguments[0], value), right_nan = test(Binary::ne, arguments[2], arguments[2], value);
    Slot only_right = both(Binary::bit_and, right_nan, invert(left_nan, flag, where));
    better = both(Binary::bit_or, better, only_right);
    equal = both(Binary::bit_or, equal, both(Binary::bit_and, right_nan, left_nan));
  }
  Slot earlier = test(Binary::lt, arguments[3], arguments[1], index);
  Slot take = both(Binary::bit_or, better, both(Binary::bit_and, equal, earlier));
  Slot yields[2] = {simple(OpCode::Select, {take, arguments[2], arguments[0]}, value, where),
                    simple(OpCode::Select, {take, arguments[3], arguments[1]}, index, where)};
  Slot sources[2] = {source, positions}, out[2];
  Desc results[2] = {{from.element, to.rank, to.shape}, {ScalarType::i32, to.rank, to.shape}};
  close_combine(token, false, false, sources, yields, results, out, 2, axis, where);
  return out[1];
}

}  // namespace

Slot fold(Fold kind, bool scan, bool reverse, Slot source, Desc from, Desc to, int axis, Where where) {
  if (kind == Fold::argmin || kind == Fold::argmax) return fold_index(kind, source, from, to, axis, where);
  // Narrow floats add up in f32 and are rounded once; narrow integers and bool in 32 bits, which is the result's type.
  ScalarType work = to.element;
  bool adds = kind == Fold::sum || kind == Fold::prod;
  if (adds && (work == ScalarType::f16 || work == ScalarType::bf16)) work = ScalarType::f32;
  Desc wide{work, from.rank, from.shape}, wide_result{work, to.rank, to.shape};
  source = convert(source, from, wide, where);
  Slot arguments[2];
  int token = open_combine(&work, 1, arguments, where);
  Slot yield = combine_pair(kind, work, arguments[0], arguments[1], where), out;
  close_combine(token, scan, reverse, &source, &yield, &wide_result, &out, 1, axis, where);
  return convert(out, wide_result, to, where);
}

}  // namespace sectile::detail
