// Argument checks and facts.

#include "runtime/arguments.h"
#include "test/unit/catch.h"
#include "test/unit/runtime/kernels.h"

#include <vector>

using namespace sectile;
using namespace sectile::test;

namespace {

constexpr detail::ParameterInfo parameters[] = {
    {true, true, ScalarType::f32, 2}, {true, false, ScalarType::f32, 2}, {false, false, ScalarType::i64, 0}};
constexpr detail::KernelInfo kernel{nullptr, nullptr, parameters, 3, "test"};

alignas(64) float memory[1024];

/// Slots of (View<const float, 2> a, View<float, 2> b, Scalar<i64>).
struct Arguments {
  View<const float, 2> a{memory, {4, 8}};
  View<float, 2> b{memory + 512, {4, 8}};
  std::vector<SectileParameterFacts> facts() const {
    std::int64_t slots[11] = {};
    detail::SlotWriter<View<const float, 2>>::write(slots, a);
    detail::SlotWriter<View<float, 2>>::write(slots + 5, b);
    return runtime::gather_facts(kernel, slots).list(kernel);
  }
  bool refused(const char* part) const {
    return throws<UserError>(part, [&] { facts(); });
  }
};

}  // namespace

TEST_CASE("facts of ordinary arguments") {
  auto facts = Arguments{}.facts();
  REQUIRE(facts.size() == 3);
  CHECK((facts[0].unitAxis == 1 && facts[0].alignment == 64 && facts[0].disjoint == 1));
  CHECK((facts[1].unitAxis == 1 && facts[1].alignment == 64 && facts[1].disjoint == 1));
  CHECK((facts[2].unitAxis == -1 && facts[2].alignment == 0 && facts[2].disjoint == 0));
}

TEST_CASE("the unit axis") {
  auto unit = [](std::array<std::int64_t, 2> shape, std::array<std::int64_t, 2> strides) {
    Arguments arguments;
    arguments.a = {memory, shape, strides};
    return arguments.facts()[0].unitAxis;
  };
  CHECK(unit({4, 8}, {8, 1}) == 1);
  CHECK(unit({4, 8}, {1, 4}) == 0);
  CHECK(unit({4, 8}, {16, 2}) == -1);
  CHECK(unit({4, 8}, {0, 0}) == -1);
  CHECK(unit({4, 1}, {3, 7}) == 1);
  CHECK(unit({4, 8}, {1, 1}) == 1);
  CHECK(unit({0, 8}, {16, 2}) == 1);
}

TEST_CASE("alignment is the largest power of two up to 64") {
  for (int offset : {1, 2, 3, 4, 6, 8, 16, 24, 32}) {
    Arguments arguments;
    arguments.a = {memory + offset, {1, 1}};
    CHECK(arguments.facts()[0].alignment == std::min(64u, static_cast<unsigned>((offset & -offset) * 4)));
  }
}

TEST_CASE("disjoint looks at byte ranges against written arguments") {
  auto disjoint = [](View<const float, 2> a, View<float, 2> b) {
    Arguments arguments;
    arguments.a = a, arguments.b = b;
    auto facts = arguments.facts();
    CHECK(facts[0].disjoint == facts[1].disjoint);
    return facts[0].disjoint == 1;
  };
  CHECK(disjoint({memory, {4, 8}}, {memory + 32, {4, 8}}));
  CHECK_FALSE(disjoint({memory, {4, 8}}, {memory + 31, {4, 8}}));
  CHECK_FALSE(disjoint({memory, {4, 8}}, {memory, {4, 8}}));
  CHECK_FALSE(disjoint({memory, {4, 8}, {16, 1}}, {memory + 8, {4, 8}, {16, 1}}));  // interleaved columns share the range
  CHECK_FALSE(disjoint({memory + 100, {4, 8}, {-8, 1}}, {memory + 80, {1, 1}}));     // negative strides reach down
  CHECK(disjoint({memory + 100, {4, 8}, {-8, 1}}, {memory + 108, {4, 8}}));
  CHECK(disjoint({memory, {0, 8}}, {memory, {4, 8}}));
  constexpr detail::ParameterInfo two[] = {{true, true, ScalarType::f32, 1}, {true, true, ScalarType::f32, 1}};
  std::int64_t at = reinterpret_cast<std::int64_t>(memory), slots[] = {at, 4, 1, at, 4, 1};
  CHECK(runtime::gather_facts({nullptr, nullptr, two, 2, ""}, slots).list({nullptr, nullptr, two, 2, ""})[0].disjoint == 1);  // nobody writes
}

TEST_CASE("arguments that would break a kernel are refused in plain words") {
  Arguments arguments;
  SECTION("negative size") {
    arguments.b = {memory, {4, -1}};
    CHECK(arguments.refused("argument 2 of the launch: the view has size -1 on axis 1"));
  }
  SECTION("null pointer") {
    arguments.a = {nullptr, {4, 8}};
    CHECK(arguments.refused("argument 1 of the launch: the view has elements but a null pointer"));
    arguments.a = {nullptr, {4, 0}};
    CHECK(arguments.facts()[0].alignment == 64);
  }
  SECTION("misaligned pointer") {
    arguments.a = {reinterpret_cast<const float*>(reinterpret_cast<const char*>(memory) + 2), {4, 8}};
    CHECK(arguments.refused("is not aligned to the 4 bytes of an element of type f32"));
  }
  SECTION("overflow") {
    arguments.a = {memory, {std::int64_t{1} << 61, std::int64_t{1} << 61}};
    CHECK(arguments.refused("overflows 64-bit addresses"));
    arguments.a = {memory, {std::int64_t{1} << 60, 2}, {8, 1}};
    CHECK(arguments.refused("axis 0 overflows"));
    arguments.a = {memory, {2, 2}, {std::int64_t{-1} << 60, 1}};
    CHECK(arguments.refused("beyond the address space"));
    arguments.a = {memory, {2, std::int64_t{1} << 62}, {0, 0}};
    CHECK(arguments.refused("sizes are at most 2^61"));
    arguments.a = {memory, {2, 2}, {std::numeric_limits<std::int64_t>::min(), 1}};
    CHECK(arguments.refused("overflows"));
  }
}

TEST_CASE("scalars are converted exactly or refused") {
  auto slot = []<typename T>(T, auto value) {
    std::int64_t out = -1;
    detail::SlotWriter<Scalar<T>>::write(&out, detail::SlotWriter<Scalar<T>>::convert(value));
    return out;
  };
  CHECK(slot(i8{}, -128) == -128);
  CHECK(slot(u8{}, 255) == 255);
  CHECK(slot(u64{}, ~std::uint64_t{0}) == -1);
  CHECK(slot(bool{}, true) == 1);
  CHECK(slot(float{}, 1.0) == 0x3f800000);
  CHECK(slot(float{}, 0.1) == 0x3dcccccd);
  CHECK(slot(float{}, 7) == 0x40e00000);
  CHECK(slot(double{}, 1.0f) == 0x3ff0000000000000);
  CHECK(slot(f16{}, 1) == 0x3c00);
  CHECK(slot(f16{}, 0.5f) == 0x3800);
  CHECK(slot(f16{}, f16(2.0)) == 0x4000);
  CHECK(slot(bf16{}, 1L) == 0x3f80);
  CHECK(throws<UserError>("the number 128 is not a value of the kernel's Scalar<i8> parameter", [&] { slot(i8{}, 128); }));
  CHECK(throws<UserError>("the number -1 ", [&] { slot(u64{}, -1); }));
  CHECK(throws<UserError>("the number 18446744073709551615 ", [&] { slot(i64{}, ~std::uint64_t{0}); }));
  CHECK(throws<UserError>("the number -9223372036854775808 ", [&] { slot(i32{}, std::numeric_limits<std::int64_t>::min()); }));
  CHECK(throws<UserError>("the number 2 ", [&] { slot(bool{}, 2); }));
  CHECK(throws<UserError>("the number 16777217 ", [&] { slot(float{}, 16777217); }));
  CHECK(throws<UserError>("the number 9223372036854775807 ", [&] { slot(double{}, std::numeric_limits<std::int64_t>::max()); }));
  CHECK(throws<UserError>("the number 100000 ", [&] { slot(f16{}, 100000); }));
}
