// Making and rearranging tiles.
#pragma once

#include "sectile/ops_math.h"
#include "sectile/view.h"

namespace sectile {
namespace detail {

template <typename S, int... Order>
struct Permuted {
  using type = Shape<static_cast<int>(S::dims[Order])...>;
};
template <typename S, int Axis, int N, typename I = typename MakeInts<S::rank>::type>
struct WithDim;
template <typename S, int Axis, int N, int... I>
struct WithDim<S, Axis, N, Ints<I...>> {
  static_assert(has_axis<S, Axis>, "the tile has no such axis");
  using type = Shape<(I == Axis ? N : static_cast<int>(S::dims[I]))...>;
};
template <typename S, int N>
struct Append;
template <int... D, int N>
struct Append<Shape<D...>, N> {
  using type = Shape<D..., N>;
};
template <typename S, typename I = typename MakeInts<S::rank - 1>::type>
struct DropLast;
template <typename S, int... I>
struct DropLast<S, Ints<I...>> {
  using type = Shape<static_cast<int>(S::dims[I])...>;
};
constexpr std::int64_t count_of(const std::int64_t* dims, int rank) {
  std::int64_t count = 1;
  for (int i = 0; i < rank; ++i) count *= dims[i];
  return count;
}
/// Whether every axis of From equals that of To or is 1.
template <typename From, typename To>
constexpr bool repeats() {
  bool good = From::rank <= To::rank;
  for (int i = 0; good && i < From::rank; ++i) good = From::dims[i] == 1 || From::dims[i] == To::dims[To::rank - From::rank + i];
  return good;
}
template <typename S>
constexpr int iota_axis() {
  int axis = -1, found = 0;
  for (int i = 0; i < S::rank; ++i)
    if (S::dims[i] != 1) axis = i, ++found;
  return found > 1 ? -2 : found == 0 ? S::rank - 1 : axis;
}
inline Attr axis_attribute(int axis) { return {"axis", Attr::number, axis}; }

}  // namespace detail

/// 0, 1, 2, ... along the only axis that is not 1.
template <int... D>
Tile<detail::IndexElement, D...> iota(detail::Where where = detail::Where::current()) {
  constexpr int axis = detail::iota_axis<detail::Shape<D...>>();
  static_assert(sizeof...(D) >= 1 && axis != -2, "iota counts along one axis: every other axis must be 1, as in iota<1, 64>() or iota<64, 1>()");
  detail::Attr attribute = detail::axis_attribute(axis);
  return {detail::FromSlot{}, detail::emit(detail::OpCode::Iota, nullptr, 0, detail::desc_of<detail::IndexElement, detail::Shape<D...>>, &attribute, 1, where)};
}

/// A tile with every element `value` (a literal or a scalar of type T).
template <typename T, int... D, detail::TileOrLiteral X>
Tile<T, D...> full(const X& value, detail::Where where = detail::Where::current()) {
  if constexpr (detail::AnyTile<X>)
    static_assert(std::is_same_v<X, Tile<T>>, "full takes a literal or a scalar of the tile's element type; convert with cast<T>(scalar)");
  detail::Operand item = detail::operand<T>(value, where);
  return {detail::FromSlot{}, detail::to_shape(item.slot, item.desc, detail::desc_of<T, detail::Shape<D...>>, where)};
}
template <typename T, int... D>
Tile<T, D...> zeros(detail::Where where = detail::Where::current()) {
  return full<T, D...>(0, where);
}

template <int... D, typename T, int... From>
Tile<T, D...> broadcast_to(const Tile<T, From...>& x, detail::Where where = detail::Where::current()) {
  using To = detail::Shape<D...>;
  static_assert(detail::repeats<detail::Shape<From...>, To>(), "only axes of size 1 repeat, and axes are added in front");
  return {detail::FromSlot{}, detail::to_shape(x.slot(), detail::desc_of<T, detail::Shape<From...>>, detail::desc_of<T, To>, where)};
}

/// The same elements in row-major order with another shape.
template <int... D, typename T, int... From>
Tile<T, D...> reshape(const Tile<T, From...>& x, detail::Where where = detail::Where::current()) {
  using From_ = detail::Shape<From...>;
  using To = detail::Shape<D...>;
  static_assert(detail::count_of(From_::dims, From_::rank) == detail::count_of(To::dims, To::rank), "a reshape keeps the number of elements");
  detail::Slot slot = x.slot();
  if constexpr (std::is_same_v<From_, To>) return x;
  else return {detail::FromSlot{}, detail::emit(detail::OpCode::Reshape, &slot, 1, detail::desc_of<T, To>, nullptr, 0, where)};
}

/// Axis i of the result is axis Order[i] of the tile.
template <int... Order, typename T, int... D>
auto permute(const Tile<T, D...>& x, detail::Where where = detail::Where::current()) {
  static_assert(detail::is_permutation<static_cast<int>(sizeof...(D)), Order...>(), "name every axis of the tile once, as in permute<1, 0>(tile)");
  using S = typename detail::Permuted<detail::Shape<D...>, Order...>::type;
  std::int64_t order[] = {Order...};
  detail::Attr attribute{"permutation", detail::Attr::list, 0, nullptr, order, static_cast<int>(sizeof...(Order))};
  detail::Slot slot = x.slot();
  return detail::TileOf<T, S>(detail::FromSlot{}, detail::emit(detail::OpCode::Transpose, &slot, 1, detail::desc_of<T, S>, &attribute, 1, where));
}
/// The last two axes exchanged.
template <typename T, int A, int B>
Tile<T, B, A> trans(const Tile<T, A, B>& x, detail::Where where = detail::Where::current()) {
  return permute<1, 0>(x, where);
}
template <typename T, int N, int A, int B>
Tile<T, N, B, A> trans(const Tile<T, N, A, B>& x, detail::Where where = detail::Where::current()) {
  return permute<0, 2, 1>(x, where);
}

/// Two tiles along a new last axis of size 2.
template <typename T, int... D>
Tile<T, D..., 2> join(const Tile<T, D...>& a, const Tile<T, D...>& b, detail::Where where = detail::Where::current()) {
  detail::Slot operands[2] = {a.slot(), b.slot()};
  return {detail::FromSlot{}, detail::emit(detail::OpCode::Join, operands, 2, detail::desc_of<T, detail::Shape<D..., 2>>, nullptr, 0, where)};
}
template <detail::AnyTile A, detail::AnyTile B>
  requires(!std::is_same_v<A, B>)
A join(const A&, const B&) {
  static_assert(std::is_same_v<A, B>, "join takes two tiles of one type and shape; use cast<T>, reshape or broadcast_to");
}
namespace detail {
template <typename A, typename B>
struct TwoTiles {
  A first;
  B second;
};
}  // namespace detail
/// The halves of a last axis of size 2: `auto [a, b] = split(x);`
template <typename T, int... D>
auto split(const Tile<T, D...>& x, detail::Where where = detail::Where::current()) {
  using S = detail::Shape<D...>;
  static_assert(S::rank >= 1 && S::dims[S::rank >= 1 ? S::rank - 1 : 0] == 2, "split needs a last axis of size 2");
  using Half = typename detail::DropLast<S>::type;
  detail::Desc results[2] = {detail::desc_of<T, Half>, detail::desc_of<T, Half>};
  detail::Slot slot = x.slot(), out[2];
  detail::emit_many(detail::OpCode::Split, &slot, 1, results, out, 2, nullptr, 0, where);
  using Result = detail::TileOf<T, Half>;
  return detail::TwoTiles<Result, Result>{Result(detail::FromSlot{}, out[0]), Result(detail::FromSlot{}, out[1])};
}

/// Two tiles one after the other along `Axis`.
template <int Axis, typename T, int... A, int... B>
auto cat(const Tile<T, A...>& a, const Tile<T, B...>& b, detail::Where where = detail::Where::current()) {
  using SA = detail::Shape<A...>;
  using SB = detail::Shape<B...>;
  static_assert(SA::rank == SB::rank && Axis >= 0 && Axis < SA::rank, "cat joins tiles with the same number of axes along one of them");
  using S = typename detail::WithDim<SA, Axis, static_cast<int>(SA::dims[Axis] + SB::dims[Axis])>::type;
  static_assert(std::is_same_v<typename detail::WithDim<SB, Axis, static_cast<int>(S::dims[Axis])>::type, S>, "cat needs equal sizes on every other axis");
  detail::Slot operands[2] = {a.slot(), b.slot()};
  detail::Attr attribute = detail::axis_attribute(Axis);
  return detail::TileOf<T, S>(detail::FromSlot{}, detail::emit(detail::OpCode::Cat, operands, 2, detail::desc_of<T, S>, &attribute, 1, where));
}
template <int Axis, detail::AnyTile A, detail::AnyTile B, detail::AnyTile... Rest>
  requires(sizeof...(Rest) > 0)
auto cat(const A& a, const B& b, const Rest&... rest) {
  return cat<Axis>(cat<Axis>(a, b, detail::nearby), rest...);
}

/// A part of shape Dims at run-time offsets; elements outside the tile are 0.
template <int... Dims, typename T, int... D>
Tile<T, Dims...> extract(const Tile<T, D...>& x, std::type_identity_t<detail::Offsets<sizeof...(D)>> offsets, detail::Where where = detail::Where::current()) {
  static_assert(sizeof...(Dims) == 0 || sizeof...(Dims) == sizeof...(D), "a part has as many axes as the tile");
  detail::SlotList operands;
  operands.push(x.slot());
  operands.push(offsets, where);
  return {detail::FromSlot{}, detail::emit(detail::OpCode::Extract, operands.items, operands.count, detail::desc_of<T, detail::Shape<Dims...>>, nullptr, 0, where)};
}
/// One element, 0 outside the tile.
template <typename T, int... D>
Scalar<T> at(const Tile<T, D...>& x, std::type_identity_t<detail::Offsets<sizeof...(D)>> offsets, detail::Where where = detail::Where::current()) {
  return extract<>(x, offsets, where);
}

/// result[.., i, ..] = x[.., index[.., i, ..], ..] along `Axis`; 0 where the index is outside.
template <int Axis, typename T, int... D, typename I, int... E>
Tile<T, E...> gather_along(const Tile<T, D...>& x, const Tile<I, E...>& index, detail::Where where = detail::Where::current()) {
  static_assert(std::is_same_v<typename detail::WithDim<detail::Shape<D...>, Axis, 1>::type, typename detail::WithDim<detail::Shape<E...>, Axis, 1>::type>,
                "tile and indices must agree on every axis but the gathered one");
  static_assert(detail::is_int_like<I>, "indices are integers");
  detail::Slot operands[2] = {x.slot(), index.slot()};
  detail::Attr attribute = detail::axis_attribute(Axis);
  return {detail::FromSlot{}, detail::emit(detail::OpCode::GatherAlong, operands, 2, detail::desc_of<T, detail::Shape<E...>>, &attribute, 1, where)};
}

/// Counts of the values 0 ... Bins-1; others, and those whose mask is false, are not counted.
template <int Bins, typename T, int... D>
Tile<i32, Bins> histogram(const Tile<T, D...>& x, detail::Where where = detail::Where::current()) {
  static_assert(detail::is_int_like<T>, "histogram counts integers");
  detail::Slot slot = x.slot();
  return {detail::FromSlot{}, detail::emit(detail::OpCode::Histogram, &slot, 1, detail::desc_of<i32, detail::Shape<Bins>>, nullptr, 0, where)};
}
template <int Bins, typename T, int... D>
Tile<i32, Bins> histogram(const Tile<T, D...>& x, const Tile<bool, D...>& mask, detail::Where where = detail::Where::current()) {
  static_assert(detail::is_int_like<T>, "histogram counts integers");
  detail::Slot operands[2] = {x.slot(), mask.slot()};
  return {detail::FromSlot{}, detail::emit(detail::OpCode::Histogram, operands, 2, detail::desc_of<i32, detail::Shape<Bins>>, nullptr, 0, where)};
}

/// One axis reversed.
template <int Axis, typename T, int... D>
Tile<T, D...> flip(const Tile<T, D...>& x, detail::Where where = detail::Where::current()) {
  static_assert(Axis >= 0 && Axis < static_cast<int>(sizeof...(D)), "the tile has no such axis");
  detail::Slot slot = x.slot();
  detail::Attr attribute = detail::axis_attribute(Axis);
  return {detail::FromSlot{}, detail::emit(detail::OpCode::Flip, &slot, 1, detail::desc_of<T, detail::Shape<D...>>, &attribute, 1, where)};
}

}  // namespace sectile
