// The recorder as the headers see it: a few functions on slot numbers. A slot is a variable of the kernel; the recorder knows its current
// value in every open region. All functions report mistakes as diagnostics at `where` and go on with a placeholder.
#pragma once

#include "sectile/detail/op_code.h"
#include "sectile/scalar_type.h"

#include <cstdint>
#include <source_location>

namespace sectile::detail {

using Slot = std::uint64_t;  // number in the lower half, the recording it belongs to in the upper
using Where = std::source_location;

/// Element type and shape of a tile; rank 0 is a scalar.
struct Desc {
  ScalarType element;
  int rank;
  const std::int64_t* shape;
};

struct Attr {
  enum Kind { unit, number, text, list };
  const char* name;
  Kind kind = unit;
  std::int64_t value = 0;
  const char* string = nullptr;
  const std::int64_t* items = nullptr;
  int count = 0;
};

/// A literal, index or slot handed to an operation that wants an index.
struct IndexArg {
  enum Kind : std::uint8_t { missing, literal, slot };
  Kind kind = missing;
  Slot id = 0;
  std::int64_t value = 0;
  ScalarType element = ScalarType::index;
  Where where;  // of the literal or scalar
};

enum class Binary { add, sub, mul, div, rem, min, max, bit_and, bit_or, bit_xor, shl, shr, mulhi, eq, ne, lt, le, gt, ge, pow, atan2 };
enum class Fold { sum, prod, min, max, any, all, argmin, argmax };

/// While it lives, everything recorded is at `where`: for functions of this library made of others.
class Located {
 public:
  explicit Located(Where where);
  ~Located();
  Located(const Located&) = delete;

 private:
  bool outer_ = false;
};
/// For operators that cannot take a location: the place of the last operation that had one.
inline constexpr Where nearby{};

// Variables.
Slot copy_slot(Slot source, Where where);
void assign_slot(Slot target, Slot source, Where where);
/// Reports when a view is assigned inside a loop or condition.
void check_view_assignment(Where where);

// Plain operations. `emit` makes one result, `emit_many` several, `effect` none.
Slot emit(OpCode code, const Slot* operands, int count, Desc result, const Attr* attributes, int attribute_count, Where where);
void emit_many(OpCode code, const Slot* operands, int count, const Desc* results, Slot* out, int result_count, const Attr* attributes,
               int attribute_count, Where where);
void effect(OpCode code, const Slot* operands, int count, const Attr* attributes, int attribute_count, Where where);
Slot emit_view(OpCode code, const Slot* operands, int count, ScalarType element, int rank, bool readonly, const Attr* attributes,
               int attribute_count, Where where);
Slot index_slot(const IndexArg& index, Where where);

// Values.
Slot literal_integer(std::int64_t value, bool is_unsigned, ScalarType type, Where where);
Slot literal_float(double value, ScalarType type, Where where);
Slot to_shape(Slot value, Desc from, Desc to, Where where);
Slot binary(Binary kind, Slot a, Desc da, Slot b, Desc db, Desc result, Where where);
Slot convert(Slot value, Desc from, Desc to, Where where);
Slot negate(Slot value, Desc type, Where where);
Slot invert(Slot value, Desc type, Where where);

// Grid.
void declare_grid(const IndexArg* extents, const IndexArg* steps, int count, bool in_order, Slot* offsets, Where where);
void add_hint(const char* name, std::int64_t value, Where where);

// Control flow. `open_*` returns a token that `close_*` takes; `abandon_loop` is called when a loop's range dies while open.
int open_for(const IndexArg& low, const IndexArg& high, const IndexArg& step, const Attr* hints, int hint_count, Slot* index, Where where);
void close_for(int token);
void abandon_loop(int token);
int open_if(Slot condition, Where where);
void begin_else(int token);
void close_if(int token);
int open_while(Where where);
void while_condition(int token, Slot condition);
void close_while(int token);
void break_if_slot(Slot condition, Where where);

// Reductions and scans.
Slot fold(Fold kind, bool scan, bool reverse, Slot source, Desc from, Desc to, int axis, Where where);
int open_combine(const ScalarType* elements, int count, Slot* arguments, Where where);
void close_combine(int token, bool scan, bool reverse, const Slot* sources, const Slot* yields, const Desc* results, Slot* out, int count,
                   int axis, Where where);

// Parameters of the kernel being recorded, in order.
Slot parameter_slot(int position);

[[noreturn]] void outside_kernel(const char* what, Where where);

}  // namespace sectile::detail
