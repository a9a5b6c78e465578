// Tile<T, Dims...>: the value type of the kernel language, and its operators.
//
// A tile is a variable: copies are independent values, assignment rebinds. The left operand of an operator converts to a carrier that
// remembers the source location, so that every message names the user's line.
#pragma once

#include "sectile/detail/recorder.h"
#include "sectile/numeric.h"

namespace sectile {

template <typename T, int... Dims>
class Tile;

/// A tile of rank 0: one value per program.
template <typename T>
using Scalar = Tile<T>;
/// Sizes, offsets, program coordinates: a 64-bit integer on the device. Mixes with integers.
using Index = Tile<detail::IndexElement>;

namespace detail {

template <int... Dims>
struct Shape {
  static constexpr int rank = sizeof...(Dims);
  static constexpr std::int64_t dims[sizeof...(Dims) + 1] = {Dims..., 0};
};
/// Elements of a tile; saturates at 2^62.
template <int... Dims>
constexpr std::int64_t element_count() {
  std::int64_t count = 1;
  for (std::int64_t size : {std::int64_t{1}, static_cast<std::int64_t>(Dims)...}) count = count > (std::int64_t{1} << 31) ? std::int64_t{1} << 62 : count * size;
  return count;
}

/// A floating constant that takes the type of the tile it meets.
struct FloatConstant {
  double value;
  constexpr FloatConstant operator-() const { return {-value}; }
};

template <typename T>
concept Literal = std::is_arithmetic_v<T> || std::is_same_v<T, FloatConstant> || std::is_same_v<T, f16> || std::is_same_v<T, bf16>;

template <typename T>
struct TileTraits {
  static constexpr bool is_tile = false;
};
template <typename T, int... Dims>
struct TileTraits<Tile<T, Dims...>> {
  static constexpr bool is_tile = true;
  using Element = T;
  using ShapeType = Shape<Dims...>;
};
template <typename T>
concept AnyTile = TileTraits<std::remove_cvref_t<T>>::is_tile;
template <typename T>
concept TileOrLiteral = AnyTile<T> || Literal<std::remove_cvref_t<T>>;
template <typename T>
using ElementOf = typename TileTraits<std::remove_cvref_t<T>>::Element;
template <typename T>
using ShapeOf = typename TileTraits<std::remove_cvref_t<T>>::ShapeType;

/// An order of all tile types: see the comparisons of Tile.
template <typename A, typename B>
struct Before;
template <typename T, int... D, typename U, int... E>
struct Before<Tile<T, D...>, Tile<U, E...>> {
  static constexpr bool value = [] {
    const int a[] = {static_cast<int>(scalar_type_of<T>), D...}, b[] = {static_cast<int>(scalar_type_of<U>), E...};
    for (std::size_t i = 0; i < sizeof...(D) + 1 && i < sizeof...(E) + 1; ++i)
      if (a[i] != b[i]) return a[i] < b[i];
    return sizeof...(D) < sizeof...(E);
  }();
};
template <typename A, typename B>
concept TileBefore = AnyTile<A> && Before<A, B>::value;

template <typename T, typename S>
struct MakeTile;
template <typename T, int... Dims>
struct MakeTile<T, Shape<Dims...>> {
  using type = Tile<T, Dims...>;
};
template <typename T, typename S>
using TileOf = typename MakeTile<T, S>::type;

constexpr std::int64_t padded_dim(const std::int64_t* dims, int rank, int position, int full) {
  int index = position - (full - rank);
  return index < 0 ? 1 : dims[index];
}
template <typename A, typename B>
constexpr bool broadcastable_value() {
  int full = A::rank > B::rank ? A::rank : B::rank;
  for (int i = 0; i < full; ++i) {
    std::int64_t a = padded_dim(A::dims, A::rank, i, full), b = padded_dim(B::dims, B::rank, i, full);
    if (a != b && a != 1 && b != 1) return false;
  }
  return true;
}
/// Named so that the two shapes appear in the compiler's message.
template <typename A, typename B>
struct broadcastable : std::bool_constant<broadcastable_value<A, B>()> {};

template <int... I>
struct Ints {};
template <int N, int... I>
struct MakeInts : MakeInts<N - 1, N - 1, I...> {};
template <int... I>
struct MakeInts<0, I...> {
  using type = Ints<I...>;
};

template <typename S, int Axis>
constexpr bool has_axis = Axis >= 0 && Axis < S::rank;

template <typename A, typename B, typename I>
struct JoinShapes;
template <typename A, typename B, int... I>
struct JoinShapes<A, B, Ints<I...>> {
  static constexpr int rank = sizeof...(I);
  static constexpr int dim(int i) {
    std::int64_t a = padded_dim(A::dims, A::rank, i, rank), b = padded_dim(B::dims, B::rank, i, rank);
    return static_cast<int>(a > b ? a : b);
  }
  using type = Shape<dim(I)...>;
};
template <typename A, typename B>
struct BroadcastShapes {
  static_assert(broadcastable<A, B>::value, "the two tiles have shapes that do not go together: on every axis the sizes must be equal, or one of them 1");
  using type = typename JoinShapes<A, B, typename MakeInts<(A::rank > B::rank ? A::rank : B::rank)>::type>::type;
};
template <typename A, typename B>
using Broadcast = typename BroadcastShapes<A, B>::type;

template <typename T>
constexpr bool is_index_element = std::is_same_v<T, IndexElement>;
template <typename A, typename B>
constexpr bool mixes_v = std::is_same_v<A, B> || (is_index_element<A> && std::is_integral_v<B> && !std::is_same_v<B, bool>) ||
                         (is_index_element<B> && std::is_integral_v<A> && !std::is_same_v<A, bool>);
/// Named so that the two element types appear in the compiler's message.
template <typename A, typename B>
struct same_element : std::bool_constant<mixes_v<A, B>> {};
template <typename A, typename B>
using CommonElement = std::conditional_t<is_index_element<A> || is_index_element<B>, IndexElement, A>;
template <typename T>
constexpr bool is_f8 = std::is_same_v<T, f8e4m3> || std::is_same_v<T, f8e5m2>;

template <typename T, typename S>
inline constexpr Desc desc_of{scalar_type_of<T>, S::rank, S::dims};

struct FromSlot {};

/// A tile together with where it was used.
template <typename TileType>
struct At {
  const TileType& tile;
  Where where;
  At(const TileType& t, Where w = Where::current()) : tile(t), where(w) {}
};
template <typename TileType>
struct AtRef {
  TileType& tile;
  Where where;
  AtRef(TileType& t, Where w = Where::current()) : tile(t), where(w) {}
};

// Functions that check types have deduced results: clang instantiates them at once, and its notes then lead to the user's line.

/// A literal as a scalar slot of element type T.
template <typename T, typename L>
auto literal_slot(L value, Where where) {
  constexpr ScalarType type = scalar_type_of<T>;
  if constexpr (std::is_same_v<L, FloatConstant>) {
    static_assert(is_float(type), "a floating constant (inf, nan, pi, log2_e) meets a tile of integers; cast the tile first");
    return literal_float(value.value, type, where);
  } else if constexpr (std::is_floating_point_v<L> || std::is_same_v<L, f16> || std::is_same_v<L, bf16>) {
    static_assert(is_float(type), "a floating literal meets a tile of integers; write an integer literal or cast the tile first");
    return literal_float(static_cast<double>(value), type, where);
  } else {
    return literal_integer(static_cast<std::int64_t>(value), std::is_unsigned_v<L>, type, where);
  }
}

struct Operand {
  Slot slot;
  Desc desc;
};
/// A tile, or a literal taking element type T.
template <typename T, typename X>
auto operand(const X& x, Where where) {
  if constexpr (AnyTile<X>) return Operand{x.slot(), desc_of<ElementOf<X>, ShapeOf<X>>};
  else return Operand{literal_slot<T>(x, where), Desc{scalar_type_of<T>, 0, nullptr}};
}

template <typename A, typename B, bool IsTile = AnyTile<B>>
struct Pair {
  using Shape = Broadcast<ShapeOf<A>, ShapeOf<B>>;
  using Element = CommonElement<ElementOf<A>, ElementOf<B>>;
  static_assert(same_element<ElementOf<A>, ElementOf<B>>::value, "the two tiles have different element types; convert one with cast<T>(tile)");
};
template <typename A, typename B>
struct Pair<A, B, false> {
  using Shape = ShapeOf<A>;
  using Element = ElementOf<A>;
};

template <typename T>
constexpr bool computes() {
  static_assert(!is_f8<T>, "f8 tiles hold data only; cast it first, for instance cast<float>(tile)");
  return true;
}

template <typename R, typename A, typename B>
auto apply_binary(Binary kind, const A& a, const B& b, Where where, bool swapped = false) {
  using P = Pair<A, B>;
  static_assert(computes<ElementOf<A>>());
  using Element = std::conditional_t<std::is_void_v<R>, typename P::Element, bool>;
  using Result = TileOf<Element, typename P::Shape>;
  Operand x = operand<ElementOf<A>>(a, where), y = operand<ElementOf<A>>(b, where);
  if (swapped) {
    Operand t = x;
    x = y, y = t;
  }
  return Result(FromSlot{}, binary(kind, x.slot, x.desc, y.slot, y.desc, desc_of<Element, typename P::Shape>, where));
}

template <typename T>
constexpr bool is_int_like = std::is_integral_v<T> || is_index_element<T>;

template <typename T>
constexpr bool arithmetic() {
  static_assert(!std::is_same_v<T, bool>, "+ - * / % work on numbers; convert the bool tile with cast<i32>(tile), or use & | ^");
  return true;
}
template <typename T>
constexpr bool bitwise() {
  static_assert(is_int_like<T>, "& | ^ << >> work on integers, and & | ^ on bool; convert with cast<i32>(tile) or bitcast<u32>(tile)");
  return true;
}
template <typename T>
constexpr bool shifts() {
  static_assert(!std::is_same_v<T, bool>, "<< and >> work on integers; convert the bool tile with cast<i32>(tile)");
  return bitwise<T>();
}

template <typename B>
constexpr bool host_condition() {
  static_assert(!std::is_same_v<B, bool>,
                "a device value is used as a host condition (if, while, for, &&, ||, ?:); use when(condition, [&]{...}), loop_while(...) or where(condition, a, b)");
  return false;
}

}  // namespace detail

template <typename T, int... Dims>
class Tile {
  static_assert(((Dims >= 1) && ...), "every axis of a tile has at least one element");
  static_assert(detail::element_count<Dims...>() < (std::int64_t{1} << 31), "a tile has fewer than 2^31 elements; use smaller tiles and more programs");
  static_assert(sizeof...(Dims) <= 6, "a tile has at most 6 axes");
  using ShapeType = detail::Shape<Dims...>;
  using Self = Tile;

 public:
  using Element = T;
  static constexpr int rank = sizeof...(Dims);

  Tile(detail::FromSlot, detail::Slot slot) : slot_(slot) {}
  Tile(const Tile& other, detail::Where where = detail::Where::current()) : slot_(detail::copy_slot(other.slot_, where)) {}
  /// A scalar from a literal.
  template <detail::Literal L>
    requires(sizeof...(Dims) == 0)
  Tile(L value, detail::Where where = detail::Where::current()) : slot_(detail::literal_slot<T>(value, where)) {}

  Tile& operator=(const Tile& other) {
    detail::assign_slot(slot_, other.slot_, detail::nearby);
    return *this;
  }
  /// Assigning a tile of another type is an error in words; a literal fills a scalar.
  template <typename Other>
    requires(!std::is_same_v<std::remove_cvref_t<Other>, Self>)
  Tile& operator=(const Other& other) {
    if constexpr (detail::AnyTile<Other>) {
      static_assert(std::is_same_v<detail::ShapeOf<Other>, ShapeType> && !std::is_same_v<Other, Other>,
                    "a tile variable keeps its element type and shape; assign a tile of the same type (use cast<T>, reshape or broadcast_to)");
    } else {
      detail::Where where = detail::nearby;
      detail::Slot value = detail::to_shape(detail::literal_slot<T>(other, where), {scalar_type_of<T>, 0, nullptr}, detail::desc_of<T, ShapeType>, where);
      detail::assign_slot(slot_, value, where);
    }
    return *this;
  }

  template <typename B>
    requires std::is_same_v<B, bool>
  explicit operator B() const {
    return detail::host_condition<B>();
  }

  detail::Slot slot() const { return slot_; }

#define SECTILE_BINARY(op, kind, group)                                                                            \
  template <detail::TileOrLiteral B>                                                                               \
  friend auto operator op(detail::At<Self> a, const B& b) {                                                        \
    static_assert(detail::group<T>());                                                                             \
    return detail::apply_binary<void>(detail::Binary::kind, a.tile, b, a.where);                                   \
  }                                                                                                                \
  template <detail::Literal L>                                                                                     \
  friend auto operator op(L a, detail::At<Self> b) {                                                               \
    static_assert(detail::group<T>());                                                                             \
    return detail::apply_binary<void>(detail::Binary::kind, b.tile, a, b.where, true);                             \
  }                                                                                                                \
  template <detail::TileOrLiteral B>                                                                               \
  friend Self& operator op##=(detail::AtRef<Self> a, const B& b) {                                                 \
    static_assert(detail::group<T>());                                                                             \
    auto value = detail::apply_binary<void>(detail::Binary::kind, a.tile, b, a.where);                             \
    static_assert(std::is_same_v<decltype(value), Self>, "the result of a compound assignment must have the type and shape of its left side"); \
    detail::assign_slot(a.tile.slot_, value.slot(), a.where);                                                      \
    return a.tile;                                                                                                 \
  }
  SECTILE_BINARY(+, add, arithmetic)
  SECTILE_BINARY(-, sub, arithmetic)
  SECTILE_BINARY(*, mul, arithmetic)
  SECTILE_BINARY(/, div, arithmetic)
  SECTILE_BINARY(%, rem, arithmetic)
  SECTILE_BINARY(&, bit_and, bitwise)
  SECTILE_BINARY(|, bit_or, bitwise)
  SECTILE_BINARY(^, bit_xor, bitwise)
  SECTILE_BINARY(<<, shl, shifts)
  SECTILE_BINARY(>>, shr, shifts)
#undef SECTILE_BINARY

  // C++20 also tries == and != with swapped operands. For each pair of tile types one overload must fit best both ways round, so of two types only
  // the later one in an arbitrary order declares their comparison, in both directions.
#define SECTILE_COMPARE(op, kind)                                                                \
  friend auto operator op(detail::At<Self> a, detail::At<Self> b) {                              \
    return detail::apply_binary<bool>(detail::Binary::kind, a.tile, b.tile, a.where);            \
  }                                                                                              \
  template <detail::TileBefore<Self> B>                                                          \
  friend auto operator op(detail::At<Self> a, const B& b) {                                      \
    return detail::apply_binary<bool>(detail::Binary::kind, a.tile, b, a.where);                 \
  }                                                                                              \
  template <detail::TileBefore<Self> B>                                                          \
  friend auto operator op(const B& a, detail::At<Self> b) {                                      \
    return detail::apply_binary<bool>(detail::Binary::kind, a, b.tile, b.where);                 \
  }                                                                                              \
  template <detail::Literal L>                                                                   \
  friend auto operator op(detail::At<Self> a, L b) {                                             \
    return detail::apply_binary<bool>(detail::Binary::kind, a.tile, b, a.where);                 \
  }                                                                                              \
  template <detail::Literal L>                                                                   \
  friend auto operator op(L a, detail::At<Self> b) {                                             \
    return detail::apply_binary<bool>(detail::Binary::kind, b.tile, a, b.where, true);           \
  }
  SECTILE_COMPARE(==, eq)
  SECTILE_COMPARE(!=, ne)
  SECTILE_COMPARE(<, lt)
  SECTILE_COMPARE(<=, le)
  SECTILE_COMPARE(>, gt)
  SECTILE_COMPARE(>=, ge)
#undef SECTILE_COMPARE

  template <typename B>
  friend bool operator&&(const Self&, const B&) {
    static_assert(!std::is_same_v<B, B>, "&& on device values would need to stop early on the host; use & instead");
    return false;
  }
  template <typename B>
  friend bool operator||(const Self&, const B&) {
    static_assert(!std::is_same_v<B, B>, "|| on device values would need to stop early on the host; use | instead");
    return false;
  }

  friend Self operator-(detail::At<Self> a) {
    static_assert(detail::computes<T>());
    return Self(detail::FromSlot{}, detail::negate(a.tile.slot_, detail::desc_of<T, ShapeType>, a.where));
  }
  friend Self operator+(detail::At<Self> a) { return a.tile; }
  friend Self operator~(detail::At<Self> a) {
    static_assert(detail::is_int_like<T>, "~ works on integers and bool");
    return Self(detail::FromSlot{}, detail::invert(a.tile.slot_, detail::desc_of<T, ShapeType>, a.where));
  }
  /// Not through At: the conversion to bool would be as good.
  friend Self operator!(const Self& a) {
    static_assert(std::is_same_v<T, bool>, "! works on bool tiles; compare with 0 first");
    return Self(detail::FromSlot{}, detail::invert(a.slot_, detail::desc_of<T, ShapeType>, detail::nearby));
  }

 private:
  detail::Slot slot_;
};

/// Constants that take the floating type of the tile they meet.
inline constexpr detail::FloatConstant inf{__builtin_inf()};
inline constexpr detail::FloatConstant nan{__builtin_nan("")};
inline constexpr detail::FloatConstant pi{3.14159265358979323846};
inline constexpr detail::FloatConstant log2_e{1.44269504088896340736};

}  // namespace sectile
