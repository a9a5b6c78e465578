// Loads, stores, gathers, scatters, atomics and fences. Elements outside a view read 0 (or the fill) and are not written.
#pragma once

#include "sectile/view.h"

namespace sectile {

namespace detail {
template <typename X>
struct Fill {
  X value;
};
template <typename V>
struct ViewTraits;
template <typename T, int R>
struct ViewTraits<View<T, R>> {
  using Element = std::remove_const_t<T>;
};

struct Segments {
  std::int64_t items[5];
  Attr attribute(int count) const { return {"operandSegmentSizes", Attr::list, 0, nullptr, items, count}; }
};

template <typename T, int R, typename S>
TileOf<std::remove_const_t<T>, S> emit_load(const View<T, R>& view, const Offsets<R>& offsets, const Slot* fill, Where where) {
  using E = std::remove_const_t<T>;
  SlotList operands;
  operands.push(view.slot(where));
  operands.push(offsets, where);
  if (fill) operands.push(*fill);
  Segments segments{{1, R, fill ? 1 : 0}};
  Attr attribute = segments.attribute(3);
  return {FromSlot{}, emit(OpCode::Load, operands.items, operands.count, desc_of<E, S>, &attribute, 1, where)};
}
}  // namespace detail

/// What a load or gather reads outside the view (or where its mask is false).
template <detail::Literal X>
detail::Fill<X> fill(X value) {
  return {value};
}
template <typename T>
detail::Fill<Tile<T>> fill(const Tile<T>& value) {
  return {value};
}

/// The tile of shape Dims at element offsets of `view`; one offset per axis. Without Dims: one element, as a scalar.
template <int... Dims, typename T, int R>
auto load(const View<T, R>& view, std::type_identity_t<detail::Offsets<R>> offsets, detail::Where where = detail::Where::current()) {
  static_assert(sizeof...(Dims) == 0 || sizeof...(Dims) == R, "a tile is loaded with as many axes as the view has; slice the view, as in q[i], or load a tile with axes of size 1");
  return detail::emit_load<T, R, detail::Shape<Dims...>>(view, offsets, nullptr, where);
}
template <int... Dims, typename T, int R, typename X>
auto load(const View<T, R>& view, std::type_identity_t<detail::Offsets<R>> offsets, detail::Fill<X> fill, detail::Where where = detail::Where::current()) {
  static_assert(sizeof...(Dims) == 0 || sizeof...(Dims) == R, "a tile is loaded with as many axes as the view has; slice the view, as in q[i], or load a tile with axes of size 1");
  detail::Slot value = detail::operand<std::remove_const_t<T>>(fill.value, where).slot;
  return detail::emit_load<T, R, detail::Shape<Dims...>>(view, offsets, &value, where);
}

template <int... Dims, typename T, int R, typename X>
  requires(detail::TileOrLiteral<X>)
auto load(const View<T, R>& view, std::type_identity_t<detail::Offsets<R>> offsets, const X&) {
  static_assert(!detail::TileOrLiteral<X>, "what load reads outside the view is given as fill(x); a mask goes with gather(view, indices(...), mask, fill(x))");
  return load<Dims...>(view, offsets);
}

/// Writes `tile` at element offsets of `view`.
template <typename T, int R, detail::TileOrLiteral X>
void store(const View<T, R>& view, std::type_identity_t<detail::Offsets<R>> offsets, const X& tile, detail::Where where = detail::Where::current()) {
  static_assert(!std::is_const_v<T>, "this view is read-only (View<const T, R>); take View<T, R> as the kernel's parameter to write to it");
  if constexpr (detail::AnyTile<X>) {
    static_assert(std::is_same_v<detail::ElementOf<X>, T>, "the tile and the view have different element types; convert with cast<T>(tile)");
    static_assert(detail::ShapeOf<X>::rank == 0 || detail::ShapeOf<X>::rank == R, "the tile and the view have different numbers of axes; slice the view or reshape the tile");
  }
  detail::SlotList operands;
  operands.push(view.slot(where));
  operands.push(offsets, where);
  operands.push(detail::operand<T>(tile, where).slot);
  detail::effect(detail::OpCode::Store, operands.items, operands.count, nullptr, 0, where);
}
template <typename T, int R, detail::TileOrLiteral X, detail::TileOrLiteral M>
void store(const View<T, R>&, std::type_identity_t<detail::Offsets<R>>, const X&, const M&) {
  static_assert(!detail::TileOrLiteral<M>, "store takes no mask, and drops what lies outside the view; a mask goes with scatter(view, indices(...), tile, mask)");
}

namespace detail {

/// Index tiles of one shape, one per axis, as index slots.
template <typename S, typename... I>
void push_indices(SlotList& operands, Where where, const I&... indices) {
  auto one = [&](const auto& index) {
    using X = std::remove_cvref_t<decltype(index)>;
    if constexpr (AnyTile<X>) {
      static_assert(is_int_like<ElementOf<X>>, "index tiles hold integers");
      Desc from = desc_of<ElementOf<X>, ShapeOf<X>>;
      Slot value = convert(index.slot(), from, {ScalarType::index, from.rank, from.shape}, where);
      operands.push(to_shape(value, {ScalarType::index, from.rank, from.shape}, desc_of<IndexElement, S>, where));
    } else {
      operands.push(to_shape(index_slot(IndexLike(index), where), {ScalarType::index, 0, nullptr}, desc_of<IndexElement, S>, where));
    }
  };
  (one(indices), ...);
}

template <typename X>
struct ShapeOrScalar {
  using type = Shape<>;
};
template <typename X>
  requires AnyTile<X>
struct ShapeOrScalar<X> {
  using type = ShapeOf<X>;
};
template <typename... X>
struct JoinAll;
template <typename X>
struct JoinAll<X> {
  using type = typename ShapeOrScalar<X>::type;
};
template <typename X, typename... Rest>
struct JoinAll<X, Rest...> {
  using type = Broadcast<typename ShapeOrScalar<X>::type, typename JoinAll<Rest...>::type>;
};


}  // namespace detail

namespace detail {
/// One index slot of shape S for each of N axes.
template <typename S, int N>
struct IndexSet {
  SlotList slots;
};
/// The elements of a tile of shape S that lies at `offsets`.
template <typename S, int R>
IndexSet<S, R> block_indices(const Offsets<R>& offsets, Where where) {
  static_assert(S::rank == R || S::rank == 0, "the tile and the view have different numbers of axes; slice the view or reshape the tile");
  IndexSet<S, R> result;
  Desc shape = desc_of<IndexElement, S>;
  for (int axis = 0; axis < R; ++axis) {
    Slot start = index_slot(offsets.items[axis], where);
    if constexpr (S::rank != 0) {
      Attr attribute{"axis", Attr::number, axis};
      Slot step = emit(OpCode::Iota, nullptr, 0, shape, &attribute, 1, where);
      start = binary(Binary::add, step, shape, start, {ScalarType::index, 0, nullptr}, shape, where);
    }
    result.slots.push(start);
  }
  return result;
}
}  // namespace detail

/// Index tiles, one per axis of a view, as an argument of gather, scatter and atomics: `indices(rows, columns)`.
template <typename... I>
struct Indices : detail::IndexSet<typename detail::JoinAll<I...>::type, static_cast<int>(sizeof...(I))> {
  using Shape = typename detail::JoinAll<I...>::type;
};
template <typename... I>
Indices<I...> indices(const I&... tiles) {
  Indices<I...> result;
  detail::push_indices<typename Indices<I...>::Shape>(result.slots, detail::nearby, tiles...);
  return result;
}

namespace detail {

struct NoMask {};
struct NoFill {};

template <typename S, typename M>
auto push_mask(SlotList& operands, const M& mask, Where where) {
  if constexpr (std::is_same_v<M, NoMask>) {
    return 0;
  } else {
    static_assert(std::is_same_v<ElementOf<M>, bool>, "a mask is a tile of bool");
    operands.push(to_shape(mask.slot(), desc_of<bool, ShapeOf<M>>, desc_of<bool, S>, where));
    return 1;
  }
}

template <typename T, int R, typename... I, typename M, typename X>
auto emit_gather(const View<T, R>& view, const Indices<I...>& at, const M& mask, const Fill<X>* fill, Where where) {
  static_assert(sizeof...(I) == R, "give one index tile per axis of the view");
  using E = std::remove_const_t<T>;
  using S = typename Indices<I...>::Shape;
  SlotList operands;
  operands.push(view.slot(where));
  for (int i = 0; i < R; ++i) operands.push(at.slots.items[i]);
  int masks = push_mask<S>(operands, mask, where);
  if (fill) operands.push(operand<E>(fill->value, where).slot);
  Segments segments{{1, R, masks, fill ? 1 : 0}};
  Attr attribute = segments.attribute(4);
  return TileOf<E, S>(FromSlot{}, emit(OpCode::Gather, operands.items, operands.count, desc_of<E, S>, &attribute, 1, where));
}

}  // namespace detail

/// view[i, j, ...] for index tiles: gather(view, indices(rows, columns)). Outside the view, or where `mask` is false: 0 or the fill.
template <typename T, int R, typename... I>
auto gather(const View<T, R>& view, const Indices<I...>& at, detail::Where where = detail::Where::current()) {
  return detail::emit_gather(view, at, detail::NoMask{}, static_cast<const detail::Fill<int>*>(nullptr), where);
}
template <typename T, int R, typename... I, detail::AnyTile M>
auto gather(const View<T, R>& view, const Indices<I...>& at, const M& mask, detail::Where where = detail::Where::current()) {
  return detail::emit_gather(view, at, mask, static_cast<const detail::Fill<int>*>(nullptr), where);
}
template <typename T, int R, typename... I, detail::AnyTile M, typename X>
auto gather(const View<T, R>& view, const Indices<I...>& at, const M& mask, detail::Fill<X> fill, detail::Where where = detail::Where::current()) {
  return detail::emit_gather(view, at, mask, &fill, where);
}

/// view[i, j, ...] = value for index tiles. Of several values with one target, an unspecified one remains.
template <typename T, int R, typename... I, detail::AnyTile X, typename M = detail::NoMask>
void scatter(const View<T, R>& view, const Indices<I...>& at, const X& value, const M& mask = {}, detail::Where where = detail::Where::current()) {
  static_assert(sizeof...(I) == R, "give one index tile per axis of the view");
  static_assert(!std::is_const_v<T>, "this view is read-only (View<const T, R>); take View<T, R> as the kernel's parameter to write to it");
  static_assert(std::is_same_v<detail::ElementOf<X>, T>, "the tile and the view have different element types; convert with cast<T>(tile)");
  using S = typename Indices<I...>::Shape;
  detail::SlotList operands;
  operands.push(view.slot(where));
  for (int i = 0; i < R; ++i) operands.push(at.slots.items[i]);
  operands.push(detail::to_shape(value.slot(), detail::desc_of<T, detail::ShapeOf<X>>, detail::desc_of<T, S>, where));
  int masks = detail::push_mask<S>(operands, mask, where);
  detail::Segments segments{{1, R, 1, masks}};
  detail::Attr attribute = segments.attribute(4);
  detail::effect(detail::OpCode::Scatter, operands.items, operands.count, &attribute, 1, where);
}

enum class Order { relaxed, acquire, release, acq_rel, seq_cst };
enum class Scope { program, cluster, device, system };

namespace detail {

constexpr const char* order_name(Order order) {
  constexpr const char* names[] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};
  return names[static_cast<int>(order)];
}
constexpr const char* scope_name(Scope scope) {
  constexpr const char* names[] = {"program", "cluster", "device", "system"};
  return names[static_cast<int>(scope)];
}

struct AtomicOrder {
  Order order;
  Scope scope;
};

/// `expected` is null except for compare-and-swap.
template <typename T, int R, typename S, int N, typename X, typename M>
auto emit_atomic(const char* kind, const View<T, R>& view, const IndexSet<S, N>& at, const std::type_identity_t<X>* expected, const X& value, const M& mask,
                 AtomicOrder how, Where where) {
  static_assert(N == R, "give one index tile per axis of the view");
  static_assert(!std::is_const_v<T>, "this view is read-only (View<const T, R>); take View<T, R> as the kernel's parameter to change it");
  static_assert(!std::is_same_v<T, bool> && !is_f8<T>, "there are no atomics on bool and f8 elements");
  if constexpr (AnyTile<X>) static_assert(std::is_same_v<ElementOf<X>, T>, "the tile and the view have different element types; convert with cast<T>(tile)");
  static_assert(std::is_same_v<Broadcast<S, typename ShapeOrScalar<X>::type>, S>, "the value has a larger shape than the index tiles");
  SlotList operands;
  operands.push(view.slot(where));
  for (int i = 0; i < R; ++i) operands.push(at.slots.items[i]);
  auto push_value = [&](const X& x) {
    Operand item = operand<T>(x, where);
    operands.push(to_shape(item.slot, item.desc, desc_of<T, S>, where));
  };
  if (expected) push_value(*expected);
  push_value(value);
  int masks = push_mask<S>(operands, mask, where);
  Segments segments = expected ? Segments{{1, R, 1, 1, masks}} : Segments{{1, R, 1, masks}};
  Attr attributes[4] = {segments.attribute(expected ? 5 : 4), {"order", Attr::text, 0, order_name(how.order)}, {"scope", Attr::text, 0, scope_name(how.scope)},
                        {"kind", Attr::text, 0, kind}};
  OpCode code = expected ? OpCode::AtomicCas : OpCode::AtomicRmw;
  return TileOf<T, S>(FromSlot{}, emit(code, operands.items, operands.count, desc_of<T, S>, attributes, expected ? 3 : 4, where));
}

}  // namespace detail

#define SECTILE_ATOMIC(function, signed_kind, unsigned_kind, integers_only)                                                                       \
  template <typename T, int R, typename... I, detail::TileOrLiteral X>                                                                           \
    requires(sizeof...(I) > 0)                                                                                                                    \
  auto function(const View<T, R>& view, const Indices<I...>& at, const X& value, Order order = Order::relaxed, Scope scope = Scope::device,      \
                detail::Where where = detail::Where::current()) {                                                                                 \
    static_assert(!(integers_only) || std::is_integral_v<T>, #function " works on integers");                                                     \
    return detail::emit_atomic(std::is_unsigned_v<T> ? unsigned_kind : signed_kind, view, at, nullptr, value, detail::NoMask{}, {order, scope}, where); \
  }                                                                                                                                               \
  template <typename T, int R, typename... I, detail::TileOrLiteral X, detail::AnyTile M>                                                        \
    requires(sizeof...(I) > 0)                                                                                                                    \
  auto function(const View<T, R>& view, const Indices<I...>& at, const X& value, const M& mask, Order order = Order::relaxed,                    \
                Scope scope = Scope::device, detail::Where where = detail::Where::current()) {                                                    \
    static_assert(!(integers_only) || std::is_integral_v<T>, #function " works on integers");                                                     \
    return detail::emit_atomic(std::is_unsigned_v<T> ? unsigned_kind : signed_kind, view, at, nullptr, value, mask, {order, scope}, where);      \
  }                                                                                                                                               \
  template <typename T, int R, detail::TileOrLiteral X>                                                                                          \
  auto function(const View<T, R>& view, std::type_identity_t<detail::Offsets<R>> offsets, const X& value, Order order = Order::relaxed,          \
                Scope scope = Scope::device, detail::Where where = detail::Where::current()) {                                                    \
    static_assert(!(integers_only) || std::is_integral_v<T>, #function " works on integers");                                                     \
    auto at = detail::block_indices<typename detail::ShapeOrScalar<X>::type>(offsets, where);                                                     \
    return detail::emit_atomic(std::is_unsigned_v<T> ? unsigned_kind : signed_kind, view, at, nullptr, value, detail::NoMask{}, {order, scope}, where); \
  }
/// Atomic read-modify-write that gives the old values (0 outside the view and where a mask is false): of the elements at index tiles,
/// `atomic_add(view, indices(i, j), value)` or `atomic_add(view, indices(i, j), value, mask)`, or of the block at offsets, `atomic_add(view, {row, col}, tile)`.
SECTILE_ATOMIC(atomic_add, "add", "add", false)
SECTILE_ATOMIC(atomic_min, "min", "umin", false)
SECTILE_ATOMIC(atomic_max, "max", "umax", false)
SECTILE_ATOMIC(atomic_and, "and", "and", true)
SECTILE_ATOMIC(atomic_or, "or", "or", true)
SECTILE_ATOMIC(atomic_xor, "xor", "xor", true)
SECTILE_ATOMIC(atomic_exchange, "exchange", "exchange", false)
#undef SECTILE_ATOMIC

/// Where the element equals `expected` (bit for bit) it becomes `desired`; gives the old values. At index tiles, or at the block at offsets.
template <typename T, int R, typename... I, detail::AnyTile X>
  requires(sizeof...(I) > 0)
auto atomic_cas(const View<T, R>& view, const Indices<I...>& at, const X& expected, const X& desired, Order order = Order::relaxed, Scope scope = Scope::device,
                detail::Where where = detail::Where::current()) {
  return detail::emit_atomic("", view, at, &expected, desired, detail::NoMask{}, {order, scope}, where);
}
template <typename T, int R, detail::AnyTile X>
auto atomic_cas(const View<T, R>& view, std::type_identity_t<detail::Offsets<R>> offsets, const X& expected, const X& desired, Order order = Order::relaxed,
                Scope scope = Scope::device, detail::Where where = detail::Where::current()) {
  return detail::emit_atomic("", view, detail::block_indices<detail::ShapeOf<X>>(offsets, where), &expected, desired, detail::NoMask{}, {order, scope}, where);
}

/// Orders all memory effects of this program.
inline void fence(Order order = Order::seq_cst, Scope scope = Scope::device, detail::Where where = detail::Where::current()) {
  detail::Attr attributes[2] = {{"order", detail::Attr::text, 0, detail::order_name(order)}, {"scope", detail::Attr::text, 0, detail::scope_name(scope)}};
  detail::effect(detail::OpCode::Fence, nullptr, 0, attributes, 2, where);
}

}  // namespace sectile
