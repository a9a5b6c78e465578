// The text of values that a kernel prints: floats as %g, integers in decimal, booleans as words.

#include "runtime/drivers/cpu/print_values.h"

#include "sectile/numeric.h"

#include <cstdio>
#include <cstring>

namespace sectile::drivers {
namespace {

template <typename T>
T read(const char* data, std::int64_t index) {
  T value;
  std::memcpy(&value, data + index * static_cast<std::int64_t>(sizeof value), sizeof value);
  return value;
}

std::string float_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

std::string element_text(ScalarType type, const char* data, std::int64_t i) {
  switch (type) {
    case ScalarType::boolean: return read<char>(data, i) ? "true" : "false";
    case ScalarType::i8: return std::to_string(read<std::int8_t>(data, i));
    case ScalarType::i16: return std::to_string(read<std::int16_t>(data, i));
    case ScalarType::i32: return std::to_string(read<std::int32_t>(data, i));
    case ScalarType::i64:
    case ScalarType::index: return std::to_string(read<std::int64_t>(data, i));
    case ScalarType::u8: return std::to_string(read<std::uint8_t>(data, i));
    case ScalarType::u16: return std::to_string(read<std::uint16_t>(data, i));
    case ScalarType::u32: return std::to_string(read<std::uint32_t>(data, i));
    case ScalarType::u64: return std::to_string(read<std::uint64_t>(data, i));
    case ScalarType::f16: return float_text(read<f16>(data, i));
    case ScalarType::bf16: return float_text(read<bf16>(data, i));
    case ScalarType::f32: return float_text(read<float>(data, i));
    case ScalarType::f64: return float_text(read<double>(data, i));
    case ScalarType::f8e4m3: return float_text(read<f8e4m3>(data, i));
    case ScalarType::f8e5m2: return float_text(read<f8e5m2>(data, i));
    case ScalarType::f8e8m0:
    case ScalarType::f4e2m1: break;  // no kernel computes with them yet
  }
  return "?";
}

void append_tile(std::string& out, const format::Site::Value& value, const char* data, std::size_t axis, std::int64_t& next) {
  if (axis == value.shape.size()) {
    out += element_text(value.type, data, next++);
    return;
  }
  out += "[";
  for (std::int64_t i = 0; i < value.shape[axis]; ++i) {
    if (i) out += ", ";
    append_tile(out, value, data, axis + 1, next);
  }
  out += "]";
}

}  // namespace

void append_value(std::string& out, const format::Site::Value& value, const void* data) {
  std::int64_t next = 0;
  append_tile(out, value, static_cast<const char*>(data), 0, next);
}

}  // namespace sectile::drivers
