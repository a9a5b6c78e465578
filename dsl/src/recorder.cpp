// State of one recording and the plumbing shared by recorder_*.cpp: slots, scopes, locations, diagnostics.

#include "recorder.h"

#include "record.h"
#include "sectile/error.h"

#include <cctype>
#include <exception>

namespace sectile::detail {

static thread_local Recorder* active = nullptr;

Recorder& Recorder::get(const char* what, Where where) {
  if (!active) outside_kernel(what, where);
  return *active;
}

void outside_kernel(const char* what, Where where) {
  throw UserError(std::string(what) + " outside a kernel: tiles exist only while a kernel function is being recorded; call it through launch<kernel>(...) or "
                                      "compile<kernel>(...)",
                  where.line() ? text_of(where) : "");
}

Located::Located(Where where) : outer_(active && !active->located) {
  if (outer_) active->located = where;
}
Located::~Located() {
  if (outer_ && active) active->located.reset();
}

Where Recorder::place(Where where) {
  if (located) where = *located;
  return where.line() ? last_where = where : last_where;
}

std::string text_of(Where where) {
  return std::string(where.file_name()) + ":" + std::to_string(where.line()) + ":" + std::to_string(where.column());
}

void Recorder::error(Where where, const std::string& message) {
  std::string text = text_of(place(where)) + ": " + message;
  for (const std::string& known : diagnostics)
    if (known == text) return;
  diagnostics.push_back(text);
}

trace::LocationId Recorder::locate(Where where) {
  where = place(where);
  trace::Location location{where.file_name(), where.line(), where.column(), where.function_name()};
  for (std::size_t i = locations.size(); i-- > 0;)
    if (locations[i] == location) return static_cast<trace::LocationId>(i);
  locations.push_back(location);
  return static_cast<trace::LocationId>(locations.size() - 1);
}

ValueId Recorder::new_value(trace::Type type) {
  value_types.push_back(std::move(type));
  replaced.push_back(static_cast<ValueId>(value_types.size() - 1));
  return static_cast<ValueId>(value_types.size() - 1);
}

ValueId Recorder::resolve(ValueId id) const {
  while (replaced[id] != id) id = replaced[id];
  return id;
}

Slot Recorder::new_slot(ValueId value, Where where) {
  Slot slot = static_cast<Slot>(slots.size());
  slots.push_back({scopes.back()->id, value_types[value], place(where)});
  scopes.back()->bindings[slot] = value;
  return slot | stamp;
}

bool Recorder::is_open(int scope) const {
  for (const auto& open : scopes)
    if (open->id == scope) return true;
  return false;
}

/// Number of the slot in this recording, or nothing after a diagnostic.
std::optional<Slot> Recorder::check(Slot slot, Where where) {
  if ((slot & ~slot_mask) != stamp || (slot & slot_mask) >= slots.size()) {
    error(where, "a tile of another kernel (or a static one) is used here; make every tile inside the kernel that uses it");
    return std::nullopt;
  }
  Slot number = slot & slot_mask;
  if (!is_open(slots[number].scope)) {
    error(where, "this tile was made at line " + std::to_string(slots[number].where.line()) +
                     " inside a loop or condition and is used after it; declare it before the loop and assign it inside");
    return std::nullopt;
  }
  return number;
}

/// Current value of a slot as seen from scope number `depth`; loops gain an argument for a variable from outside.
ValueId Recorder::read_at(std::size_t depth, Slot number) {
  Scope& scope = *scopes[depth];
  if (auto found = scope.bindings.find(number); found != scope.bindings.end()) return found->second;
  if (depth == 0) return 0;
  if (scope.is_loop()) return carry(depth, number);
  return read_at(depth - 1, number);
}

/// Makes `number`, a variable from outside, a carried variable of the loop at `depth`, and gives its value inside.
ValueId Recorder::carry(std::size_t depth, Slot number) {
  Scope& scope = *scopes[depth];
  Carried entry{number, read_at(depth - 1, number), new_value(slots[number].type), 0};
  entry.after = scope.kind == Scope::Kind::loop_while ? new_value(slots[number].type) : entry.before;
  scope.carried.push_back(entry);
  ValueId inside = scope.in_after ? entry.after : entry.before;
  scope.bindings[number] = inside;
  return inside;
}

ValueId Recorder::read(Slot slot, Where where) {
  std::optional<Slot> number = check(slot, where);
  if (!number) return 0;
  for (std::size_t depth = scopes.size(); depth-- > 0;) {
    if (scopes[depth]->kind != Scope::Kind::combine) continue;
    bool inner = false;
    for (std::size_t below = depth; below < scopes.size(); ++below) inner = inner || scopes[below]->bindings.contains(*number);
    if (!inner) error(where, "the function given to reduce or scan uses a tile from outside; it may use its own arguments and constants only");
  }
  return read_at(scopes.size() - 1, *number);
}

void Recorder::assign_number(Slot number, ValueId value) {
  Scope& scope = *scopes.back();
  // The variable must be known to the innermost loop before its new value is.
  if (slots[number].scope != scope.id && !scope.bindings.contains(number)) read_at(scopes.size() - 1, number);
  scope.bindings[number] = value;
  scope.assigned.insert(number);
}

trace::Op& Recorder::append(OpCode code, Where where) {
  trace::Op& op = scopes.back()->ops.emplace_back();
  op.code = code;
  op.location = locate(where);
  return op;
}

Scope& Recorder::open(Scope::Kind kind, Where where) {
  auto scope = std::make_unique<Scope>();
  scope->kind = kind;
  scope->token = scope->id = next_scope++;
  scope->where = where;
  scopes.push_back(std::move(scope));
  if (scopes.size() == trace::max_nesting + 2)  // the kernel itself, and the first beyond
    error(where, "loops, conditions and functions of reductions are more than " + std::to_string(trace::max_nesting) +
                     " deep, where every break_if(...) counts as a condition; join conditions with &, or split the kernel");
  return *scopes.back();
}

std::unique_ptr<Scope> Recorder::close() {
  std::unique_ptr<Scope> scope = std::move(scopes.back());
  scopes.pop_back();
  return scope;
}

trace::Type Recorder::type_of(Desc desc) const { return trace::Type::tile(desc.element, {desc.shape, desc.shape + desc.rank}); }

// ---- renumbering: ids in the order in which a reader of the bytes would define them ----

namespace {

class Renumber {
 public:
  Renumber(const Recorder& recorder, trace::Trace& trace) : recorder_(recorder), trace_(trace), ids_(recorder.value_types.size(), 0) {}

  void run() {
    for (ValueId& id : trace_.parameters) id = define(id);
    visit(trace_.ops);
    trace_.value_count = next_;
  }

 private:
  ValueId define(ValueId old) { return ids_[old] = next_++; }

  void visit(std::vector<trace::Op>& ops) {
    for (trace::Op& op : ops) {
      for (ValueId& operand : op.operands) operand = ids_[recorder_.resolve(operand)];
      for (trace::Region& region : op.regions) {
        for (ValueId& argument : region.arguments) argument = define(argument);
        visit(region.ops);
      }
      for (ValueId& result : op.results) result = define(result);
    }
  }

  const Recorder& recorder_;
  trace::Trace& trace_;
  std::vector<ValueId> ids_;
  ValueId next_ = 0;
};

std::string identifier(const char* name) {
  std::string text = name ? name : "";
  // The name comes from __PRETTY_FUNCTION__ of a template on the kernel: "... [with auto Kernel = f<...>; ...]" or "... [Kernel = &f<...>]".
  if (std::size_t start = text.find("Kernel = "); start != std::string::npos) text = text.substr(start + 9);
  text = text.substr(0, text.find_first_of("<;]("));
  std::string result;
  for (char c : text) {
    bool good = std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    if (good) result += c;
    else if (!result.empty() && result.back() != '_') result += '_';
  }
  while (!result.empty() && result.back() == '_') result.pop_back();
  if (result.empty() || std::isdigit(static_cast<unsigned char>(result[0]))) result = "kernel_" + result;
  return result.substr(0, 120);
}

class ActiveRecorder {
 public:
  explicit ActiveRecorder(Recorder& recorder) : before_(active) { active = &recorder; }
  ~ActiveRecorder() { active = before_; }
  ActiveRecorder(const ActiveRecorder&) = delete;

 private:
  Recorder* before_;
};

}  // namespace

Slot parameter_slot(int position) { return static_cast<Slot>(position) | Recorder::get("a kernel parameter is used", Where::current()).stamp; }

}  // namespace sectile::detail

namespace sectile {

trace::Trace record(const detail::KernelInfo& kernel) {
  static std::atomic<std::uint32_t> recordings{1};
  detail::Recorder recorder;
  recorder.stamp = static_cast<detail::Slot>(recordings.fetch_add(1)) << 32;
  trace::Trace trace;
  trace.name = detail::identifier(kernel.name);
  recorder.locations.push_back({});
  recorder.open(detail::Scope::Kind::kernel, std::source_location::current());
  for (int i = 0; i < kernel.parameter_count; ++i) {
    const detail::ParameterInfo& parameter = kernel.parameters[i];
    trace.parameter_types.push_back(parameter.is_view ? trace::Type::view(parameter.element, parameter.rank, parameter.readonly)
                                                      : trace::Type::scalar(parameter.element));
    trace.parameters.push_back(recorder.new_value(trace.parameter_types.back()));
    recorder.new_slot(trace.parameters.back(), std::source_location::current());
  }
  trace.parameter_locations.assign(trace.parameters.size(), trace::unknown_location);
  {
    detail::ActiveRecorder guard(recorder);
    kernel.invoke();
  }
  if (!recorder.grid_declared)
    recorder.diagnostics.push_back(trace.name + ": the kernel declares no grid; call grid(tiles(extent, step), ...) once, before the first load or store");
  if (recorder.scopes.size() != 1 && recorder.diagnostics.empty())
    recorder.diagnostics.push_back(trace.name + ": a loop or condition of the kernel was left open; do not leave it by break, return or goto");
  if (!recorder.diagnostics.empty()) {
    std::string text;
    for (const std::string& line : recorder.diagnostics) text += (text.empty() ? "" : "\n") + line;
    throw UserError(text, "");
  }
  recorder.append(trace::OpCode::Return, std::source_location::current()).location = trace::unknown_location;
  trace.ops = std::move(recorder.scopes.front()->ops);
  for (const auto& [name, value] : recorder.hints) trace.hints.push_back({name, value});
  trace.locations = recorder.locations;
  detail::Renumber(recorder, trace).run();
  return trace;
}

}  // namespace sectile
