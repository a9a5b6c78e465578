// Element-wise functions. Tiles of different shapes broadcast; literals take the tile's element type.
#pragma once

#include "sectile/tile.h"

namespace sectile {
namespace detail {

template <typename T, typename S>
TileOf<T, S> emit_unary(OpCode code, Slot slot, Where where) {
  return {FromSlot{}, emit(code, &slot, 1, desc_of<T, S>, nullptr, 0, where)};
}

template <typename T>
constexpr bool is_float_element = std::is_same_v<T, f16> || std::is_same_v<T, bf16> || std::is_floating_point_v<T>;

/// The first of two operands that is a tile.
template <typename A, typename B>
auto two(Binary kind, const A& a, const B& b, Where where) {
  static_assert(AnyTile<A> || AnyTile<B>, "one of the operands must be a tile");
  if constexpr (AnyTile<A>) return apply_binary<void>(kind, a, b, where);
  else return apply_binary<void>(kind, b, a, where, true);
}

}  // namespace detail

#define SECTILE_FLOAT_FUNCTION(function, code)                                                                                             \
  template <typename T, int... D>                                                                                                          \
  Tile<T, D...> function(const Tile<T, D...>& x, detail::Where where = detail::Where::current()) {                                         \
    static_assert(detail::computes<T>());                                                                                                  \
    static_assert(detail::is_float_element<T>, #function " works on floats; convert with cast<float>(tile)");                              \
    return detail::emit_unary<T, detail::Shape<D...>>(detail::OpCode::code, x.slot(), where);                                              \
  }
SECTILE_FLOAT_FUNCTION(exp, Exp)
SECTILE_FLOAT_FUNCTION(exp2, Exp2)
SECTILE_FLOAT_FUNCTION(expm1, ExpM1)
SECTILE_FLOAT_FUNCTION(log, Log)
SECTILE_FLOAT_FUNCTION(log2, Log2)
SECTILE_FLOAT_FUNCTION(log1p, Log1P)
SECTILE_FLOAT_FUNCTION(sqrt, Sqrt)
SECTILE_FLOAT_FUNCTION(rsqrt, Rsqrt)
SECTILE_FLOAT_FUNCTION(sin, Sin)
SECTILE_FLOAT_FUNCTION(cos, Cos)
SECTILE_FLOAT_FUNCTION(tan, Tan)
SECTILE_FLOAT_FUNCTION(tanh, Tanh)
SECTILE_FLOAT_FUNCTION(erf, Erf)
SECTILE_FLOAT_FUNCTION(floor, Floor)
SECTILE_FLOAT_FUNCTION(ceil, Ceil)
SECTILE_FLOAT_FUNCTION(trunc, Trunc)
/// Nearest integer, halves away from zero, like std::round.
SECTILE_FLOAT_FUNCTION(round, Round)
/// Nearest integer, halves to even, like std::rint.
SECTILE_FLOAT_FUNCTION(rint, RoundEven)
#undef SECTILE_FLOAT_FUNCTION

/// Magnitude; the smallest integer stays itself.
template <typename T, int... D>
Tile<T, D...> abs(const Tile<T, D...>& x, detail::Where where = detail::Where::current()) {
  static_assert(detail::computes<T>());
  if constexpr (std::is_unsigned_v<T>) return x;
  else return detail::emit_unary<T, detail::Shape<D...>>(detail::is_int_like<T> ? detail::OpCode::AbsI : detail::OpCode::AbsF, x.slot(), where);
}

/// Number of ones, of leading zeros, in each integer.
template <typename T, int... D>
Tile<T, D...> popcount(const Tile<T, D...>& x, detail::Where where = detail::Where::current()) {
  static_assert(std::is_integral_v<T>, "popcount works on integers");
  return detail::emit_unary<T, detail::Shape<D...>>(detail::OpCode::PopCount, x.slot(), where);
}
template <typename T, int... D>
Tile<T, D...> clz(const Tile<T, D...>& x, detail::Where where = detail::Where::current()) {
  static_assert(std::is_integral_v<T>, "clz works on integers");
  return detail::emit_unary<T, detail::Shape<D...>>(detail::OpCode::CountLeadingZeros, x.slot(), where);
}

#define SECTILE_TWO_FUNCTION(function, kind)                                                                          \
  template <detail::TileOrLiteral A, detail::TileOrLiteral B>                                                         \
    requires(detail::AnyTile<A> || detail::AnyTile<B>)                                                                \
  auto function(const A& a, const B& b, detail::Where where = detail::Where::current()) {                             \
    return detail::two(detail::Binary::kind, a, b, where);                                                            \
  }
/// Larger and smaller value; NaN when either is NaN.
SECTILE_TWO_FUNCTION(maximum, max)
SECTILE_TWO_FUNCTION(minimum, min)
/// Remainder with the sign of the dividend, like % and std::fmod.
SECTILE_TWO_FUNCTION(rem, rem)
SECTILE_TWO_FUNCTION(pow, pow)
SECTILE_TWO_FUNCTION(atan2, atan2)
/// Upper half of the double-width integer product.
SECTILE_TWO_FUNCTION(mulhi, mulhi)
#undef SECTILE_TWO_FUNCTION

/// x limited to [low, high]; NaN stays.
template <detail::AnyTile X, detail::TileOrLiteral A, detail::TileOrLiteral B>
auto clamp(const X& x, const A& low, const B& high, detail::Where where = detail::Where::current()) {
  return detail::two(detail::Binary::min, detail::two(detail::Binary::max, x, low, where), high, where);
}

/// condition ? a : b, element by element.
template <detail::AnyTile C, detail::TileOrLiteral A, detail::TileOrLiteral B>
auto where(const C& condition, const A& a, const B& b, detail::Where at = detail::Where::current()) {
  static_assert(std::is_same_v<detail::ElementOf<C>, bool>, "the condition of where(...) is a tile of bool");
  static_assert(detail::AnyTile<A> || detail::AnyTile<B>, "one of the two values of where(...) must be a tile, so that the element type is known; use full<T, ...>(x)");
  using First = std::conditional_t<detail::AnyTile<A>, A, B>;
  using Second = std::conditional_t<detail::AnyTile<B>, B, A>;
  using P = detail::Pair<First, Second>;
  using T = typename P::Element;
  using S = detail::Broadcast<detail::ShapeOf<C>, typename P::Shape>;
  detail::Slot operands[3] = {detail::to_shape(condition.slot(), detail::desc_of<bool, detail::ShapeOf<C>>, detail::desc_of<bool, S>, at)};
  auto side = [&](const auto& x) {
    detail::Operand item = detail::operand<T>(x, at);
    detail::Slot value = detail::convert(item.slot, item.desc, {scalar_type_of<T>, item.desc.rank, item.desc.shape}, at);
    return detail::to_shape(value, {scalar_type_of<T>, item.desc.rank, item.desc.shape}, detail::desc_of<T, S>, at);
  };
  operands[1] = side(a);
  operands[2] = side(b);
  return detail::TileOf<T, S>(detail::FromSlot{}, detail::emit(detail::OpCode::Select, operands, 3, detail::desc_of<T, S>, nullptr, 0, at));
}

/// a * b + c, rounded once.
template <typename T, int... D>
Tile<T, D...> fma(const Tile<T, D...>& a, const Tile<T, D...>& b, const Tile<T, D...>& c, detail::Where where = detail::Where::current()) {
  static_assert(detail::computes<T>());
  static_assert(detail::is_float_element<T>, "fma works on floats");
  detail::Slot operands[3] = {a.slot(), b.slot(), c.slot()};
  return {detail::FromSlot{}, detail::emit(detail::OpCode::Fma, operands, 3, detail::desc_of<T, detail::Shape<D...>>, nullptr, 0, where)};
}

/// Converts every element: one rounding to nearest even; floats saturate to integers, NaN gives 0; f8 saturates.
template <typename U, typename T, int... D>
auto cast(const Tile<T, D...>& x, detail::Where where = detail::Where::current()) {
  return Tile<U, D...>(detail::FromSlot{}, detail::convert(x.slot(), detail::desc_of<T, detail::Shape<D...>>, detail::desc_of<U, detail::Shape<D...>>, where));
}
/// 1 / (1 + exp(-x)); f16 and bf16 are computed in f32 and rounded once.
template <typename T, int... D>
Tile<T, D...> sigmoid(const Tile<T, D...>& x, detail::Where where = detail::Where::current()) {
  detail::Located located(where);
  if constexpr (std::is_same_v<T, f16> || std::is_same_v<T, bf16>) return cast<T>(1 / (1 + exp(-cast<float>(x))));
  else return 1 / (1 + exp(-x));
}

/// An index from an integer scalar.
template <typename T>
Index to_index(const Tile<T>& x, detail::Where where = detail::Where::current()) {
  return {detail::FromSlot{}, detail::convert(x.slot(), detail::desc_of<T, detail::Shape<>>, {ScalarType::index, 0, nullptr}, where)};
}

/// The same bits read as another type of the same width.
template <typename U, typename T, int... D>
Tile<U, D...> bitcast(const Tile<T, D...>& x, detail::Where where = detail::Where::current()) {
  static_assert(bit_width(scalar_type_of<U>) == bit_width(scalar_type_of<T>) && !std::is_same_v<T, bool> && !std::is_same_v<U, bool>,
                "bitcast needs two types of the same width, neither of them bool");
  if constexpr (scalar_type_of<U> == scalar_type_of<T>) return x;
  // Signedness is no property of a value: integers of one width need no operation.
  else if constexpr (std::is_integral_v<T> && std::is_integral_v<U>) return Tile<U, D...>(detail::FromSlot{}, detail::copy_slot(x.slot(), where));
  else return {detail::FromSlot{}, detail::emit(detail::OpCode::Bitcast, &static_cast<const detail::Slot&>(x.slot()), 1, detail::desc_of<U, detail::Shape<D...>>, nullptr, 0, where)};
}

}  // namespace sectile
