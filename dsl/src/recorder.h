// The recorder's state. Internal to dsl/src.
//
// A slot is a variable; each open scope maps slots to values. Reading a variable from outside a loop gives the loop an argument for it; when the
// loop closes, arguments that were never assigned are replaced by the outer value, the others are carried.
#pragma once

#include "sectile/detail/recorder.h"
#include "trace/trace.h"

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sectile::detail {

using trace::ValueId;

/// A variable from outside that a loop reads or assigns.
struct Carried {
  Slot slot;
  ValueId outer;   // value before the loop
  ValueId before;  // argument of the loop (of a while loop: of its condition region)
  ValueId after;   // argument of a while loop's body; otherwise equal to `before`
};

struct Scope {
  enum class Kind { kernel, loop_for, loop_while, branch, combine };
  Kind kind = Kind::kernel;
  int token = 0;  // names the scope to close_*
  int id = 0;     // owner of the slots made in it; a new one for an else branch
  Where where;
  std::vector<trace::Op> ops;
  std::map<Slot, ValueId> bindings;
  std::set<Slot> assigned;

  // Loops.
  std::vector<Carried> carried;
  std::vector<ValueId> operands;            // for: low, high, step
  std::vector<trace::Attribute> hints;      // for
  ValueId induction = 0;
  std::optional<Slot> broken;               // set by break_if
  bool in_after = false;                    // while: the body is being recorded
  std::vector<trace::Op> condition_ops;     // while: finished condition region
  std::map<Slot, ValueId> condition_bindings;
  ValueId condition = 0;

  // Branches.
  bool is_guard = false;                    // the rest of a block after break_if
  bool in_else = false;
  std::vector<trace::Op> then_ops;
  std::map<Slot, ValueId> then_bindings;
  std::set<Slot> then_assigned;
  bool saw_break = false;

  bool is_loop() const { return kind == Kind::loop_for || kind == Kind::loop_while; }
};

struct SlotInfo {
  int scope;
  trace::Type type;
  Where where;
};

class Recorder {
 public:
  /// The active recorder; throws UserError when none is.
  static Recorder& get(const char* what, Where where);

  static constexpr Slot slot_mask = 0xffffffff;
  Slot stamp = 0;  // of this recording, in the upper bits of its slots

  /// The user's place: `where`, or what Located says, or for `nearby` the last place seen.
  Where place(Where where);
  void error(Where where, const std::string& message);
  trace::LocationId locate(Where where);
  ValueId new_value(trace::Type type);
  ValueId resolve(ValueId id) const;
  Slot new_slot(ValueId value, Where where);
  ValueId read(Slot slot, Where where);
  void assign_number(Slot number, ValueId value);
  std::optional<Slot> check(Slot slot, Where where);
  ValueId read_at(std::size_t depth, Slot number);
  trace::Op& append(OpCode code, Where where);
  Scope& open(Scope::Kind kind, Where where);
  std::unique_ptr<Scope> close();
  trace::Type type_of(Desc desc) const;
  void close_guards();
  void check_hint(const char* name, std::int64_t value, Where where);

  std::vector<std::string> diagnostics;
  std::vector<trace::Location> locations;
  std::vector<trace::Type> value_types;
  std::vector<ValueId> replaced;
  std::vector<SlotInfo> slots;
  std::vector<std::unique_ptr<Scope>> scopes;
  std::map<std::string, std::int64_t> hints;
  bool grid_declared = false, effect_seen = false;
  Where grid_where;
  Where last_where;
  std::optional<Where> located;

  int fresh_scope() { return next_scope++; }

 private:
  ValueId carry(std::size_t depth, Slot number);
  bool is_open(int scope) const;
  int next_scope = 0;
};

std::string text_of(Where where);

}  // namespace sectile::detail
