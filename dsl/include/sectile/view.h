// View<T, R>: memory with a shape and strides. On the host a descriptor that launch takes; in a kernel the memory that tiles are loaded from.
#pragma once

#include "sectile/tile.h"

#include <array>
#include <cstddef>

namespace sectile {

template <typename T, int R>
class View;

namespace detail {

/// An index argument: an Index, an integer scalar or a plain integer. Default-constructed: missing.
struct IndexLike : IndexArg {
  IndexLike() = default;
  template <typename I>
    requires(std::is_integral_v<I>)
  IndexLike(I number, Where at = Where::current()) {
    kind = literal, where = at;
    value = static_cast<std::int64_t>(number);
  }
  template <typename T>
  IndexLike(const Tile<T>& scalar, Where at = Where::current()) {
    static_assert(is_int_like<T> && !std::is_same_v<T, bool>, "an index is an integer; cast the value to an integer type first");
    kind = slot, where = at;
    id = scalar.slot();
    element = scalar_type_of<T>;
  }
};

template <int R, int... Order>
constexpr bool is_permutation() {
  bool seen[R + 1] = {};
  bool good = sizeof...(Order) == R;
  auto see = [&](int axis) { good = good && axis >= 0 && axis < R && !seen[axis], seen[good ? axis : R] = true; };
  (see(Order), ...);
  return good;
}

template <int R>
struct Offsets {
  IndexLike items[R];
};

struct SlotList {
  Slot items[24];
  int count = 0;
  void push(Slot slot) { items[count++] = slot; }
  template <int R>
  void push(const Offsets<R>& offsets, Where where) {
    for (const IndexLike& item : offsets.items) push(index_slot(item, where));
  }
};

}  // namespace detail

/// T is an element type, const for read-only memory; R is the number of axes, 1 to 5.
template <typename T, int R>
class View {
  static_assert(R >= 1 && R <= 5, "a view has 1 to 5 axes");
  static constexpr bool readonly = std::is_const_v<T>;
  static constexpr ScalarType element = scalar_type_of<T>;

 public:
  using Element = std::remove_const_t<T>;
  static constexpr int rank = R;

  // ---- host ----

  /// Row-major memory of `shape`. Throws nothing; launch checks the pointer and the shape.
  View(T* data, std::array<std::int64_t, R> shape) : data_(data), shape_(shape) {
    std::int64_t stride = 1;
    for (int axis = R - 1; axis >= 0; --axis) {
      strides_[static_cast<std::size_t>(axis)] = stride;
      if (__builtin_mul_overflow(stride, shape_[static_cast<std::size_t>(axis)], &stride)) stride = 0;
    }
  }
  /// Memory with strides in elements (0 repeats, negative walks backwards).
  View(T* data, std::array<std::int64_t, R> shape, std::array<std::int64_t, R> strides) : data_(data), shape_(shape), strides_(strides) {}
  /// One axis over anything with data() and size(), such as std::vector or std::span.
  template <typename Container>
    requires(R == 1 && !requires(Container& c) { c.shape(); } && requires(Container& c, T*& data, std::int64_t& size) { data = c.data(), size = static_cast<std::int64_t>(c.size()); })
  View(Container&& container) : View(container.data(), {static_cast<std::int64_t>(container.size())}) {}
  /// Read-only view of writable memory.
  operator View<const T, R>() const
    requires(!readonly)
  {
    return slot_ ? View<const T, R>(detail::FromSlot{}, slot_) : View<const T, R>(data_, shape_, strides_);
  }

  T* data() const { return data_; }
  const std::array<std::int64_t, R>& shape() const { return shape_; }
  const std::array<std::int64_t, R>& strides() const { return strides_; }

  // ---- in a kernel ----

  View(detail::FromSlot, detail::Slot slot) : slot_(slot) {}
  View(const View&) = default;
  /// In kernels only outside device loops and conditions.
  View& operator=(const View& other) {
    if (slot_ || other.slot_) detail::check_view_assignment(detail::nearby);
    data_ = other.data_, shape_ = other.shape_, strides_ = other.strides_, slot_ = other.slot_;
    return *this;
  }

  Index size(int axis, detail::Where where = detail::Where::current()) const { return shape_value(detail::OpCode::ViewSize, axis, where); }
  Index stride(int axis, detail::Where where = detail::Where::current()) const { return shape_value(detail::OpCode::ViewStride, axis, where); }

  /// The view at one index of the first axis.
  auto operator[](detail::IndexLike index) const {
    static_assert(R >= 2, "slicing needs a view with at least two axes; load one element with load(view, {i})");
    return sliced(index, 0, index.where);
  }
  View<T, (R > 1 ? R - 1 : 1)> sliced(detail::IndexLike index, int axis, detail::Where where) const {
    detail::Slot operands[2] = {slot(where), detail::index_slot(index, where)};
    detail::Attr attribute{"axis", detail::Attr::number, axis};
    return {detail::FromSlot{}, detail::emit_view(detail::OpCode::ViewSlice, operands, 2, element, R - 1, readonly, &attribute, 1, where)};
  }
  /// The last two axes exchanged.
  View transposed(detail::Where where = detail::Where::current()) const {
    static_assert(R >= 2, "transposing needs at least two axes");
    std::int64_t order[R];
    for (int i = 0; i < R; ++i) order[i] = i;
    order[R - 2] = R - 1, order[R - 1] = R - 2;
    return permute(order, where);
  }
  /// Axis i of the result is axis Order[i] of this view.
  template <int... Order>
  View permuted(detail::Where where = detail::Where::current()) const {
    static_assert(detail::is_permutation<R, Order...>(), "name every axis once, as in permuted<1, 0, 2>()");
    std::int64_t order[R] = {Order...};
    return permute(order, where);
  }
  /// The same elements in row-major order with another shape; the view must be contiguous.
  template <typename... Sizes>
  View<T, sizeof...(Sizes)> reshaped(Sizes... sizes) const {
    detail::Where where = detail::nearby;
    detail::SlotList operands;
    operands.push(slot(where));
    for (const detail::IndexLike& size : {detail::IndexLike(sizes)...}) operands.push(detail::index_slot(size, where));
    return {detail::FromSlot{},
            detail::emit_view(detail::OpCode::ViewReshape, operands.items, operands.count, element, sizeof...(Sizes), readonly, nullptr, 0, where)};
  }

  detail::Slot slot(detail::Where where = detail::Where::current()) const {
    if (!slot_) detail::outside_kernel("a view of host memory is used as device memory", where);
    return slot_;
  }

 private:
  Index shape_value(detail::OpCode code, int axis, detail::Where where) const {
    detail::Slot operand = slot(where);
    detail::Attr attribute{"axis", detail::Attr::number, axis};
    return {detail::FromSlot{}, detail::emit(code, &operand, 1, {ScalarType::index, 0, nullptr}, &attribute, 1, where)};
  }
  View permute(const std::int64_t* order, detail::Where where) const {
    detail::Slot operand = slot(where);
    detail::Attr attribute{"permutation", detail::Attr::list, 0, nullptr, order, R};
    return {detail::FromSlot{}, detail::emit_view(detail::OpCode::ViewTranspose, &operand, 1, element, R, readonly, &attribute, 1, where)};
  }

  T* data_ = nullptr;
  std::array<std::int64_t, R> shape_{}, strides_{};
  detail::Slot slot_ = 0;
};

/// The view at one index of axis `Axis`.
template <int Axis, typename T, int R>
View<T, R - 1> slice(const View<T, R>& view, detail::IndexLike index, detail::Where where = detail::Where::current()) {
  static_assert(R >= 2 && Axis >= 0 && Axis < R, "the view has no such axis, or only one");
  return view.sliced(index, Axis, where);
}

/// A window: element i of an axis is element offset + i * step of the view, clipped to it.
template <typename T, int R>
View<T, R> subview(const View<T, R>& view, std::type_identity_t<detail::Offsets<R>> offsets, std::type_identity_t<detail::Offsets<R>> sizes,
                   std::type_identity_t<detail::Offsets<R>> steps, detail::Where where = detail::Where::current()) {
  detail::SlotList operands;
  operands.push(view.slot(where));
  operands.push(offsets, where), operands.push(sizes, where), operands.push(steps, where);
  return {detail::FromSlot{}, detail::emit_view(detail::OpCode::Subview, operands.items, operands.count, scalar_type_of<T>, R, std::is_const_v<T>, nullptr, 0, where)};
}
template <typename T, int R>
View<T, R> subview(const View<T, R>& view, std::type_identity_t<detail::Offsets<R>> offsets, std::type_identity_t<detail::Offsets<R>> sizes,
                   detail::Where where = detail::Where::current()) {
  detail::Offsets<R> steps;
  for (auto& step : steps.items) step = 1;
  return subview(view, offsets, sizes, steps, where);
}
/// Every step-th element of axis `Axis`.
template <int Axis, typename T, int R>
View<T, R> strided(const View<T, R>& view, detail::IndexLike step, detail::Where where = detail::Where::current()) {
  detail::SlotList operands;
  operands.push(view.slot(where));
  detail::SlotList sizes;
  for (int i = 0; i < R; ++i) operands.push(detail::index_slot(detail::IndexLike(0), where));
  for (int i = 0; i < R; ++i) operands.push(view.size(i, where).slot());
  for (int i = 0; i < R; ++i) operands.push(detail::index_slot(i == Axis ? step : detail::IndexLike(1), where));
  return {detail::FromSlot{}, detail::emit_view(detail::OpCode::Subview, operands.items, operands.count, scalar_type_of<T>, R, std::is_const_v<T>, nullptr, 0, where)};
}
/// A view of shape `sizes` in which axes of extent 1 repeat; missing leading axes are added.
template <int N, typename T, int R>
View<T, N> broadcast(const View<T, R>& view, detail::Offsets<N> sizes, detail::Where where = detail::Where::current()) {
  static_assert(N >= R && N <= 5, "broadcasting keeps or adds axes, up to 5");
  detail::SlotList operands;
  operands.push(view.slot(where));
  operands.push(sizes, where);
  std::int64_t dimensions[N];
  for (int i = 0; i < N; ++i) dimensions[i] = i < N - R ? -1 : i - (N - R);
  detail::Attr attribute{"dimensions", detail::Attr::list, 0, nullptr, dimensions, N};
  return {detail::FromSlot{}, detail::emit_view(detail::OpCode::ViewBroadcast, operands.items, operands.count, scalar_type_of<T>, N, std::is_const_v<T>, &attribute, 1, where)};
}

}  // namespace sectile
