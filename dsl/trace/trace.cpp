// The table of operations and the readable listing of a trace. Bytes are in bytes.cpp.

#include "trace/trace.h"

#include <cstdio>

namespace sectile::trace {

const OpInfo& info(OpCode code) {
  static constexpr OpInfo table[] = {
#define SECTILE_OP(Code, Name, Operands, Results, Regions, Attributes) {Name, Operands, Results, Regions, Attributes},
#include "sectile/detail/ops.def"
  };
  return table[static_cast<std::size_t>(code)];
}

bool Region::operator==(const Region& other) const {
  return arguments == other.arguments && argument_types == other.argument_types && ops == other.ops;
}

namespace {

std::string text_of(const Type& type) {
  if (type.kind == Type::Kind::scalar) return std::string(name(type.element));
  if (type.kind == Type::Kind::view)
    return "view<" + std::to_string(type.rank) + " x " + std::string(name(type.element)) + (type.readonly ? ", readonly>" : ">");
  std::string text = "tile<";
  for (std::int64_t size : type.shape) text += std::to_string(size) + "x";
  return text + std::string(name(type.element)) + ">";
}

std::string text_of(const AttributeValue& value) {
  struct Visitor {
    std::string operator()(Unit) const { return "unit"; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(const std::string& text) const { return '"' + text + '"'; }
    std::string operator()(const std::vector<std::int64_t>& numbers) const {
      std::string text = "[";
      for (std::size_t i = 0; i < numbers.size(); ++i) text += (i ? ", " : "") + std::to_string(numbers[i]);
      return text + "]";
    }
    std::string operator()(const TypedScalar& scalar) const {
      char buffer[32];
      std::snprintf(buffer, sizeof buffer, "0x%llx", static_cast<unsigned long long>(scalar.bits));
      return std::string(buffer) + " : " + std::string(name(scalar.type));
    }
  };
  return std::visit(Visitor{}, value);
}

void print_region(const Region& region, int depth, std::string& out);

void print_op(const Op& op, int depth, std::string& out) {
  out.append(static_cast<std::size_t>(2 * depth), ' ');
  for (std::size_t i = 0; i < op.results.size(); ++i) out += (i ? ", %" : "%") + std::to_string(op.results[i]);
  if (!op.results.empty()) out += " = ";
  out += info(op.code).name;
  out += "(";
  for (std::size_t i = 0; i < op.operands.size(); ++i) out += (i ? ", %" : "%") + std::to_string(op.operands[i]);
  out += ")";
  if (!op.attributes.empty()) {
    out += " {";
    for (std::size_t i = 0; i < op.attributes.size(); ++i)
      out += (i ? ", " : "") + op.attributes[i].name + " = " + text_of(op.attributes[i].value);
    out += "}";
  }
  for (const Region& region : op.regions) print_region(region, depth, out);
  for (std::size_t i = 0; i < op.result_types.size(); ++i) out += (i ? ", " : " : ") + text_of(op.result_types[i]);
  out += "\n";
}

void print_region(const Region& region, int depth, std::string& out) {
  out += " (";
  for (std::size_t i = 0; i < region.arguments.size(); ++i)
    out += (i ? ", %" : "%") + std::to_string(region.arguments[i]) + ": " + text_of(region.argument_types[i]);
  out += ") {\n";
  for (const Op& op : region.ops) print_op(op, depth + 1, out);
  out.append(static_cast<std::size_t>(2 * depth), ' ');
  out += "}";
}

}  // namespace

std::string to_text(const Trace& trace) {
  std::string out = "kernel " + trace.name + "(";
  for (std::size_t i = 0; i < trace.parameters.size(); ++i)
    out += (i ? ", %" : "%") + std::to_string(trace.parameters[i]) + ": " + text_of(trace.parameter_types[i]);
  out += ")";
  for (const Hint& hint : trace.hints) out += " " + hint.name + "=" + std::to_string(hint.value);
  out += " {\n";
  for (const Op& op : trace.ops) print_op(op, 1, out);
  return out + "}\n";
}

}  // namespace sectile::trace
