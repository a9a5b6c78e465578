// Host types of the narrow floats, with bit-exact conversions: one rounding to nearest even.
#pragma once

#include "sectile/scalar_type.h"

#include <bit>
#include <cstdint>
#include <type_traits>

namespace sectile {
namespace detail {

/// A binary format of `width` bits with `mantissa` stored mantissa bits. `top` is the largest finite magnitude's bits.
struct MinifloatFormat {
  int width, mantissa, bias;
  std::uint32_t top, nan;
  bool has_infinity, saturates;
};
inline constexpr MinifloatFormat format_f16{16, 10, 15, 0x7bff, 0x7e00, true, false};
inline constexpr MinifloatFormat format_bf16{16, 7, 127, 0x7f7f, 0x7fc0, true, false};
inline constexpr MinifloatFormat format_f8e4m3{8, 3, 7, 0x7e, 0x7f, false, true};
inline constexpr MinifloatFormat format_f8e5m2{8, 2, 15, 0x7b, 0x7e, true, true};

constexpr std::uint32_t encode_minifloat(double value, const MinifloatFormat& f) {
  auto bits = std::bit_cast<std::uint64_t>(value);
  std::uint32_t sign = static_cast<std::uint32_t>(bits >> 63) << (f.width - 1);
  std::uint64_t magnitude = bits & 0x7fffffffffffffffu;
  std::uint32_t overflow = f.saturates ? f.top : f.top + 1;
  if (magnitude > 0x7ff0000000000000u) return sign | f.nan;
  if (magnitude == 0x7ff0000000000000u) return sign | overflow;
  if (magnitude < 0x0010000000000000u) return sign;  // far below the smallest subnormal of every format
  int exponent = static_cast<int>(magnitude >> 52) - 1023 + f.bias;  // as stored, when positive
  std::uint64_t significand = (magnitude & 0xfffffffffffffu) | 0x10000000000000u;
  int drop = 52 - f.mantissa;
  if (exponent < 1) drop += 1 - exponent;
  if (drop > 54) return sign;
  std::uint64_t kept = significand >> drop, rest = significand & ((std::uint64_t{1} << drop) - 1), half = std::uint64_t{1} << (drop - 1);
  if (rest > half || (rest == half && (kept & 1))) ++kept;
  // The implicit bit adds one to the exponent field; a carry of the rounding does the same.
  std::uint64_t result = exponent < 1 ? kept : kept + (static_cast<std::uint64_t>(exponent - 1) << f.mantissa);
  return sign | (result > f.top ? overflow : static_cast<std::uint32_t>(result));
}

constexpr double decode_minifloat(std::uint32_t bits, const MinifloatFormat& f) {
  std::uint32_t magnitude = bits & ((1u << (f.width - 1)) - 1);
  std::uint64_t sign = static_cast<std::uint64_t>(bits >> (f.width - 1) & 1) << 63;
  if (magnitude > f.top) {
    bool infinite = f.has_infinity && magnitude == f.top + 1;
    return std::bit_cast<double>(sign | (infinite ? 0x7ff0000000000000u : 0x7ff8000000000000u));
  }
  int exponent = static_cast<int>(magnitude >> f.mantissa);
  std::uint64_t mantissa = magnitude & ((1u << f.mantissa) - 1);
  if (exponent == 0) {
    // mantissa * 2^(1 - bias - mantissa bits), exact in double
    double unit = std::bit_cast<double>(static_cast<std::uint64_t>(1023 + 1 - f.bias - f.mantissa) << 52);
    double value = static_cast<double>(mantissa) * unit;
    return sign ? -value : value;
  }
  return std::bit_cast<double>(sign | static_cast<std::uint64_t>(exponent - f.bias + 1023) << 52 | mantissa << (52 - f.mantissa));
}

/// A narrow float on the host: storage and conversions, no arithmetic of its own (it converts to float).
template <typename Bits, const MinifloatFormat& Format>
struct Minifloat {
  Bits bits = 0;
  constexpr Minifloat() = default;
  constexpr Minifloat(double value) : bits(static_cast<Bits>(encode_minifloat(value, Format))) {}
  constexpr Minifloat(float value) : Minifloat(static_cast<double>(value)) {}
  constexpr Minifloat(int value) : Minifloat(static_cast<double>(value)) {}
  constexpr operator float() const { return static_cast<float>(decode_minifloat(bits, Format)); }
  static constexpr Minifloat from_bits(Bits bits) {
    Minifloat value;
    value.bits = bits;
    return value;
  }
};

struct IndexElement {};  // element type of Index

}  // namespace detail

using f16 = detail::Minifloat<std::uint16_t, detail::format_f16>;
using bf16 = detail::Minifloat<std::uint16_t, detail::format_bf16>;
using f8e4m3 = detail::Minifloat<std::uint8_t, detail::format_f8e4m3>;
using f8e5m2 = detail::Minifloat<std::uint8_t, detail::format_f8e5m2>;
using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using f32 = float;
using f64 = double;

namespace detail {
template <typename T>
constexpr int scalar_type_code() {
  using U = std::remove_cv_t<T>;
  if (std::is_same_v<U, bool>) return static_cast<int>(ScalarType::boolean);
  if (std::is_same_v<U, f16>) return static_cast<int>(ScalarType::f16);
  if (std::is_same_v<U, bf16>) return static_cast<int>(ScalarType::bf16);
  if (std::is_same_v<U, float>) return static_cast<int>(ScalarType::f32);
  if (std::is_same_v<U, double>) return static_cast<int>(ScalarType::f64);
  if (std::is_same_v<U, f8e4m3>) return static_cast<int>(ScalarType::f8e4m3);
  if (std::is_same_v<U, f8e5m2>) return static_cast<int>(ScalarType::f8e5m2);
  if (std::is_same_v<U, IndexElement>) return static_cast<int>(ScalarType::index);
  if (std::is_integral_v<U> && sizeof(U) <= 8) {
    int log = sizeof(U) == 1 ? 0 : sizeof(U) == 2 ? 1 : sizeof(U) == 4 ? 2 : 3;
    return static_cast<int>(std::is_signed_v<U> ? ScalarType::i8 : ScalarType::u8) + log;
  }
  return -1;
}
}  // namespace detail

/// The ScalarType of a C++ element type: bool, fixed-width integers, f16, bf16, float, double, f8e4m3, f8e5m2.
template <typename T>
inline constexpr ScalarType scalar_type_of = [] {
  static_assert(detail::scalar_type_code<T>() >= 0,
                "not an element type of tiles and views; use bool, a fixed-width integer, f16, bf16, float, double, f8e4m3 or f8e5m2");
  return static_cast<ScalarType>(detail::scalar_type_code<T>());
}();

}  // namespace sectile
