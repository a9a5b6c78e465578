// Reductions, scans, sorting and matrix products. `sum<1>(x)` reduces axis 1, which stays with size 1; `sum(x)` reduces all elements, in row-major
// order, to a scalar.
#pragma once

#include "sectile/ops_shape.h"

#include <tuple>

namespace sectile {
namespace detail {

template <typename T>
struct Accumulated {
  using type = T;
};
template <>
struct Accumulated<bool> {
  using type = i32;
};
template <>
struct Accumulated<i8> {
  using type = i32;
};
template <>
struct Accumulated<i16> {
  using type = i32;
};
template <>
struct Accumulated<u8> {
  using type = u32;
};
template <>
struct Accumulated<u16> {
  using type = u32;
};

/// All elements, in row-major order, on one axis.
template <typename T, int... D>
auto flat(const Tile<T, D...>& x, Where where) {
  return reshape<static_cast<int>(element_count<D...>())>(x, where);
}

template <typename U, int Axis, typename T, int... D>
auto emit_fold(Fold kind, const Tile<T, D...>& x, Where where) {
  static_assert(computes<T>());
  using S = typename WithDim<Shape<D...>, Axis, 1>::type;
  return TileOf<U, S>(FromSlot{}, fold(kind, false, false, x.slot(), desc_of<T, Shape<D...>>, desc_of<U, S>, Axis, where));
}

}  // namespace detail

#define SECTILE_FOLD(function, kind, Result, rule, words)                                     \
  template <int Axis, typename T, int... D>                                                   \
  auto function(const Tile<T, D...>& x, detail::Where where = detail::Where::current()) {     \
    static_assert(rule, words);                                                               \
    return detail::emit_fold<Result, Axis>(detail::Fold::kind, x, where);                     \
  }                                                                                           \
  template <typename T, int... D>                                                             \
  auto function(const Tile<T, D...>& x, detail::Where where = detail::Where::current()) {     \
    static_assert(rule, words);                                                               \
    return reshape<>(detail::emit_fold<Result, 0>(detail::Fold::kind, detail::flat(x, where), where), where); \
  }
/// Sum and product along `Axis`. bool and 8- and 16-bit integers give 32 bits; f16 and bf16 add up in f32 and are rounded once.
SECTILE_FOLD(sum, sum, typename detail::Accumulated<T>::type, true, "")
SECTILE_FOLD(prod, prod, typename detail::Accumulated<T>::type, true, "")
/// Extremes along `Axis`; NaN when any element is NaN.
SECTILE_FOLD(max, max, T, true, "")
SECTILE_FOLD(min, min, T, true, "")
/// i32 index of the extreme: the first NaN if there is one, else the lowest index among equals.
SECTILE_FOLD(argmax, argmax, i32, true, "")
SECTILE_FOLD(argmin, argmin, i32, true, "")
SECTILE_FOLD(any, any, bool, (std::is_same_v<T, bool>), "any works on bool tiles; compare first")
SECTILE_FOLD(all, all, bool, (std::is_same_v<T, bool>), "all works on bool tiles; compare first")
#undef SECTILE_FOLD

/// Running sum and product along `Axis`; `reverse` runs from the end. Types as in sum.
template <int Axis, typename T, int... D>
auto cumsum(const Tile<T, D...>& x, bool reverse = false, detail::Where where = detail::Where::current()) {
  using U = typename detail::Accumulated<T>::type;
  using S = detail::Shape<D...>;
  static_assert(detail::has_axis<S, Axis>, "the tile has no such axis");
  return Tile<U, D...>(detail::FromSlot{}, detail::fold(detail::Fold::sum, true, reverse, x.slot(), detail::desc_of<T, S>, detail::desc_of<U, S>, Axis, where));
}
template <int Axis, typename T, int... D>
auto cumprod(const Tile<T, D...>& x, bool reverse = false, detail::Where where = detail::Where::current()) {
  using U = typename detail::Accumulated<T>::type;
  using S = detail::Shape<D...>;
  static_assert(detail::has_axis<S, Axis>, "the tile has no such axis");
  return Tile<U, D...>(detail::FromSlot{}, detail::fold(detail::Fold::prod, true, reverse, x.slot(), detail::desc_of<T, S>, detail::desc_of<U, S>, Axis, where));
}

namespace detail {

template <typename T>
struct IsTuple : std::false_type {};
template <typename... X>
struct IsTuple<std::tuple<X...>> : std::true_type {};

template <int Axis, bool Scan, typename F, typename S, typename... T, int... I>
auto combine(const std::tuple<TileOf<T, S>...>& tiles, F f, bool reverse, Where where, Ints<I...>) {
  constexpr int n = sizeof...(T);
  using R = std::conditional_t<Scan, S, typename WithDim<S, Axis, 1>::type>;
  ScalarType elements[n] = {scalar_type_of<T>...};
  Slot arguments[2 * n], sources[n] = {std::get<I>(tiles).slot()...}, yields[n], out[n];
  int token = open_combine(elements, n, arguments, where);
  if constexpr (n == 1) {
    auto value = f(Scalar<T>(FromSlot{}, arguments[I])..., Scalar<T>(FromSlot{}, arguments[n + I])...);
    static_assert((std::is_same_v<decltype(value), Scalar<T>> && ...), "the function must return a scalar of the tile's element type");
    yields[0] = value.slot();
  } else {
    auto value = f(std::tuple<Scalar<T>...>(Scalar<T>(FromSlot{}, arguments[I])...), std::tuple<Scalar<T>...>(Scalar<T>(FromSlot{}, arguments[n + I])...));
    static_assert(std::is_same_v<decltype(value), std::tuple<Scalar<T>...>>, "the function must return a std::tuple of scalars of the tiles' element types");
    ((yields[I] = std::get<I>(value).slot()), ...);
  }
  Desc results[n] = {desc_of<T, R>...};
  close_combine(token, Scan, reverse, sources, yields, results, out, n, Axis, where);
  return std::tuple<TileOf<T, R>...>(TileOf<T, R>(FromSlot{}, out[I])...);
}

template <int Axis, bool Scan, typename F, typename First, typename... Rest>
auto combine_tuple(const std::tuple<First, Rest...>& tiles, F f, bool reverse, Where where) {
  using S = ShapeOf<First>;
  static_assert((std::is_same_v<ShapeOf<Rest>, S> && ...), "the tiles must have one shape");
  static_assert(has_axis<S, Axis>, "the tile has no such axis");
  return combine<Axis, Scan, F, S, ElementOf<First>, ElementOf<Rest>...>(tiles, f, reverse, where, typename MakeInts<1 + sizeof...(Rest)>::type{});
}

}  // namespace detail

/// Combines all elements along `Axis`, or all there are, with f(a, b) on scalars, which may be taken as associative and commutative. On a std::tuple
/// of tiles, f takes and returns tuples of scalars.
template <int Axis, typename X, typename F>
auto reduce(const X& x, F f, detail::Where where = detail::Where::current()) {
  if constexpr (detail::IsTuple<X>::value) return detail::combine_tuple<Axis, false>(x, f, false, where);
  else return std::get<0>(detail::combine_tuple<Axis, false>(std::tuple<X>(x), f, false, where));
}
template <typename X, typename F>
auto reduce(const X& x, F f, detail::Where where = detail::Where::current()) {
  if constexpr (detail::IsTuple<X>::value) {
    auto one = std::apply([&](const auto&... tiles) { return reduce<0>(std::make_tuple(detail::flat(tiles, where)...), f, where); }, x);
    return std::apply([&](const auto&... tiles) { return std::make_tuple(reshape<>(tiles, where)...); }, one);
  } else {
    return reshape<>(reduce<0>(detail::flat(x, where), f, where), where);
  }
}
/// Running combination along `Axis`; f may be taken as associative. `reverse` runs from the end.
template <int Axis, typename X, typename F>
auto scan(const X& x, F f, bool reverse = false, detail::Where where = detail::Where::current()) {
  if constexpr (detail::IsTuple<X>::value) return detail::combine_tuple<Axis, true>(x, f, reverse, where);
  else return std::get<0>(detail::combine_tuple<Axis, true>(std::tuple<X>(x), f, reverse, where));
}

namespace detail {
template <typename T, typename S, typename R>
auto emit_sort(OpCode code, Slot slot, int axis, const char* flag, bool set, Where where) {
  Attr attributes[3] = {axis_attribute(axis)};
  int count = 1;
  if (set) attributes[count++] = {flag};
  if (std::is_unsigned_v<T>) attributes[count++] = {"is_unsigned"};
  Desc results[2] = {desc_of<T, R>, desc_of<i32, R>};
  Slot out[2];
  emit_many(code, &slot, 1, results, out, 2, attributes, count, where);
  using Values = TileOf<T, R>;
  using Places = TileOf<i32, R>;
  return TwoTiles<Values, Places>{Values(FromSlot{}, out[0]), Places(FromSlot{}, out[1])};
}
}  // namespace detail

/// Stable sort along `Axis`: `auto [values, indices] = sort<1>(x);` NaN counts as greater than every number.
template <int Axis, typename T, int... D>
auto sort(const Tile<T, D...>& x, bool descending = false, detail::Where where = detail::Where::current()) {
  static_assert(detail::computes<T>());
  using S = detail::Shape<D...>;
  static_assert(detail::has_axis<S, Axis>, "the tile has no such axis");
  return detail::emit_sort<T, S, S>(detail::OpCode::Sort, x.slot(), Axis, "descending", descending, where);
}
/// The K largest (or smallest) elements along `Axis` in order, and their i32 indices.
template <int K, int Axis, typename T, int... D>
auto topk(const Tile<T, D...>& x, bool largest = true, detail::Where where = detail::Where::current()) {
  static_assert(detail::computes<T>());
  using S = detail::Shape<D...>;
  static_assert(K >= 1 && K <= S::dims[Axis], "topk takes between 1 and all elements of the axis");
  return detail::emit_sort<T, S, typename detail::WithDim<S, Axis, K>::type>(detail::OpCode::TopK, x.slot(), Axis, "largest", largest, where);
}

/// Options of dot: `tf32` allows rounding f32 operands to tf32; `precise` keeps narrow operands' denormals on every target.
struct DotOptions {
  bool tf32 = false, precise = false;
};

namespace detail {
template <typename A, typename B>
struct Product {
  using type = float;
};
template <>
struct Product<double, double> {
  using type = double;
};
template <typename A, typename B>
  requires(std::is_integral_v<A> && std::is_integral_v<B>)
struct Product<A, B> {
  using type = i32;
};
template <typename A, typename B>
constexpr bool multiplies = (std::is_same_v<A, B> && (is_float_element<A> || is_f8<A>)) || (is_f8<A> && is_f8<B>) ||
                            ((std::is_same_v<A, i8> || std::is_same_v<A, u8>)&&(std::is_same_v<B, i8> || std::is_same_v<B, u8>));

template <typename A, typename B>
constexpr bool dot_operands() {
  if constexpr (A::rank == B::rank && A::rank == 3) return ShapeOf<A>::dims[0] == ShapeOf<B>::dims[0];
  else return A::rank == 2 && B::rank == 2;
}
template <typename A, typename B, typename C>
constexpr bool dot_accumulates() {
  if constexpr (dot_operands<A, B>() && A::rank == C::rank) {
    constexpr int m = A::rank - 2, n = A::rank - 1;
    return ShapeOf<C>::dims[m] == ShapeOf<A>::dims[m] && ShapeOf<C>::dims[n] == ShapeOf<B>::dims[n] && (m == 0 || ShapeOf<C>::dims[0] == ShapeOf<A>::dims[0]);
  } else {
    return false;
  }
}
template <typename A, typename B, typename C, int K, int K2>
constexpr void check_dot() {
  static_assert(K == K2, "the columns of the left tile must be as many as the rows of the right one; use trans(tile) to transpose");
  static_assert(multiplies<A, B>, "dot multiplies two tiles of f16, bf16, float, double, 8-bit integers or f8; convert with cast<T>(tile)");
  static_assert(std::is_same_v<C, typename Product<A, B>::type>, "the accumulator has the product's type: float, double for f64, int32 for 8-bit integers");
}
template <typename C, typename S, typename A, typename B>
TileOf<C, S> emit_dot(Slot a, Slot b, Slot acc, DotOptions options, Where where) {
  Slot operands[3] = {a, b, acc};
  Attr attributes[4];
  int count = 0;
  if (std::is_same_v<A, u8>) attributes[count++] = {"a_unsigned"};
  if (std::is_same_v<B, u8>) attributes[count++] = {"b_unsigned"};
  if (options.tf32) attributes[count++] = {"tf32"};
  if (options.precise) attributes[count++] = {"precise"};
  return {FromSlot{}, emit(OpCode::Dot, operands, 3, desc_of<C, S>, attributes, count, where)};
}
}  // namespace detail

template <detail::AnyTile A, detail::AnyTile B>
  requires(!detail::dot_operands<A, B>())
A dot(const A&, const B&) {
  static_assert(detail::dot_operands<A, B>(), "dot multiplies tiles of two axes, or batches of them of three with one size of the first axis; use reshape or extract");
}
template <detail::AnyTile A, detail::AnyTile B, detail::AnyTile C>
  requires(!detail::dot_accumulates<A, B, C>())
A dot(const A&, const B&, const C&) {
  static_assert(detail::dot_accumulates<A, B, C>(), "the accumulator of an M x K and a K x N tile is M x N; of batches, as many of them");
}
/// Matrix product of M x K and K x N tiles, plus an M x N accumulator. f16, bf16, f8 and f32 give float, f64 double, i8 and u8 int32.
template <typename A, typename B, typename C, int M, int K, int K2, int N>
auto dot(const Tile<A, M, K>& a, const Tile<B, K2, N>& b, const Tile<C, M, N>& acc, DotOptions options = {}, detail::Where where = detail::Where::current()) {
  detail::check_dot<A, B, C, K, K2>();
  return detail::emit_dot<C, detail::Shape<M, N>, A, B>(a.slot(), b.slot(), acc.slot(), options, where);
}
/// Batched: one product per index of the first axis.
template <typename A, typename B, typename C, int G, int M, int K, int K2, int N>
auto dot(const Tile<A, G, M, K>& a, const Tile<B, G, K2, N>& b, const Tile<C, G, M, N>& acc, DotOptions options = {}, detail::Where where = detail::Where::current()) {
  detail::check_dot<A, B, C, K, K2>();
  return detail::emit_dot<C, detail::Shape<G, M, N>, A, B>(a.slot(), b.slot(), acc.slot(), options, where);
}
/// Both start from zero without an accumulator.
template <typename A, typename B, int M, int K, int K2, int N>
auto dot(const Tile<A, M, K>& a, const Tile<B, K2, N>& b, DotOptions options = {}, detail::Where where = detail::Where::current()) {
  return dot(a, b, zeros<typename detail::Product<A, B>::type, M, N>(where), options, where);
}
template <typename A, typename B, int G, int M, int K, int K2, int N>
auto dot(const Tile<A, G, M, K>& a, const Tile<B, G, K2, N>& b, DotOptions options = {}, detail::Where where = detail::Where::current()) {
  return dot(a, b, zeros<typename detail::Product<A, B>::type, G, M, N>(where), options, where);
}

}  // namespace sectile
