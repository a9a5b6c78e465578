// Interpreter of launch expressions: saturating 64-bit arithmetic on a small stack.

#include "runtime/format/recipe.h"

#include <limits>

namespace sectile::format {
namespace {

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? (b < 0 ? lowest : highest) : sum;
}

std::int64_t saturating_sub(std::int64_t a, std::int64_t b) {
  std::int64_t difference;
  return __builtin_sub_overflow(a, b, &difference) ? (b > 0 ? lowest : highest) : difference;
}

std::int64_t saturating_mul(std::int64_t a, std::int64_t b) {
  std::int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? ((a < 0) != (b < 0) ? lowest : highest) : product;
}

std::int64_t saturating_div(std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return saturating_sub(0, a);
  return a / b;
}

std::int64_t binary(RecipeOp op, std::int64_t a, std::int64_t b, bool& ok) {
  switch (op) {
    case RecipeOp::add: return saturating_add(a, b);
    case RecipeOp::sub: return saturating_sub(a, b);
    case RecipeOp::mul: return saturating_mul(a, b);
    case RecipeOp::div: return saturating_div(a, b);
    case RecipeOp::rem: return b == 0 || b == -1 ? 0 : a % b;
    case RecipeOp::ceildiv:
      if (b <= 0) return ok = false, 0;
      return a / b + (a % b > 0);
    case RecipeOp::min: return a < b ? a : b;
    case RecipeOp::max: return a > b ? a : b;
    case RecipeOp::eq: return a == b;
    case RecipeOp::ne: return a != b;
    case RecipeOp::lt: return a < b;
    case RecipeOp::le: return a <= b;
    case RecipeOp::bit_and: return a & b;
    case RecipeOp::bit_or: return a | b;
    case RecipeOp::bit_xor: return a ^ b;
    default: return ok = false, 0;
  }
}

}  // namespace

Evaluated evaluate(const Expression& expression, std::span<const std::int64_t> slots) {
  constexpr std::size_t depth = 64;
  std::int64_t stack[depth];
  std::size_t size = 0;
  for (const RecipeStep& step : expression) {
    if (step.op == RecipeOp::constant || step.op == RecipeOp::slot) {
      if (size == depth) return {};
      if (step.op == RecipeOp::slot && (step.value < 0 || static_cast<std::size_t>(step.value) >= slots.size())) return {};
      stack[size++] = step.op == RecipeOp::constant ? step.value : slots[static_cast<std::size_t>(step.value)];
      continue;
    }
    if (step.op == RecipeOp::select) {
      if (size < 3) return {};
      size -= 2;
      stack[size - 1] = stack[size - 1] ? stack[size] : stack[size + 1];
      continue;
    }
    if (size < 2) return {};
    --size;
    bool ok = true;
    stack[size - 1] = binary(step.op, stack[size - 1], stack[size], ok);
    if (!ok) return {};
  }
  if (size != 1) return {};
  return {stack[0], true};
}

}  // namespace sectile::format
