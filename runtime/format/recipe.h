// Launch recipe: how to launch a compiled kernel, as data. A small postfix program over the launch arguments, interpreted by the
// runtime and printed as C by ahead-of-time compilation. Written by the compiler, which extracts it from the kernel's grid declaration.
//
// Argument slots. Arguments are flattened into 64-bit slots in the order of the kernel's parameters:
//   view of rank R: pointer, size[0..R), stride[0..R) (strides in elements); scalar: one slot, its bit pattern in the low bits
//   (integers sign- or zero-extended to 64 bits by their type; floats as bit patterns).
// All arithmetic is on signed 64-bit integers and saturates.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sectile::format {

enum class RecipeOp : std::uint8_t {
  constant,  ///< push `value`
  slot,      ///< push argument slot `value`
  add, sub, mul,
  div,       ///< truncating; x / 0 = 0
  rem,       ///< x % 0 = 0
  ceildiv,   ///< ceil(a / b); b <= 0 makes the launch an error ("grid step must be positive")
  min, max,
  eq, ne, lt, le,        ///< signed comparisons, push 0 or 1
  bit_and, bit_or, bit_xor,
  select,    ///< pops c, a, b (c deepest): pushes c ? a : b
};

struct RecipeStep {
  RecipeOp op;
  std::int64_t value = 0;
  bool operator==(const RecipeStep&) const = default;
};

/// A program that leaves exactly one value on the stack.
using Expression = std::vector<RecipeStep>;

/// Evaluates; `ok` is false when the expression is malformed (stack, slot out of range) or a ceildiv had a divisor <= 0.
struct Evaluated {
  std::int64_t value = 0;
  bool ok = false;
};
Evaluated evaluate(const Expression& expression, std::span<const std::int64_t> slots);

/// A condition the launch arguments must meet: the value of `expression` must be nonzero.
struct Check {
  Expression expression;
  std::string message;   ///< plain words, what and what to do
  bool operator==(const Check&) const = default;
};

/// Extents of the grid (programs per axis, 1 to 4 axes; negative counts as 0) and the checks. Hidden arguments follow the user's slots:
/// one slot per grid axis with its number of programs, in axis order.
struct Recipe {
  std::vector<Expression> extents;
  std::vector<Check> checks;
  bool in_order = false;  ///< programs are started in increasing order
  bool operator==(const Recipe&) const = default;
};

}  // namespace sectile::format
