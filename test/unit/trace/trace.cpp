// Trace bytes and text: round trips, canonical form, and refusal of malformed bytes.

#include "test/unit/catch.h"
#include "test/unit/mutate.h"
#include "trace/byte_stream.h"
#include "trace/trace.h"

using namespace sectile;
using sectile::test::damaged;
using namespace sectile::trace;

namespace {

Op make(OpCode code, std::vector<ValueId> operands, std::vector<ValueId> results = {}, std::vector<Type> types = {}, LocationId location = 0) {
  Op op;
  op.code = code;
  op.operands = std::move(operands);
  op.results = std::move(results);
  op.result_types = std::move(types);
  op.location = location;
  return op;
}

/// A kernel with every kind of type, attribute and a region: views, a constant, a loop over an addition.
Trace sample() {
  Trace trace;
  trace.name = "sample";
  trace.parameter_types = {Type::view(ScalarType::f32, 2, true), Type::view(ScalarType::f16, 1, false), Type::scalar(ScalarType::index)};
  trace.parameters = {0, 1, 2};
  trace.parameter_locations = {0, 1, 1};
  trace.hints = {{"stages", 3}, {"warps", -4}};
  trace.locations = {{}, {"kernel.cpp", 12, 3, "void sample()"}, {"kernel.cpp", 4000000000u, 1, "λ"}};
  Op constant = make(OpCode::Constant, {}, {3}, {Type::tile(ScalarType::f32, {4, 1, 7})}, 1);
  constant.attributes.push_back({"value", TypedScalar{ScalarType::f32, 0x3f800000}});
  trace.ops.push_back(constant);
  Op loop = make(OpCode::For, {2, 2, 2, 3}, {7}, {Type::tile(ScalarType::f32, {4, 1, 7})}, 2);
  loop.attributes.push_back({"tile.stages", std::int64_t{3}});
  Region body;
  body.arguments = {4, 5};
  body.argument_types = {Type::scalar(ScalarType::index), Type::tile(ScalarType::f32, {4, 1, 7})};
  body.ops.push_back(make(OpCode::AddF, {5, 3}, {6}, {Type::tile(ScalarType::f32, {4, 1, 7})}, 1));
  body.ops.push_back(make(OpCode::ControlYield, {6}));
  loop.regions.push_back(body);
  trace.ops.push_back(loop);
  trace.ops.push_back(make(OpCode::Return, {}));
  trace.value_count = 8;
  return trace;
}

bool same(const Trace& a, const Trace& b) {
  return a.name == b.name && a.parameters == b.parameters && a.parameter_types == b.parameter_types && a.parameter_locations == b.parameter_locations &&
         a.hints == b.hints && a.ops == b.ops && a.locations == b.locations && a.value_count == b.value_count;
}

ParseResult parse_only(const std::vector<std::uint8_t>& bytes) { return parse(bytes, {}); }

}  // namespace

TEST_CASE("a trace survives its bytes") {
  Trace trace = sample();
  ParseResult read = parse(serialize(trace), serialize_locations(trace));
  REQUIRE(read.error.empty());
  CHECK(same(trace, read.trace));
  CHECK(to_text(read.trace) == to_text(trace));
}

TEST_CASE("trace bytes are canonical: no names, no locations") {
  Trace trace = sample(), moved = sample();
  moved.name = "other";
  moved.locations[1].line = 99;
  moved.ops[0].location = 2;
  CHECK(serialize(trace) == serialize(moved));
  CHECK(serialize_locations(trace) != serialize_locations(moved));
  ParseResult bare = parse(serialize(trace), {});
  REQUIRE(bare.error.empty());
  CHECK(bare.trace.locations.size() == 1);
  CHECK(bare.trace.ops[0].location == unknown_location);
  CHECK(serialize(bare.trace) == serialize(trace));
}

TEST_CASE("the listing of a trace names types, attributes and regions") {
  std::string text = to_text(sample());
  CHECK_THAT(text, ContainsSubstring("kernel sample(%0: view<2 x f32, readonly>, %1: view<1 x f16>, %2: index) stages=3 warps=-4 {"));
  CHECK_THAT(text, ContainsSubstring("  %3 = arith.constant() {value = 0x3f800000 : f32} : tile<4x1x7xf32>"));
  CHECK_THAT(text, ContainsSubstring("    %6 = arith.addf(%5, %3) : tile<4x1x7xf32>"));
}

TEST_CASE("malformed traces are refused with a reason") {
  Trace trace = sample();
  SECTION("an operand before its definition") {
    trace.ops[1].regions[0].ops[0].operands[1] = 7;
    CHECK_THAT(parse_only(serialize(trace)).error, ContainsSubstring("before its definition"));
  }
  SECTION("a value that leaves its region") {
    trace.ops.insert(trace.ops.begin() + 2, make(OpCode::AddF, {6, 3}, {8}, {Type::scalar(ScalarType::f32)}));
    CHECK_THAT(parse_only(serialize(trace)).error, ContainsSubstring("before its definition"));
  }
  SECTION("a wrong number of operands") {
    trace.ops[1].regions[0].ops[0].operands.pop_back();
    CHECK_THAT(parse_only(serialize(trace)).error, ContainsSubstring("arith.addf with a wrong number"));
  }
  SECTION("an unknown attribute") {
    trace.ops[0].attributes.push_back({"valve", Unit{}});
    CHECK_THAT(parse_only(serialize(trace)).error, ContainsSubstring("unknown attribute 'valve'"));
  }
  SECTION("an extent of zero, and a product beyond 64 bits") {
    trace.ops[0].result_types[0].shape = {0};
    CHECK_THAT(parse_only(serialize(trace)).error, ContainsSubstring("bad tile extent"));
    trace.ops[0].result_types[0].shape = {std::int64_t{1} << 40, std::int64_t{1} << 40};
    CHECK_THAT(parse_only(serialize(trace)).error, ContainsSubstring("bad tile extent"));
  }
  SECTION("no return") {
    trace.ops.pop_back();
    CHECK_THAT(parse_only(serialize(trace)).error, ContainsSubstring("no return"));
  }
  SECTION("bits wider than the constant's type") {
    trace.ops[0].attributes[0].value = TypedScalar{ScalarType::f16, 0x10000};
    CHECK_THAT(parse_only(serialize(trace)).error, ContainsSubstring("wider than its type"));
  }
  SECTION("an attribute twice") {
    trace.ops[0].attributes.push_back(trace.ops[0].attributes[0]);
    CHECK_THAT(parse_only(serialize(trace)).error, ContainsSubstring("twice"));
  }
  SECTION("regions nested 65 deep") {
    for (int depth : {63, 64, 80}) {
      Trace deep;
      std::vector<Op> inner;
      for (int i = 0; i < depth; ++i) {
        Op op = make(OpCode::If, {0});
        op.regions.resize(2);
        op.regions[0].ops = std::move(inner);
        op.regions[0].ops.push_back(make(OpCode::ControlYield, {}));
        op.regions[1].ops.push_back(make(OpCode::ControlYield, {}));
        inner = {op};
      }
      deep.parameter_types = {Type::scalar(ScalarType::boolean)};
      deep.ops = inner;
      deep.ops.push_back(make(OpCode::Return, {}));
      CHECK(parse_only(serialize(deep)).error.empty() == (depth <= 64));
    }
  }
  SECTION("other versions, and bytes behind the end") {
    auto bytes = serialize(trace);
    auto other = bytes;
    other[0] = 77;
    CHECK_THAT(parse_only(other).error, ContainsSubstring("version"));
    bytes.push_back(0);
    CHECK_THAT(parse_only(bytes).error, ContainsSubstring("after the end"));
  }
  SECTION("locations that are not there") {
    auto locations = serialize_locations(trace);
    trace.locations.pop_back();
    CHECK_FALSE(parse(serialize(trace), serialize_locations(trace)).error.empty());
    locations.pop_back();
    CHECK_FALSE(parse(serialize(sample()), locations).error.empty());
  }
}

TEST_CASE("every truncation of a trace is refused") {
  auto bytes = serialize(sample());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    auto cut = bytes;
    cut.resize(size);
    CHECK_FALSE(parse_only(cut).error.empty());
  }
}

TEST_CASE("damaged traces never crash, and what is accepted is canonical") {
  std::mt19937_64 random(20261201);
  auto bytes = serialize(sample()), locations = serialize_locations(sample());
  int accepted = 0;
  for (int round = 0; round < 100000; ++round) {
    auto changed = damaged(bytes, random);
    ParseResult read = parse(changed, round % 2 ? damaged(locations, random) : std::vector<std::uint8_t>{});
    if (!read.error.empty()) continue;
    ++accepted;
    REQUIRE(serialize(read.trace) == changed);
    REQUIRE_FALSE(to_text(read.trace).empty());
  }
  CHECK(accepted > 0);
}

TEST_CASE("huge counts in a few bytes do not allocate") {
  ByteWriter out;
  out.number(format_version);
  out.number(std::uint64_t{1} << 60);
  CHECK_FALSE(parse_only(out.take()).error.empty());
}

TEST_CASE("LEB128 numbers have one spelling") {
  for (std::uint64_t value : {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128}, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    ByteWriter out;
    out.number(value);
    out.signed_number(static_cast<std::int64_t>(value));
    auto bytes = out.take();
    ByteReader in(bytes);
    CHECK(in.number() == value);
    CHECK(in.signed_number() == static_cast<std::int64_t>(value));
    CHECK((in.ok() && in.at_end()));
  }
  for (std::vector<std::uint8_t> bad : {std::vector<std::uint8_t>{0x80, 0x00}, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02}, {0x80}}) {
    ByteReader in(bad);
    in.number();
    CHECK_FALSE(in.ok());
  }
}
