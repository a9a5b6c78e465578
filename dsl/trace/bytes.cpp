// Canonical bytes of a trace, and the strict reader.
//
// Layout: version, parameter types, hints, operations. Value ids of results and region arguments are implied by the order of
// definition and not stored. Locations are a second byte string: name, table, then one id per parameter and per operation in walk order.

#include "trace/byte_stream.h"
#include "trace/trace.h"

#include <algorithm>
#include <string_view>

namespace sectile::trace {
namespace {

// ---- writing ----

void write(ByteWriter& out, const Type& type) {
  out.byte(static_cast<std::uint8_t>(type.kind));
  out.byte(static_cast<std::uint8_t>(type.element));
  if (type.kind == Type::Kind::view) {
    out.byte(type.rank);
    out.byte(type.readonly);
  } else if (type.kind == Type::Kind::tile) {
    out.number(type.shape.size());
    for (std::int64_t size : type.shape) out.signed_number(size);
  }
}

void write(ByteWriter& out, const Attribute& attribute) {
  out.text(attribute.name);
  out.byte(static_cast<std::uint8_t>(attribute.value.index()));
  struct Visitor {
    ByteWriter& out;
    void operator()(Unit) const {}
    void operator()(std::int64_t number) const { out.signed_number(number); }
    void operator()(const std::string& text) const { out.text(text); }
    void operator()(const std::vector<std::int64_t>& numbers) const {
      out.number(numbers.size());
      for (std::int64_t number : numbers) out.signed_number(number);
    }
    void operator()(const TypedScalar& scalar) const {
      out.byte(static_cast<std::uint8_t>(scalar.type));
      out.number(scalar.bits);
    }
  };
  std::visit(Visitor{out}, attribute.value);
}

void write(ByteWriter& out, const std::vector<Op>& ops);

void write(ByteWriter& out, const Op& op) {
  out.number(static_cast<std::uint64_t>(op.code));
  out.number(op.operands.size());
  for (ValueId operand : op.operands) out.number(operand);
  out.number(op.attributes.size());
  for (const Attribute& attribute : op.attributes) write(out, attribute);
  out.number(op.regions.size());
  for (const Region& region : op.regions) {
    out.number(region.argument_types.size());
    for (const Type& type : region.argument_types) write(out, type);
    write(out, region.ops);
  }
  out.number(op.result_types.size());
  for (const Type& type : op.result_types) write(out, type);
}

void write(ByteWriter& out, const std::vector<Op>& ops) {
  out.number(ops.size());
  for (const Op& op : ops) write(out, op);
}

void write_locations(ByteWriter& out, const std::vector<Op>& ops) {
  for (const Op& op : ops) {
    out.number(op.location);
    for (const Region& region : op.regions) write_locations(out, region.ops);
  }
}

// ---- reading ----

class Reader {
 public:
  Reader(std::span<const std::uint8_t> bytes, Trace& trace) : in_(bytes), trace_(trace) {}

  std::string read() {
    if (in_.number() != format_version) return "unknown trace format version";
    std::size_t parameters = in_.count();
    for (std::size_t i = 0; i < parameters && good(); ++i) {
      trace_.parameter_types.push_back(read_type());
      trace_.parameters.push_back(define());
    }
    trace_.parameter_locations.assign(trace_.parameters.size(), unknown_location);
    std::size_t hints = in_.count();
    for (std::size_t i = 0; i < hints && good(); ++i) {
      Hint hint;
      hint.name = in_.text();
      hint.value = in_.signed_number();
      trace_.hints.push_back(hint);
    }
    read_ops(trace_.ops, 0);
    if (good() && !in_.at_end()) problem("bytes after the end");
    if (good() && (trace_.ops.empty() || trace_.ops.back().code != OpCode::Return)) problem("no return at the end");
    trace_.value_count = next_value_;
    if (!in_.ok() && error_.empty()) error_ = "truncated or malformed bytes";
    return error_;
  }

 private:
  bool good() const { return in_.ok() && error_.empty(); }
  void problem(const std::string& text) {
    if (error_.empty()) error_ = text;
    in_.fail();
  }
  ValueId define() {
    visible_.push_back(true);
    return next_value_++;
  }

  Type read_type() {
    Type type;
    std::uint8_t kind = in_.byte(), element = in_.byte();
    if (kind > 2 || element >= scalar_type_count) return problem("unknown type"), type;
    type.kind = static_cast<Type::Kind>(kind);
    type.element = static_cast<ScalarType>(element);
    if (type.kind == Type::Kind::view) {
      type.rank = in_.byte();
      std::uint8_t readonly = in_.byte();
      type.readonly = readonly == 1;
      if (type.rank < 1 || type.rank > 5 || readonly > 1) problem("bad view type");
    } else if (type.kind == Type::Kind::tile) {
      std::size_t rank = in_.count();
      if (rank < 1 || rank > 16) return problem("bad tile rank"), type;
      std::int64_t elements = 1;
      for (std::size_t i = 0; i < rank; ++i) {
        type.shape.push_back(in_.signed_number());
        if (type.shape.back() < 1 || __builtin_mul_overflow(elements, type.shape.back(), &elements)) return problem("bad tile extent"), type;
      }
      type.rank = static_cast<std::uint8_t>(rank);
    }
    return type;
  }

  Attribute read_attribute() {
    Attribute attribute;
    attribute.name = in_.text();
    switch (in_.byte()) {
      case 0: attribute.value = Unit{}; break;
      case 1: attribute.value = in_.signed_number(); break;
      case 2: attribute.value = in_.text(); break;
      case 3: {
        std::vector<std::int64_t> numbers(in_.count());
        for (std::int64_t& number : numbers) number = in_.signed_number();
        attribute.value = std::move(numbers);
        break;
      }
      case 4: {
        std::uint8_t element = in_.byte();
        if (element >= scalar_type_count) problem("unknown type of a constant");
        std::uint64_t bits = in_.number();
        int width = element < scalar_type_count ? bit_width(static_cast<ScalarType>(element)) : 64;
        if (width < 64 && bits >> width) problem("bits of a constant are wider than its type");
        attribute.value = TypedScalar{static_cast<ScalarType>(element), bits};
        break;
      }
      default: problem("unknown kind of attribute");
    }
    return attribute;
  }

  /// Whether `word` is one of the space-separated `words`.
  static bool is_word_of(std::string_view word, std::string_view words) {
    while (!words.empty()) {
      std::size_t end = std::min(words.find(' '), words.size());
      if (words.substr(0, end) == word) return true;
      words.remove_prefix(std::min(end + 1, words.size()));
    }
    return false;
  }

  void check(const Op& op) {
    const OpInfo& rule = info(op.code);
    auto differs = [](int expected, std::size_t actual) { return expected >= 0 && static_cast<std::size_t>(expected) != actual; };
    if (differs(rule.operands, op.operands.size()) || differs(rule.results, op.result_types.size()) || differs(rule.regions, op.regions.size()))
      problem(std::string(rule.name) + " with a wrong number of operands, results or regions");
    if (op.attributes.size() > 16) return problem(std::string(rule.name) + " with too many attributes");
    for (const Attribute& attribute : op.attributes)
      if (!is_word_of(attribute.name, rule.attributes))
        problem(std::string(rule.name) + " with the unknown attribute '" + attribute.name + "'");
    for (std::size_t i = 0; i < op.attributes.size(); ++i)
      for (std::size_t k = 0; k < i; ++k)
        if (op.attributes[i].name == op.attributes[k].name) problem(std::string(rule.name) + " with the attribute '" + op.attributes[i].name + "' twice");
  }

  void read_region(Region& region, int depth) {
    std::size_t first = next_value_;
    std::size_t arguments = in_.count();
    for (std::size_t i = 0; i < arguments && good(); ++i) {
      region.argument_types.push_back(read_type());
      region.arguments.push_back(define());
    }
    read_ops(region.ops, depth + 1);
    for (std::size_t id = first; id < visible_.size(); ++id) visible_[id] = false;
  }

  void read_ops(std::vector<Op>& ops, int depth) {
    if (depth > max_nesting) return problem("regions nested too deep");
    std::size_t count = in_.count();
    for (std::size_t i = 0; i < count && good(); ++i) {
      Op op;
      std::uint64_t code = in_.number();
      if (code >= static_cast<std::uint64_t>(OpCode::count)) return problem("unknown operation");
      op.code = static_cast<OpCode>(code);
      std::size_t operands = in_.count();
      for (std::size_t k = 0; k < operands && good(); ++k) {
        std::uint64_t id = in_.number();
        if (id >= visible_.size() || !visible_[id]) return problem("operand used before its definition");
        op.operands.push_back(static_cast<ValueId>(id));
      }
      std::size_t attributes = in_.count();
      for (std::size_t k = 0; k < attributes && good(); ++k) op.attributes.push_back(read_attribute());
      std::size_t regions = in_.count();
      for (std::size_t k = 0; k < regions && good(); ++k) read_region(op.regions.emplace_back(), depth);
      std::size_t results = in_.count();
      for (std::size_t k = 0; k < results && good(); ++k) {
        op.result_types.push_back(read_type());
        op.results.push_back(define());
      }
      if (good()) check(op);
      if (good()) ops.push_back(std::move(op));
    }
  }

  ByteReader in_;
  Trace& trace_;
  std::vector<bool> visible_;
  ValueId next_value_ = 0;
  std::string error_;
};

void read_locations(ByteReader& in, std::vector<Op>& ops, std::size_t table) {
  for (Op& op : ops) {
    std::uint64_t id = in.number();
    if (id >= table) return in.fail();
    op.location = static_cast<LocationId>(id);
    for (Region& region : op.regions) read_locations(in, region.ops, table);
  }
}

bool read_locations(std::span<const std::uint8_t> bytes, Trace& trace) {
  ByteReader in(bytes);
  trace.name = in.text();
  std::size_t count = in.count();
  std::vector<Location> table;
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    Location location;
    location.file = in.text();
    std::uint64_t line = in.number(), column = in.number();
    if (line > UINT32_MAX || column > UINT32_MAX) in.fail();
    location.line = static_cast<std::uint32_t>(line);
    location.column = static_cast<std::uint32_t>(column);
    location.function = in.text();
    table.push_back(std::move(location));
  }
  for (LocationId& id : trace.parameter_locations) {
    std::uint64_t value = in.number();
    if (value >= table.size()) in.fail();
    id = static_cast<LocationId>(value);
  }
  read_locations(in, trace.ops, table.size());
  trace.locations = std::move(table);
  return in.ok() && in.at_end() && !trace.locations.empty();
}

}  // namespace

std::vector<std::uint8_t> serialize(const Trace& trace) {
  ByteWriter out;
  out.number(format_version);
  out.number(trace.parameter_types.size());
  for (const Type& type : trace.parameter_types) write(out, type);
  out.number(trace.hints.size());
  for (const Hint& hint : trace.hints) {
    out.text(hint.name);
    out.signed_number(hint.value);
  }
  write(out, trace.ops);
  return out.take();
}

std::vector<std::uint8_t> serialize_locations(const Trace& trace) {
  ByteWriter out;
  out.text(trace.name);
  out.number(trace.locations.size());
  for (const Location& location : trace.locations) {
    out.text(location.file);
    out.number(location.line);
    out.number(location.column);
    out.text(location.function);
  }
  for (LocationId id : trace.parameter_locations) out.number(id);
  write_locations(out, trace.ops);
  return out.take();
}

ParseResult parse(std::span<const std::uint8_t> bytes, std::span<const std::uint8_t> locations) {
  ParseResult result;
  result.error = Reader(bytes, result.trace).read();
  if (result.error.empty()) {
    if (locations.empty()) {
      result.trace.locations.push_back({});
    } else if (!read_locations(locations, result.trace)) {
      result.error = "malformed location bytes";
    }
  }
  if (!result.error.empty()) {
    result.error = "malformed trace: " + result.error;
    result.trace = {};
  }
  return result;
}

}  // namespace sectile::trace
