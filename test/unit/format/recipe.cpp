// Launch expressions: every operation, saturation, and refusal of malformed programs.

#include "runtime/format/recipe.h"
#include "test/unit/catch.h"

#include <limits>
#include <random>

using namespace sectile::format;

namespace {

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min(), highest = std::numeric_limits<std::int64_t>::max();

Evaluated binary(RecipeOp op, std::int64_t a, std::int64_t b) { return evaluate({{RecipeOp::constant, a}, {RecipeOp::constant, b}, {op}}, {}); }
std::int64_t value(RecipeOp op, std::int64_t a, std::int64_t b) {
  Evaluated result = binary(op, a, b);
  CHECK(result.ok);
  return result.value;
}

}  // namespace

TEST_CASE("launch arithmetic") {
  CHECK(value(RecipeOp::add, 2, -5) == -3);
  CHECK(value(RecipeOp::sub, 2, -5) == 7);
  CHECK(value(RecipeOp::mul, 3, -5) == -15);
  CHECK(value(RecipeOp::div, -7, 2) == -3);
  CHECK(value(RecipeOp::rem, -7, 2) == -1);
  CHECK(value(RecipeOp::ceildiv, 7, 2) == 4);
  CHECK(value(RecipeOp::ceildiv, 8, 2) == 4);
  CHECK(value(RecipeOp::ceildiv, 0, 2) == 0);
  CHECK(value(RecipeOp::ceildiv, -7, 2) == -3);
  CHECK(value(RecipeOp::ceildiv, highest, 2) == highest / 2 + 1);
  CHECK(value(RecipeOp::min, 3, -1) == -1);
  CHECK(value(RecipeOp::max, 3, -1) == 3);
  CHECK(value(RecipeOp::eq, 3, 3) == 1);
  CHECK(value(RecipeOp::ne, 3, 3) == 0);
  CHECK(value(RecipeOp::lt, -1, 0) == 1);
  CHECK(value(RecipeOp::le, 1, 0) == 0);
  CHECK(value(RecipeOp::bit_and, 12, 10) == 8);
  CHECK(value(RecipeOp::bit_or, 12, 10) == 14);
  CHECK(value(RecipeOp::bit_xor, 12, 10) == 6);
}

TEST_CASE("launch arithmetic saturates and never traps") {
  CHECK(value(RecipeOp::add, highest, 1) == highest);
  CHECK(value(RecipeOp::add, lowest, -1) == lowest);
  CHECK(value(RecipeOp::sub, lowest, 1) == lowest);
  CHECK(value(RecipeOp::sub, 0, lowest) == highest);
  CHECK(value(RecipeOp::mul, highest, 2) == highest);
  CHECK(value(RecipeOp::mul, highest, -2) == lowest);
  CHECK(value(RecipeOp::mul, lowest, -1) == highest);
  CHECK(value(RecipeOp::div, lowest, -1) == highest);
  CHECK(value(RecipeOp::div, 5, 0) == 0);
  CHECK(value(RecipeOp::rem, lowest, -1) == 0);
  CHECK(value(RecipeOp::rem, 5, 0) == 0);
  CHECK_FALSE(binary(RecipeOp::ceildiv, 5, 0).ok);
  CHECK_FALSE(binary(RecipeOp::ceildiv, 5, -3).ok);
}

TEST_CASE("launch expressions read slots and select") {
  std::int64_t slots[] = {10, 3};
  Expression expression = {{RecipeOp::slot, 0}, {RecipeOp::slot, 1}, {RecipeOp::lt}, {RecipeOp::slot, 0}, {RecipeOp::slot, 1}, {RecipeOp::select}};
  CHECK(evaluate(expression, slots).value == 3);
  slots[1] = 11;
  CHECK(evaluate(expression, slots).value == 10);
}

TEST_CASE("malformed launch expressions are refused") {
  std::int64_t slots[] = {1};
  CHECK_FALSE(evaluate({}, slots).ok);
  CHECK_FALSE(evaluate({{RecipeOp::slot, 1}}, slots).ok);
  CHECK_FALSE(evaluate({{RecipeOp::slot, -1}}, slots).ok);
  CHECK_FALSE(evaluate({{RecipeOp::constant, 1}, {RecipeOp::add}}, slots).ok);
  CHECK_FALSE(evaluate({{RecipeOp::constant, 1}, {RecipeOp::constant, 1}, {RecipeOp::select}}, slots).ok);
  CHECK_FALSE(evaluate({{RecipeOp::constant, 1}, {RecipeOp::constant, 1}}, slots).ok);
  CHECK_FALSE(evaluate({{RecipeOp::constant, 1}, {RecipeOp::constant, 1}, {static_cast<RecipeOp>(200)}}, slots).ok);
  CHECK_FALSE(evaluate(Expression(65, {RecipeOp::constant, 1}), slots).ok);
}

TEST_CASE("random launch expressions never crash") {
  std::mt19937_64 random(7);
  std::int64_t slots[] = {0, -1, lowest, highest};
  for (int round = 0; round < 100000; ++round) {
    Expression expression(random() % 12);
    for (RecipeStep& step : expression) step = {static_cast<RecipeOp>(random() % 20), static_cast<std::int64_t>(random() % 6) - 1};
    evaluate(expression, slots);
  }
}
