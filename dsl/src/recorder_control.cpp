// Loops, conditions, early exits and combine regions.

#include "recorder.h"

#include <algorithm>
#include <exception>
#include <string_view>

namespace sectile::detail {
namespace {

trace::Op make(OpCode code, std::vector<ValueId> operands, trace::LocationId location) {
  trace::Op op;
  op.code = code;
  op.operands = std::move(operands);
  op.location = location;
  return op;
}

ValueId bound(const std::map<Slot, ValueId>& bindings, Slot slot, ValueId otherwise) {
  auto found = bindings.find(slot);
  return found == bindings.end() ? otherwise : found->second;
}

/// Appends `op` with results for the variables that it changes, and gives them their new values in the enclosing scope.
void finish(Recorder& r, trace::Op op, const std::vector<Slot>& changed) {
  std::vector<std::pair<Slot, ValueId>> results;
  for (Slot slot : changed) {
    op.result_types.push_back(r.slots[slot].type);
    op.results.push_back(r.new_value(r.slots[slot].type));
    results.emplace_back(slot, op.results.back());
  }
  r.scopes.back()->ops.push_back(std::move(op));
  for (auto [slot, value] : results) r.assign_number(slot, value);
}

ValueId constant(Recorder& r, std::vector<trace::Op>& ops, trace::TypedScalar value, trace::LocationId location) {
  trace::Op op = make(OpCode::Constant, {}, location);
  op.attributes.push_back({"value", value});
  op.result_types.push_back(trace::Type::scalar(value.type));
  op.results.push_back(r.new_value(op.result_types.back()));
  ops.push_back(op);
  return op.results.back();
}

ValueId compute(Recorder& r, std::vector<trace::Op>& ops, OpCode code, std::vector<ValueId> operands, ScalarType type, trace::LocationId location,
                std::vector<trace::Attribute> attributes = {}) {
  trace::Op op = make(code, std::move(operands), location);
  op.attributes = std::move(attributes);
  op.result_types.push_back(trace::Type::scalar(type));
  op.results.push_back(r.new_value(op.result_types.back()));
  ops.push_back(op);
  return op.results.back();
}

/// Splits a loop's variables: never assigned ones become the outer value; the others stay.
std::vector<Carried> prune(Recorder& r, Scope& scope) {
  std::vector<Carried> kept;
  for (const Carried& entry : scope.carried) {
    ValueId before = scope.kind == Scope::Kind::loop_while ? bound(scope.condition_bindings, entry.slot, entry.before) : entry.before;
    ValueId last = bound(scope.bindings, entry.slot, entry.after);
    if (before == entry.before && last == entry.after) {
      r.replaced[entry.before] = entry.outer;
      r.replaced[entry.after] = entry.outer;
    } else {
      kept.push_back(entry);
    }
  }
  return kept;
}

void finish_plain_for(Recorder& r, Scope& scope, const std::vector<Carried>& carried) {
  trace::LocationId location = r.locate(scope.where);
  trace::Op op = make(OpCode::For, scope.operands, location);
  op.attributes = scope.hints;
  trace::Region region;
  region.arguments.push_back(scope.induction);
  region.argument_types.push_back(trace::Type::scalar(ScalarType::index));
  std::vector<ValueId> yields;
  std::vector<Slot> changed;
  for (const Carried& entry : carried) {
    op.operands.push_back(entry.outer);
    region.arguments.push_back(entry.before);
    region.argument_types.push_back(r.slots[entry.slot].type);
    yields.push_back(bound(scope.bindings, entry.slot, entry.before));
    changed.push_back(entry.slot);
  }
  scope.ops.push_back(make(OpCode::ControlYield, yields, location));
  region.ops = std::move(scope.ops);
  op.regions.push_back(std::move(region));
  finish(r, std::move(op), changed);
}

/// A loop with an early exit: while (index < high && !broken) { ...; index += step }.
void finish_breaking_for(Recorder& r, Scope& scope, const std::vector<Carried>& carried) {
  trace::LocationId location = r.locate(scope.where);
  const trace::Type index = trace::Type::scalar(ScalarType::index);
  trace::Op op = make(OpCode::While, {scope.operands[0]}, location);
  op.attributes = scope.hints;
  trace::Region before, after;
  ValueId position = r.new_value(index);
  before.arguments.push_back(position), before.argument_types.push_back(index);
  after.arguments.push_back(scope.induction), after.argument_types.push_back(index);
  std::vector<ValueId> forwarded{position}, yields;
  ValueId broken = 0;
  std::vector<Slot> changed;
  for (const Carried& entry : carried) {
    ValueId argument = r.new_value(r.slots[entry.slot].type);
    op.operands.push_back(entry.outer);
    before.arguments.push_back(argument), before.argument_types.push_back(r.slots[entry.slot].type);
    after.arguments.push_back(entry.before), after.argument_types.push_back(r.slots[entry.slot].type);
    forwarded.push_back(argument);
    yields.push_back(bound(scope.bindings, entry.slot, entry.before));
    changed.push_back(entry.slot);
    if (entry.slot == *scope.broken) broken = argument;
  }
  ValueId inside = compute(r, before.ops, OpCode::CmpI, {position, scope.operands[1]}, ScalarType::boolean, location, {{"predicate", std::int64_t{2}}});
  ValueId yes = constant(r, before.ops, {ScalarType::boolean, 1}, location);
  ValueId whole = compute(r, before.ops, OpCode::XOrI, {broken, yes}, ScalarType::boolean, location);
  ValueId go = compute(r, before.ops, OpCode::AndI, {inside, whole}, ScalarType::boolean, location);
  forwarded.insert(forwarded.begin(), go);
  before.ops.push_back(make(OpCode::Condition, forwarded, location));
  ValueId next = compute(r, scope.ops, OpCode::AddI, {scope.induction, scope.operands[2]}, ScalarType::index, location);
  yields.insert(yields.begin(), next);
  scope.ops.push_back(make(OpCode::ControlYield, yields, location));
  after.ops = std::move(scope.ops);
  op.regions.push_back(std::move(before));
  op.regions.push_back(std::move(after));
  op.result_types.push_back(index);
  op.results.push_back(r.new_value(index));
  finish(r, std::move(op), changed);
}

/// The end of a loop whose step is known only when it runs: one that is not positive fails the kernel, and its loop has no iteration rather than no end.
ValueId end_for_step(Recorder& r, ValueId low, ValueId high, ValueId step, Where where) {
  Scope& scope = *r.scopes.back();
  trace::LocationId location = r.locate(where);
  ValueId zero = constant(r, scope.ops, {ScalarType::index, 0}, location);
  ValueId positive = compute(r, scope.ops, OpCode::CmpI, {step, zero}, ScalarType::boolean, location, {{"predicate", std::int64_t{4}}});
  auto combines = [](const auto& open) { return open->kind == Scope::Kind::combine; };
  if (std::none_of(r.scopes.begin(), r.scopes.end(), combines)) {  // whose functions have no effects
    trace::Op check = make(OpCode::Assert, {positive}, location);
    check.attributes.push_back({"text", std::string("the step of this range is not positive; give it a step of at least 1")});
    scope.ops.push_back(std::move(check));
  }
  return compute(r, scope.ops, OpCode::Select, {positive, high, low}, ScalarType::index, location);
}

bool unwinding(const char* what, Recorder*& r, Where where) {
  if (std::uncaught_exceptions() > 0) return true;
  r = &Recorder::get(what, where);
  return false;
}

}  // namespace

int open_for(const IndexArg& low, const IndexArg& high, const IndexArg& step, const Attr* hints, int hint_count, Slot* index, Where where) {
  Recorder& r = Recorder::get("range(...) is used", where);
  std::vector<ValueId> operands;
  for (const IndexArg* bound : {&low, &high, &step}) operands.push_back(r.read(index_slot(*bound, where), where));
  if (step.kind == IndexArg::literal && step.value <= 0) r.error(where, "the step of a range must be positive; it is " + std::to_string(step.value));
  if (step.kind != IndexArg::literal) operands[1] = end_for_step(r, operands[0], operands[1], operands[2], where);
  Scope& scope = r.open(Scope::Kind::loop_for, where);
  scope.operands = operands;
  for (int i = 0; i < hint_count; ++i) {
    r.check_hint(hints[i].name, hints[i].value, where);
    if (std::string_view(hints[i].name) == "stages") scope.hints.push_back({"tile.stages", hints[i].value});
    else r.error(where, "a range takes hint{.stages = n} only; give hint{." + std::string(hints[i].name) + "} to grid(...), for the whole kernel");
  }
  scope.induction = r.new_value(trace::Type::scalar(ScalarType::index));
  *index = r.new_slot(scope.induction, where);
  return scope.token;
}

void close_for(int token) {
  Recorder* r = nullptr;
  if (unwinding("a loop ends", r, Where::current())) return;
  r->close_guards();
  if (r->scopes.back()->token != token) return;
  std::unique_ptr<Scope> scope = r->close();
  std::vector<Carried> carried = prune(*r, *scope);
  if (scope->broken) finish_breaking_for(*r, *scope, carried);
  else finish_plain_for(*r, *scope, carried);
}

void abandon_loop(int token) {
  Recorder* r = nullptr;
  if (std::uncaught_exceptions() > 0) return;
  r = &Recorder::get("a loop ends", Where::current());
  for (std::size_t depth = 0; depth < r->scopes.size(); ++depth) {
    if (r->scopes[depth]->token != token) continue;
    r->error(r->scopes[depth]->where, "this loop over range(...) was left by break, return or goto, which happens while recording and not on the device; use "
                                      "break_if(condition) to leave it there");
    r->scopes.resize(depth);
    return;
  }
}

int open_if(Slot condition, Where where) {
  Recorder& r = Recorder::get("when(...) is used", where);
  ValueId value = r.read(condition, where);
  Scope& scope = r.open(Scope::Kind::branch, where);
  scope.condition = value;
  return scope.token;
}

void begin_else(int token) {
  Recorder* r = nullptr;
  if (unwinding("otherwise(...) is used", r, Where::current())) return;
  r->close_guards();
  Scope& scope = *r->scopes.back();
  if (scope.token != token) return;
  scope.in_else = true;
  scope.then_ops = std::move(scope.ops);
  scope.then_bindings = std::move(scope.bindings);
  scope.then_assigned = std::move(scope.assigned);
  scope.ops.clear(), scope.bindings.clear(), scope.assigned.clear();
  scope.id = r->fresh_scope();  // tiles made in the first branch are gone in the second
}

static void finish_if(Recorder& r, std::unique_ptr<Scope> scope) {
  if (!scope->in_else) {
    scope->then_ops = std::move(scope->ops), scope->then_bindings = std::move(scope->bindings), scope->then_assigned = std::move(scope->assigned);
    scope->ops.clear(), scope->bindings.clear(), scope->assigned.clear();
  }
  trace::LocationId location = r.locate(scope->where);
  trace::Op op = make(OpCode::If, {scope->condition}, location);
  std::set<Slot> assigned = scope->then_assigned;
  assigned.insert(scope->assigned.begin(), scope->assigned.end());
  std::vector<Slot> changed;
  std::vector<ValueId> then_yields, else_yields;
  for (Slot slot : assigned) {
    if (r.slots[slot].scope == scope->id || r.slots[slot].scope == scope->token) continue;
    ValueId outer = r.read_at(r.scopes.size() - 1, slot);
    ValueId yes = bound(scope->then_bindings, slot, outer), no = bound(scope->bindings, slot, outer);
    if (yes == no) continue;
    changed.push_back(slot), then_yields.push_back(yes), else_yields.push_back(no);
  }
  scope->then_ops.push_back(make(OpCode::ControlYield, then_yields, location));
  scope->ops.push_back(make(OpCode::ControlYield, else_yields, location));
  op.regions.resize(2);
  op.regions[0].ops = std::move(scope->then_ops);
  op.regions[1].ops = std::move(scope->ops);
  finish(r, std::move(op), changed);
}

static Slot broken_slot_of_loop(Recorder& r, std::size_t* depth_out);

/// Opens the guard for the rest of the current block: it runs only while the loop has not been left.
static void open_guard(Recorder& r, Where where) {
  std::size_t depth = 0;
  Slot broken = broken_slot_of_loop(r, &depth);
  ValueId flag = r.read_at(r.scopes.size() - 1, broken);
  std::vector<trace::Op>& ops = r.scopes.back()->ops;
  ValueId yes = constant(r, ops, {ScalarType::boolean, 1}, r.locate(where));
  ValueId go = compute(r, ops, OpCode::XOrI, {flag, yes}, ScalarType::boolean, r.locate(where));
  Scope& guard = r.open(Scope::Kind::branch, where);
  guard.condition = go;
  guard.is_guard = true;
}

void close_if(int token) {
  Recorder* r = nullptr;
  if (unwinding("when(...) ends", r, Where::current())) return;
  r->close_guards();
  if (r->scopes.back()->token != token) return;
  std::unique_ptr<Scope> scope = r->close();
  bool saw_break = scope->saw_break;
  Where where = scope->where;
  finish_if(*r, std::move(scope));
  if (!saw_break) return;
  if (r->scopes.back()->kind == Scope::Kind::branch) r->scopes.back()->saw_break = true;
  open_guard(*r, where);
}

void Recorder::close_guards() {
  while (scopes.size() > 1 && scopes.back()->is_guard) {
    std::unique_ptr<Scope> scope = close();
    finish_if(*this, std::move(scope));
  }
}

/// The flag "this loop was left" of the innermost loop, made at its first use.
static Slot broken_slot_of_loop(Recorder& r, std::size_t* depth_out) {
  for (std::size_t depth = r.scopes.size(); depth-- > 1;) {
    Scope& scope = *r.scopes[depth];
    if (!scope.is_loop()) continue;
    *depth_out = depth;
    if (!scope.broken) {
      Scope& outer = *r.scopes[depth - 1];
      ValueId no = constant(r, outer.ops, {ScalarType::boolean, 0}, r.locate(scope.where));
      Slot slot = static_cast<Slot>(r.slots.size());
      r.slots.push_back({outer.id, trace::Type::scalar(ScalarType::boolean), scope.where});
      outer.bindings[slot] = no;
      scope.broken = slot;
    }
    return *scope.broken;
  }
  return 0;
}

void break_if_slot(Slot condition, Where where) {
  Recorder& r = Recorder::get("break_if(...) is used", where);
  const Scope* around = nullptr;
  for (auto scope = r.scopes.rbegin(); scope != r.scopes.rend() && !around; ++scope)
    if ((*scope)->is_loop() || (*scope)->kind == Scope::Kind::combine) around = scope->get();
  if (!around) return r.error(where, "break_if(...) is not inside a loop over range(...) or the body of loop_while(...)");
  if (around->kind == Scope::Kind::combine) return r.error(where, "break_if(...) is used in a function given to reduce or scan, which has no loop to leave");
  if (around->kind == Scope::Kind::loop_while && !around->in_after)
    return r.error(where, "break_if(...) is used in the condition of loop_while(...); let the condition return false instead");
  ValueId value = r.read(condition, where);
  std::size_t depth = 0;
  Slot broken = broken_slot_of_loop(r, &depth);
  r.assign_number(broken, value);
  for (std::size_t inner = depth + 1; inner < r.scopes.size(); ++inner) r.scopes[inner]->saw_break = true;
  open_guard(r, where);
}

int open_while(Where where) { return Recorder::get("loop_while(...) is used", where).open(Scope::Kind::loop_while, where).token; }

void while_condition(int token, Slot condition) {
  Recorder& r = Recorder::get("loop_while(...) is used", Where::current());
  Scope& scope = *r.scopes.back();
  if (scope.token != token) return;
  scope.condition = r.read(condition, scope.where);
  scope.condition_ops = std::move(scope.ops);
  scope.condition_bindings = std::move(scope.bindings);
  scope.ops.clear(), scope.bindings.clear();
  scope.in_after = true;
  for (const Carried& entry : scope.carried) scope.bindings[entry.slot] = entry.after;
}

/// After an early exit the condition is not evaluated again: `if (!broken) { condition } else { false }`, for its value and what it assigns.
static void guard_condition(Recorder& r, Scope& scope, const std::vector<Carried>& carried, trace::LocationId location) {
  std::vector<trace::Op> ops;
  trace::Op op = make(OpCode::If, {}, location);
  std::vector<ValueId> then_yields{scope.condition}, else_yields;
  op.regions.resize(2);
  else_yields.push_back(constant(r, op.regions[1].ops, {ScalarType::boolean, 0}, location));
  auto result = [&](trace::Type type) { return op.result_types.push_back(type), op.results.emplace_back(r.new_value(type)); };
  scope.condition = result(trace::Type::scalar(ScalarType::boolean));
  for (const Carried& entry : carried) {
    if (entry.slot == *scope.broken) {
      ValueId yes = constant(r, ops, {ScalarType::boolean, 1}, location);
      op.operands = {compute(r, ops, OpCode::XOrI, {entry.before, yes}, ScalarType::boolean, location)};
    }
    ValueId assigned = bound(scope.condition_bindings, entry.slot, entry.before);
    if (assigned == entry.before) continue;
    then_yields.push_back(assigned), else_yields.push_back(entry.before);
    scope.condition_bindings[entry.slot] = result(r.slots[entry.slot].type);
  }
  scope.condition_ops.push_back(make(OpCode::ControlYield, then_yields, location));
  op.regions[1].ops.push_back(make(OpCode::ControlYield, else_yields, location));
  op.regions[0].ops = std::move(scope.condition_ops);
  ops.push_back(std::move(op));
  scope.condition_ops = std::move(ops);
}

void close_while(int token) {
  Recorder* r = nullptr;
  if (unwinding("loop_while(...) ends", r, Where::current())) return;
  r->close_guards();
  if (r->scopes.back()->token != token) return;
  std::unique_ptr<Scope> scope = r->close();
  std::vector<Carried> carried = prune(*r, *scope);
  trace::LocationId location = r->locate(scope->where);
  if (scope->broken) guard_condition(*r, *scope, carried, location);
  trace::Op op = make(OpCode::While, {}, location);
  trace::Region before, after;
  std::vector<ValueId> forwarded{scope->condition}, yields;
  std::vector<Slot> changed;
  for (const Carried& entry : carried) {
    const trace::Type& type = r->slots[entry.slot].type;
    op.operands.push_back(entry.outer);
    before.arguments.push_back(entry.before), before.argument_types.push_back(type);
    after.arguments.push_back(entry.after), after.argument_types.push_back(type);
    forwarded.push_back(bound(scope->condition_bindings, entry.slot, entry.before));
    yields.push_back(bound(scope->bindings, entry.slot, entry.after));
    changed.push_back(entry.slot);
  }
  scope->condition_ops.push_back(make(OpCode::Condition, forwarded, location));
  scope->ops.push_back(make(OpCode::ControlYield, yields, location));
  before.ops = std::move(scope->condition_ops);
  after.ops = std::move(scope->ops);
  op.regions.push_back(std::move(before));
  op.regions.push_back(std::move(after));
  finish(*r, std::move(op), changed);
}

int open_combine(const ScalarType* elements, int count, Slot* arguments, Where where) {
  Recorder& r = Recorder::get("reduce or scan is used", where);
  Scope& scope = r.open(Scope::Kind::combine, where);
  for (int i = 0; i < 2 * count; ++i) {
    scope.operands.push_back(r.new_value(trace::Type::scalar(elements[i % count])));
    arguments[i] = r.new_slot(scope.operands.back(), where);
  }
  return scope.token;
}

void close_combine(int token, bool scan, bool reverse, const Slot* sources, const Slot* yields, const Desc* results, Slot* out, int count, int axis,
                   Where where) {
  Recorder& r = Recorder::get("reduce or scan is used", where);
  if (r.scopes.back()->token != token) return;
  trace::Op yield = make(OpCode::Yield, {}, r.locate(where));
  for (int i = 0; i < count; ++i) yield.operands.push_back(r.read(yields[i], where));
  std::unique_ptr<Scope> scope = r.close();
  for (const trace::Op& inner : scope->ops)
    if (!inner.regions.empty() || trace::info(inner.code).results != 1)
      r.error(where, "the function given to reduce or scan may only compute with its arguments; loops, conditions and memory are not allowed in it");
  trace::Op op = make(scan ? OpCode::Scan : OpCode::Reduce, {}, r.locate(where));
  for (int i = 0; i < count; ++i) op.operands.push_back(r.read(sources[i], where));
  op.attributes.push_back({"axis", std::int64_t{axis}});
  if (reverse) op.attributes.push_back({"reverse", trace::Unit{}});
  trace::Region& region = op.regions.emplace_back();
  for (ValueId argument : scope->operands) {
    region.arguments.push_back(argument);
    region.argument_types.push_back(r.value_types[argument]);
  }
  scope->ops.push_back(yield);
  region.ops = std::move(scope->ops);
  for (int i = 0; i < count; ++i) {
    op.result_types.push_back(r.type_of(results[i]));
    op.results.push_back(r.new_value(op.result_types.back()));
  }
  std::vector<ValueId> values = op.results;
  r.scopes.back()->ops.push_back(std::move(op));
  for (int i = 0; i < count; ++i) out[i] = r.new_slot(values[static_cast<std::size_t>(i)], where);
}

}  // namespace sectile::detail
