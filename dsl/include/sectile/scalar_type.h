// The element types of tiles and views, shared by the language, the trace format and the runtime.
#pragma once

#include <cstdint>
#include <string_view>

namespace sectile {

/// Element types. The numbering is part of the trace format. Sizes are in bits everywhere.
/// `index` is the type of sizes and offsets: a signed 64-bit integer that a target may narrow where the range is proven.
enum class ScalarType : std::uint8_t {
  boolean = 0,
  i8 = 1,
  i16 = 2,
  i32 = 3,
  i64 = 4,
  u8 = 5,
  u16 = 6,
  u32 = 7,
  u64 = 8,
  f16 = 9,
  bf16 = 10,
  f32 = 11,
  f64 = 12,
  f8e4m3 = 13,
  f8e5m2 = 14,
  f8e8m0 = 15,
  f4e2m1 = 16,
  index = 17,
};

inline constexpr int scalar_type_count = 18;

/// Width of one element in bits. `boolean` is one bit of information; in memory it takes a byte (see `storage_bits`).
constexpr int bit_width(ScalarType type) {
  constexpr int widths[] = {1, 8, 16, 32, 64, 8, 16, 32, 64, 16, 16, 32, 64, 8, 8, 8, 4, 64};
  return widths[static_cast<int>(type)];
}

/// Width of one element in memory, in bits.
constexpr int storage_bits(ScalarType type) { return type == ScalarType::boolean ? 8 : bit_width(type); }

constexpr bool is_unsigned_integer(ScalarType type) { return type >= ScalarType::u8 && type <= ScalarType::u64; }
constexpr bool is_signed_integer(ScalarType type) {
  return (type >= ScalarType::i8 && type <= ScalarType::i64) || type == ScalarType::index;
}
constexpr bool is_integer(ScalarType type) { return is_unsigned_integer(type) || is_signed_integer(type); }
constexpr bool is_float(ScalarType type) { return type >= ScalarType::f16 && type <= ScalarType::f4e2m1; }
/// Types with arithmetic of their own; the narrower floats hold data and are cast before they are computed with.
constexpr bool is_arithmetic_float(ScalarType type) { return type >= ScalarType::f16 && type <= ScalarType::f64; }

/// The spelling used in messages and in the text form of a trace ("f32", "bool", "index").
constexpr std::string_view name(ScalarType type) {
  constexpr std::string_view names[] = {"bool", "i8",  "i16",  "i32", "i64", "u8",     "u16",    "u32",    "u64",
                                        "f16",  "bf16", "f32", "f64", "f8e4m3", "f8e5m2", "f8e8m0", "f4e2m1", "index"};
  return names[static_cast<int>(type)];
}

}  // namespace sectile
