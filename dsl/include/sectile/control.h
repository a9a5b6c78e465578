// The grid, device loops and conditions, hints, prints and assertions.
#pragma once

#include "sectile/ops_shape.h"

#include <array>

namespace sectile {

/// One axis of the grid: `extent` elements in tiles of `step`.
struct Tiles {
  detail::IndexLike extent, step;
};
inline Tiles tiles(detail::IndexLike extent, detail::IndexLike step) { return {extent, step}; }

/// Option of grid: programs start in increasing order, so that a program may wait for earlier ones.
struct InOrder {};
inline constexpr InOrder in_order{};

/// Overrides of the compiler's choices; 0 leaves a choice to it. An option of grid, `grid(tiles(n, 64), hint{.warps = 8})`, or given by set_hint, for
/// the whole kernel; the last argument of range, `range(0, k, 32, hint{.stages = 3})`, for one loop.
struct hint {
  int warps = 0, stages = 0, persistent = 0, clusters = 0, fast_math = 0;
};

namespace detail {
/// The choices that `h` makes.
struct HintList {
  Attr items[5];
  int count = 0;
  explicit HintList(const hint& h) {
    add("warps", h.warps), add("stages", h.stages), add("persistent", h.persistent), add("clusters", h.clusters), add("fast_math", h.fast_math);
  }
  void add(const char* name, int value) {
    if (value != 0) items[count++] = {name, Attr::number, value};
  }
};
}  // namespace detail

inline void set_hint(const hint& h, detail::Where where = detail::Where::current()) {
  const detail::HintList list(h);
  for (int i = 0; i < list.count; ++i) detail::add_hint(list.items[i].name, list.items[i].value, where);
}

namespace detail {

/// What may follow the axes of a grid.
struct GridOption {
  bool ordered = false;
  hint hints;
  GridOption() = default;
  GridOption(InOrder) : ordered(true) {}
  GridOption(const hint& h) : hints(h) {}
};
template <std::size_t N, std::size_t... I>
std::array<Index, N> offsets_of(const Slot* slots, std::index_sequence<I...>) {
  return {Index(FromSlot{}, slots[I])...};
}
template <std::size_t N>
std::array<Index, N> emit_grid(const Tiles (&axes)[N], const GridOption& first, const GridOption& second, Where where) {
  IndexArg extents[N], steps[N];
  for (std::size_t i = 0; i < N; ++i) extents[i] = axes[i].extent, steps[i] = axes[i].step;
  Slot offsets[N];
  declare_grid(extents, steps, static_cast<int>(N), first.ordered || second.ordered, offsets, where);
  set_hint(first.hints, where), set_hint(second.hints, where);
  return offsets_of<N>(offsets, std::make_index_sequence<N>{});
}

}  // namespace detail

/// Declares the grid, once, before any load or store, and gives this program's element offsets: `auto [row, col] = grid(tiles(m, 128), tiles(n, 64));`
/// Up to 4 axes, then `in_order` and `hint{...}`.
inline std::array<Index, 1> grid(Tiles a, detail::GridOption first = {}, detail::GridOption second = {}, detail::Where where = detail::Where::current()) {
  return detail::emit_grid<1>({a}, first, second, where);
}
inline std::array<Index, 2> grid(Tiles a, Tiles b, detail::GridOption first = {}, detail::GridOption second = {}, detail::Where where = detail::Where::current()) {
  return detail::emit_grid<2>({a, b}, first, second, where);
}
inline std::array<Index, 3> grid(Tiles a, Tiles b, Tiles c, detail::GridOption first = {}, detail::GridOption second = {}, detail::Where where = detail::Where::current()) {
  return detail::emit_grid<3>({a, b, c}, first, second, where);
}
inline std::array<Index, 4> grid(Tiles a, Tiles b, Tiles c, Tiles d, detail::GridOption first = {}, detail::GridOption second = {}, detail::Where where = detail::Where::current()) {
  return detail::emit_grid<4>({a, b, c, d}, first, second, where);
}
template <typename... More>
  requires(sizeof...(More) > 4 && (std::is_same_v<More, Tiles> && ...))
std::array<Index, sizeof...(More)> grid(const More&...) {
  static_assert(sizeof...(More) <= 4, "a grid has 1 to 4 axes; fold two of them into one");
}

/// Coordinate of this program, and number of programs, on one axis of the grid.
inline Index program_id(int axis, detail::Where where = detail::Where::current()) {
  detail::Attr attribute = detail::axis_attribute(axis);
  return {detail::FromSlot{}, detail::emit(detail::OpCode::ProgramId, nullptr, 0, {ScalarType::index, 0, nullptr}, &attribute, 1, where)};
}
inline Index num_programs(int axis, detail::Where where = detail::Where::current()) {
  detail::Attr attribute = detail::axis_attribute(axis);
  return {detail::FromSlot{}, detail::emit(detail::OpCode::NumPrograms, nullptr, 0, {ScalarType::index, 0, nullptr}, &attribute, 1, where)};
}

/// A device loop: `for (auto k : range(0, n, 32)) { ... }`. The body is recorded once. Leave it early with break_if(condition).
class range {
 public:
  explicit range(detail::IndexLike high, detail::Where where = detail::Where::current()) : range(0, high, 1, hint{}, where) {}
  range(detail::IndexLike low, detail::IndexLike high, detail::Where where = detail::Where::current()) : range(low, high, 1, hint{}, where) {}
  range(detail::IndexLike low, detail::IndexLike high, detail::IndexLike step, detail::Where where = detail::Where::current()) : range(low, high, step, hint{}, where) {}
  range(detail::IndexLike high, const hint& hints, detail::Where where = detail::Where::current()) : range(0, high, 1, hints, where) {}
  range(detail::IndexLike low, detail::IndexLike high, const hint& hints, detail::Where where = detail::Where::current()) : range(low, high, 1, hints, where) {}
  range(detail::IndexLike low, detail::IndexLike high, detail::IndexLike step, const hint& hints, detail::Where where = detail::Where::current())
      : low_(low), high_(high), step_(step), hints_(hints), where_(where) {}
  range(const range&) = delete;
  ~range() {
    if (open_) detail::abandon_loop(token_);
  }

  struct sentinel {};
  struct iterator {
    range* loop;
    Index operator*() const {
      detail::Slot index = 0;
      loop->token_ = detail::open_for(loop->low_, loop->high_, loop->step_, loop->hints_.items, loop->hints_.count, &index, loop->where_);
      loop->open_ = true;
      return {detail::FromSlot{}, index};
    }
    iterator& operator++() {
      loop->open_ = false;
      loop->done_ = true;
      detail::close_for(loop->token_);
      return *this;
    }
    bool operator!=(sentinel) const { return !loop->done_; }
  };
  /// A range may be iterated again: that is another loop.
  iterator begin() {
    done_ = false;
    return {this};
  }
  sentinel end() { return {}; }

 private:
  detail::IndexLike low_, high_, step_;
  detail::HintList hints_;
  detail::Where where_;
  int token_ = 0;
  bool open_ = false, done_ = false;
};

namespace detail {

class When {
 public:
  explicit When(int token) : token_(token) {}
  When(const When&) = delete;
  ~When() { close_if(token_); }
  template <typename F>
  void otherwise(F&& body) {
    begin_else(token_);
    body();
  }

 private:
  int token_;
};

}  // namespace detail

/// A device condition: `when(c, [&] { ... }).otherwise([&] { ... });`
template <typename F>
detail::When when(const Scalar<bool>& condition, F&& body, detail::Where where = detail::Where::current()) {
  int token = detail::open_if(condition.slot(), where);
  body();
  return detail::When(token);
}

template <detail::AnyTile C, typename F>
  requires(!std::is_same_v<C, Scalar<bool>>)
detail::When when(const C&, F&&) {
  static_assert(std::is_same_v<C, Scalar<bool>>, "the condition of when is a Scalar<bool>; of a tile, any(tile) or all(tile), or choose by element with where(condition, a, b)");
  return detail::When(0);
}

/// A device loop with a condition: `loop_while([&] { return c; }, [&] { ... });`. Leave it early with break_if(condition).
template <typename C, typename F>
void loop_while(C&& condition, F&& body, detail::Where where = detail::Where::current()) {
  int token = detail::open_while(where);
  {
    auto value = condition();
    static_assert(std::is_same_v<decltype(value), Scalar<bool>>, "the condition of loop_while returns a Scalar<bool>; of a tile, any(tile) or all(tile)");
    detail::while_condition(token, value.slot());
  }
  body();
  detail::close_while(token);
}

/// Leaves the innermost device loop when the condition holds; the rest of its body does not run, nor does the condition of a loop_while.
inline void break_if(const Scalar<bool>& condition, detail::Where where = detail::Where::current()) { detail::break_if_slot(condition.slot(), where); }
template <detail::AnyTile C>
  requires(!std::is_same_v<C, Scalar<bool>>)
void break_if(const C&) {
  static_assert(std::is_same_v<C, Scalar<bool>>, "the condition of break_if is a Scalar<bool>; of a tile, any(tile) or all(tile)");
}

/// Promises a condition to the compiler.
inline void assume(const Scalar<bool>& condition, detail::Where where = detail::Where::current()) {
  detail::Slot slot = condition.slot();
  detail::effect(detail::OpCode::Assume, &slot, 1, nullptr, 0, where);
}
template <detail::AnyTile C>
  requires(!std::is_same_v<C, Scalar<bool>>)
void assume(const C&) {
  static_assert(std::is_same_v<C, Scalar<bool>>, "the condition of assume is a Scalar<bool>; of a tile, any(tile) or all(tile)");
}

namespace detail {
struct PrintText {
  const char* text;
  Where where;
  PrintText(const char* t, Where w = Where::current()) : text(t), where(w) {}
};
}  // namespace detail

/// Prints a text and the values of scalars or tiles from the running kernel.
template <detail::AnyTile... X>
void device_print(detail::PrintText text, const X&... values) {
  detail::Slot slots[sizeof...(X) + 1] = {values.slot()..., 0};
  detail::Attr attribute{"text", detail::Attr::text, 0, text.text};
  detail::effect(detail::OpCode::Print, slots, sizeof...(X), &attribute, 1, text.where);
}

/// The launch fails with `text` when the condition is false for any element.
template <int... D>
void device_assert(const Tile<bool, D...>& condition, const char* text, detail::Where where = detail::Where::current()) {
  detail::Slot slot = condition.slot();
  detail::Attr attribute{"text", detail::Attr::text, 0, text};
  detail::effect(detail::OpCode::Assert, &slot, 1, &attribute, 1, where);
}

}  // namespace sectile
