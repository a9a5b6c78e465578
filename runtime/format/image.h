// Kernel image: everything the runtime needs to launch one compiled kernel, as one self-contained byte string. This is what the compiler
// returns, the disk cache stores and the driver loads. No LLVM is needed to read it.
#pragma once

#include "recipe.h"
#include "sectile/scalar_type.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sectile::format {

/// A `device_print` or `device_assert` in the kernel; the kernel passes its index to the host callbacks (see cpu_abi.h).
struct Site {
  enum class Kind : std::uint8_t { print = 0, assertion = 1 };
  struct Value {
    ScalarType type;
    std::vector<std::int64_t> shape;  ///< empty for a scalar
    bool operator==(const Value&) const = default;
  };
  Kind kind;
  std::string text;
  std::vector<Value> values;
  std::string location;  ///< "file:line:column" or empty
  bool operator==(const Site&) const = default;
};

/// One parameter of the kernel as the caller passes it.
struct Parameter {
  bool is_view;
  bool readonly;
  ScalarType element;
  std::uint8_t rank;      ///< views only
  bool operator==(const Parameter&) const = default;
};

struct Image {
  std::string symbol;                 ///< entry point in `code`
  std::string target;                 ///< e.g. "cpu:x86-64-v4"
  std::vector<Parameter> parameters;
  Recipe recipe;
  std::uint64_t arena_bytes = 0;      ///< scratch each concurrently running program needs, aligned to 64 bytes
  std::vector<Site> sites;
  std::vector<std::uint8_t> code;     ///< cpu: an ELF shared object without undefined symbols; nvptx: PTX text
  bool operator==(const Image&) const = default;
};

std::vector<std::uint8_t> serialize(const Image& image);
/// Malformed bytes give a non-empty `error`; never crashes, never allocates more than a constant times the input's size.
struct ParsedImage {
  Image image;
  std::string error;
};
ParsedImage parse_image(std::span<const std::uint8_t> bytes);

}  // namespace sectile::format
