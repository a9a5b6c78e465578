// Mistakes that the arguments of a launch make, and what happens while kernels run.
#include "expect.h"

#include <cstdlib>
#include <limits>

using namespace expect;

namespace {

void copy(View<const float, 2> in, View<float, 2> out, Scalar<i32> count) {
  auto [row, col] = grid(tiles(out.size(0), 4), tiles(out.size(1), 8));
  store(out, {row, col}, load<4, 8>(in, {row, col}) * cast<float>(count));
}
void asserting(View<float, 1> out) {
  auto [i] = grid(tiles(out.size(0), 4));
  auto x = load<4>(out, {i});
  mistake_below(__LINE__);
  device_assert(x >= 0.0f, "values are not negative");
  store(out, {i}, sqrt(x));
}
void scaled(View<float, 1> out, Scalar<u8> a, Scalar<float> b) {
  auto [i] = grid(tiles(out.size(0), 4));
  store(out, {i}, full<float, 4>(b * cast<float>(a)));
}
void stepped(View<float, 1> out, Index step) {
  auto [i] = grid(tiles(out.size(0), step));
  store(out, {i}, full<float, 4>(1.0f));
}
template <int N>
void huge(View<float, 1> out) {
  auto [i] = grid(tiles(out.size(0), 1));
  auto x = trans(iota<N, 1>() + iota<1, N>());
  auto y = cumsum<0>(cumsum<1>(cast<double>(x)));
  store(out, {i}, reshape<1>(cast<float>(sum<0>(sum<1>(y)))));
}

using Strides = std::array<std::int64_t, 2>;
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

}  // namespace

TEST_CASE("views that are no memory") {
  alignas(64) static float memory[64];
  View<const float, 2> in(memory, {4, 8});
  View<float, 2> out(memory + 32, {4, 8});
  fails<copy>("null pointer", View<const float, 2>(nullptr, {4, 8}), out, 1);
  fails<copy>("not aligned", View<const float, 2>(reinterpret_cast<const float*>(reinterpret_cast<const char*>(memory) + 2), {4, 8}), out, 1);
  fails<copy>("size -4", in, View<float, 2>(memory, {-4, 8}), 1);
  fails<copy>("2^61", in, View<float, 2>(memory, {most, 8}), 1);
  fails<copy>("overflows", in, View<float, 2>(memory, {std::int64_t{1} << 40, 8}, Strides{std::int64_t{1} << 40, 1}), 1);
  fails<copy>("overflows", in, View<float, 2>(memory, {4, 8}, Strides{-most - 1, 1}), 1);
  launch<copy>(Device::cpu(), View<const float, 2>(nullptr, {0, 8}), View<float, 2>(nullptr, {4, 0}), 1);  // empty views need no memory
}

TEST_CASE("numbers that do not fit a parameter") {
  Tensor<float, 1> out({4}, 0.0f);
  fails<scaled>("300", out, 300, 1.0f);
  fails<scaled>("-1", out, -1, 1.0f);
  fails<scaled>("16777217", out, 1, 16777217);
  fails<stepped>("", out, 0);
  fails<stepped>("", out, -3);
}

TEST_CASE("tiles beyond memory") {
  Tensor<float, 1> out({1}, 0.0f);
  fails<huge<32768>, TargetError>("scratch", out);
}

TEST_CASE("failed assertions name the program") {
  Tensor<float, 1> out({11}, 4.0f);
  out[9] = -1;
  fails<asserting, ExecutionError>("values are not negative", out);
  try {
    out[9] = -1;
    launch<asserting>(Device::cpu(), out);
    FAIL("no error");
  } catch (const ExecutionError& error) {
    REQUIRE(contains(error.what(), "(2)"));
  }
}

TEST_CASE("targets and options that do not exist") {
  REQUIRE_THROWS_WITH(Device::cpu("x86-64-v9"), Catch::Contains("x86-64-v9"));
  REQUIRE_THROWS_WITH(compile<healthy>("cpu:z80"), Catch::Contains("unknown target 'cpu:z80'"));
  REQUIRE_THROWS_WITH(compile<healthy>(""), Catch::Contains("unknown target"));
  REQUIRE_THROWS_WITH(compile<healthy>(Device::cpu(), "nonsense=1"), Catch::Contains("unknown compiler option 'nonsense=1'"));
  still_alive();
}
