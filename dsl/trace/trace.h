// A recorded kernel: plain data, no MLIR. Written by the recorder, read by the compiler's importer.
//
// Bytes. `serialize` gives the canonical bytes of a trace: equal traces give equal bytes, whatever compiler built the user's program.
// Location ids are kept apart (`serialize_locations`) so that moving a line does not change the identity of a kernel.
// Values are numbered in order of definition: kernel parameters first, then, walking operations in order, the arguments of each
// region when it is entered and the results of each operation when it ends.
#pragma once

#include "sectile/detail/op_code.h"
#include "sectile/scalar_type.h"

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace sectile::trace {

inline constexpr std::uint32_t format_version = 1;
inline constexpr int max_nesting = 64;  ///< regions within regions; a reader takes no more

using OpCode = detail::OpCode;

/// What ops.def says of one operation.
struct OpInfo {
  const char* name;        ///< MLIR operation name, e.g. "tile.load"
  int operands;            ///< exact number or -1
  int results;             ///< exact number or -1
  int regions;             ///< number of regions
  const char* attributes;  ///< space-separated attribute names
};
const OpInfo& info(OpCode code);

using ValueId = std::uint32_t;
using LocationId = std::uint32_t;
inline constexpr LocationId unknown_location = 0;  ///< locations[0] is always the unknown location

/// Type of a value: a scalar, a tile with static shape (rank >= 1), or a view.
struct Type {
  enum class Kind : std::uint8_t { scalar = 0, tile = 1, view = 2 };
  Kind kind = Kind::scalar;
  ScalarType element = ScalarType::f32;
  bool readonly = false;            ///< views only: `View<const T, R>`
  std::uint8_t rank = 0;            ///< views: rank; tiles: shape.size(); scalars: 0
  std::vector<std::int64_t> shape;  ///< tiles only
  bool operator==(const Type&) const = default;

  static Type scalar(ScalarType element) { return {Kind::scalar, element, false, 0, {}}; }
  /// A tile; an empty shape gives the scalar type.
  static Type tile(ScalarType element, std::vector<std::int64_t> shape) {
    if (shape.empty()) return scalar(element);
    auto rank = static_cast<std::uint8_t>(shape.size());
    return {Kind::tile, element, false, rank, std::move(shape)};
  }
  static Type view(ScalarType element, int rank, bool readonly) {
    return {Kind::view, element, readonly, static_cast<std::uint8_t>(rank), {}};
  }
};

struct Unit {
  bool operator==(const Unit&) const = default;
};
/// A typed scalar constant; `bits` holds the value's bit pattern in its low bits (the rest zero).
struct TypedScalar {
  ScalarType type;
  std::uint64_t bits;
  bool operator==(const TypedScalar&) const = default;
};

/// Imported as UnitAttr, i64 IntegerAttr, StringAttr, DenseI64ArrayAttr (`operandSegmentSizes`: DenseI32ArrayAttr), typed IntegerAttr/FloatAttr.
using AttributeValue = std::variant<Unit, std::int64_t, std::string, std::vector<std::int64_t>, TypedScalar>;
struct Attribute {
  std::string name;
  AttributeValue value;
  bool operator==(const Attribute&) const = default;
};

struct Op;

/// A block of operations with arguments; the last operation is the region's terminator.
struct Region {
  std::vector<ValueId> arguments;
  std::vector<Type> argument_types;
  std::vector<Op> ops;
  bool operator==(const Region&) const;
};

struct Op {
  OpCode code = OpCode::Return;
  std::vector<ValueId> operands;
  std::vector<ValueId> results;
  std::vector<Type> result_types;
  std::vector<Attribute> attributes;
  std::vector<Region> regions;
  LocationId location = unknown_location;
  bool operator==(const Op&) const = default;
};

struct Location {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string function;
  bool operator==(const Location&) const = default;
};

/// A kernel hint such as warps = 4; names as in `sectile::hint`.
struct Hint {
  std::string name;
  std::int64_t value = 0;
  bool operator==(const Hint&) const = default;
};

struct Trace {
  std::string name;                         ///< a C identifier; two traces of one module must differ
  std::vector<ValueId> parameters;          ///< always 0 … n-1
  std::vector<Type> parameter_types;
  std::vector<LocationId> parameter_locations;
  std::vector<Hint> hints;                  ///< sorted by name
  std::vector<Op> ops;                      ///< ends with Return
  std::vector<Location> locations;          ///< [0] is the unknown location
  std::uint32_t value_count = 0;
};

/// Canonical bytes without locations. The name is not part of them.
std::vector<std::uint8_t> serialize(const Trace& trace);
/// The name and the location ids of all operations, in walk order, with the location table.
std::vector<std::uint8_t> serialize_locations(const Trace& trace);

/// Reads what `serialize` and `serialize_locations` wrote. Any malformed input gives an error text and no trace; never crashes,
/// never allocates more than a constant times the input's size. `locations` may be empty.
/// Checks: format version, op codes, operand ids defined before use (dominance), counts of ops.def, types in range, nesting <= 64.
struct ParseResult {
  Trace trace;
  std::string error;  ///< empty when the trace is good
};
ParseResult parse(std::span<const std::uint8_t> bytes, std::span<const std::uint8_t> locations);

/// A readable listing (MLIR-like generic form, one operation a line) for tests and `SECTILE_PRINT_TRACE`.
std::string to_text(const Trace& trace);

}  // namespace sectile::trace
