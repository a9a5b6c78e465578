// Mistakes that only the recording of a kernel can see.
#include "expect.h"

#include <optional>
#include <stdexcept>

using namespace expect;

namespace {

using Out = View<float, 1>;

void break_out(Out out) {
  auto [i] = grid(tiles(out.size(0), 4));
  mistake_below(__LINE__);
  for (auto k : range(0, 10)) {
    store(out, {i + k}, full<float, 4>(1.0f));
    break;
  }
}
void return_out(Out out) {
  auto [i] = grid(tiles(out.size(0), 4));
  mistake_below(__LINE__);
  for (auto k : range(0, 10)) {
    store(out, {i + k}, full<float, 4>(1.0f));
    return;
  }
}
void leak_loop(Out out) {
  auto [i] = grid(tiles(out.size(0), 4));
  std::optional<Tile<float, 4>> inside;
  for (auto k : range(0, 10)) inside.emplace(full<float, 4>(cast<float>(k)));
  mistake_below(__LINE__);
  store(out, {i}, *inside);
}
void leak_when(Out out) {
  auto [i] = grid(tiles(out.size(0), 4));
  std::optional<Tile<float, 4>> inside;
  when(i > 3, [&] { inside.emplace(full<float, 4>(1.0f)); });
  mistake_below(__LINE__);
  store(out, {i}, *inside);
}
void leak_then_to_else(Out out) {
  auto [i] = grid(tiles(out.size(0), 4));
  std::optional<Tile<float, 4>> inside;
  when(i > 3, [&] { inside.emplace(full<float, 4>(1.0f)); }).otherwise([&] {
    mistake_below(__LINE__);
    store(out, {i}, *inside);
  });
}
std::optional<Tile<float, 4>> kept;
void keep(Out out) {
  auto [i] = grid(tiles(out.size(0), 4));
  kept.emplace(full<float, 4>(1.0f));
  store(out, {i}, *kept);
}
void use_kept(Out out) {
  auto [i] = grid(tiles(out.size(0), 4));
  mistake_below(__LINE__);
  store(out, {i}, *kept);
}
void no_grid(Out out) { out.size(0); }
void two_grids(Out out) {
  auto [i] = grid(tiles(out.size(0), 4));
  mistake_below(__LINE__);
  auto [j] = grid(tiles(out.size(0), 4));
  store(out, {i + j}, full<float, 4>(1.0f));
}
void grid_after_effect(Out out) {
  mistake_below(__LINE__);
  store(out, {0}, full<float, 4>(1.0f));
  grid(tiles(out.size(0), 4));
}
void grid_in_loop(Out out) {
  for ([[maybe_unused]] auto k : range(0, 4)) {
    mistake_below(__LINE__);
    grid(tiles(out.size(0), 4));
  }
}
void grid_in_when(Out out) {
  when(out.size(0) > 4, [&] {
    mistake_below(__LINE__);
    grid(tiles(out.size(0), 4));
  });
}
void grid_from_memory(Out out) {
  mistake_below(__LINE__);
  auto [i] = grid(tiles(cast<i64>(load(out, {0})), 4));
  store(out, {i}, full<float, 4>(1.0f));
}
void grid_from_float(Out out, Scalar<float> x) {
  mistake_below(__LINE__);
  auto [i] = grid(tiles(cast<i32>(x * 2.0f), 4));
  store(out, {i}, full<float, 4>(1.0f));
}
void zero_step(Out out) {
  mistake_below(__LINE__);
  auto [i] = grid(tiles(out.size(0), 0));
  store(out, {i}, full<float, 4>(1.0f));
}
void range_step(Out out) {
  auto [i] = grid(tiles(out.size(0), 4));
  mistake_below(__LINE__);
  for (auto k : range(0, 4, -1)) store(out, {i + k}, full<float, 4>(1.0f));
}
/// `depth` loops and conditions in turn around a store; the last one of them is beyond what fits.
void nest(Out out, int depth, int limit) {
  auto body = [&] { depth > 1 ? nest(out, depth - 1, limit - 1) : store(out, {0}, full<float, 4>(1.0f)); };
  if (limit == 0) mistake_below(__LINE__);
  if (depth % 2 == 0) return (void)when(out.size(0) > 0, body);
  if (limit == 0) mistake_below(__LINE__);
  for ([[maybe_unused]] auto k : range(0, 1)) body();
}
void nested_64(Out out) {
  grid(tiles(1, 1));
  nest(out, 64, 64);
}
void nested_65(Out out) {
  grid(tiles(1, 1));
  nest(out, 65, 64);
}
void nested_66(Out out) {
  grid(tiles(1, 1));
  nest(out, 66, 64);
}
void break_64_times(Out out) {
  grid(tiles(1, 1));
  for (auto k : range(0, 4)) {
    for (int i = 0; i < 63; ++i) break_if(k > i);
    mistake_below(__LINE__);
    break_if(k > 99);
    store(out, {k}, full<float, 4>(1.0f));
  }
}
void break_outside(Out out) {
  auto [i] = grid(tiles(out.size(0), 4));
  mistake_below(__LINE__);
  break_if(i > 3);
  store(out, {i}, full<float, 4>(1.0f));
}
void break_in_condition(Out out) {
  auto [i] = grid(tiles(out.size(0), 4));
  Index k = 0;
  loop_while(
      [&] {
        mistake_below(__LINE__);
        break_if(k > 3);
        return k < 5;
      },
      [&] { k += 1; });
  store(out, {i}, full<float, 4>(1.0f));
}
void break_in_combine(Out out) {
  auto [i] = grid(tiles(out.size(0), 4));
  auto y = reduce<0>(full<float, 4>(1.0f), [&](auto a, auto b) {
    mistake_below(__LINE__);
    break_if(a > b);
    return a + b;
  });
  store(out, {i}, broadcast_to<4>(y));
}
void hint_of_kernel_on_range(Out out) {
  auto [i] = grid(tiles(out.size(0), 4));
  mistake_below(__LINE__);
  for (auto k : range(0, 4, hint{.warps = 8})) store(out, {i + k}, full<float, 4>(1.0f));
}
void negative_stages(Out out) {
  auto [i] = grid(tiles(out.size(0), 4));
  mistake_below(__LINE__);
  for (auto k : range(0, 4, 1, hint{.stages = -3})) store(out, {i + k}, full<float, 4>(1.0f));
}
void negative_warps(Out out) {
  mistake_below(__LINE__);
  auto [i] = grid(tiles(out.size(0), 4), hint{.warps = -2});
  store(out, {i}, full<float, 4>(1.0f));
}
void literal_too_large(Out out) {
  auto [i] = grid(tiles(out.size(0), 4));
  mistake_below(__LINE__);
  auto x = zeros<u8, 4>() + 300;
  store(out, {i}, cast<float>(x));
}
void combine_uses_outside(Out out) {
  auto [i] = grid(tiles(out.size(0), 4));
  auto x = full<float, 4>(1.0f);
  mistake_below(__LINE__);
  auto y = reduce<0>(x, [&](auto a, auto b) { return a + b * cast<float>(i); });
  store(out, {i}, broadcast_to<4>(y));
}
void combine_touches_memory(Out out) {
  auto [i] = grid(tiles(out.size(0), 4));
  auto x = full<float, 4>(1.0f);
  mistake_below(__LINE__);
  auto y = reduce<0>(x, [&](auto a, auto b) { return a + b * load(out, {0}); });
  store(out, {i}, broadcast_to<4>(y));
}
void program_axis(Out out) {
  auto [i] = grid(tiles(out.size(0), 4));
  mistake_below(__LINE__);
  auto p = program_id(2);
  store(out, {i + p}, full<float, 4>(1.0f));
}
void view_axis(Out out) {
  mistake_below(__LINE__);
  auto [i] = grid(tiles(out.size(3), 4));
  store(out, {i}, full<float, 4>(1.0f));
}
void view_in_loop(Out out, View<float, 1> other) {
  auto [i] = grid(tiles(out.size(0), 4));
  mistake_below(__LINE__);
  for (auto k : range(0, 4)) {
    out = other;
    store(out, {i + k}, full<float, 4>(1.0f));
  }
}
void throws_number(Out) { throw 42; }
void throws_in_loop(Out out) {
  auto [i] = grid(tiles(out.size(0), 4));
  for (auto k : range(0, 4))
    for (auto j : range(k)) when(i > 3, [&] {
        loop_while([&] { return i > j; }, [&] { throw std::runtime_error("from the kernel"); });
      });
}
void launches(Out out) {
  auto [i] = grid(tiles(out.size(0), 4));
  Tensor<float, 1> inner({5}, 0.0f);
  launch<healthy>(Device::cpu(), inner);
  store(out, {i}, full<float, 4>(inner[0]));
}
void view_of_host_memory(Out out) {
  auto [i] = grid(tiles(out.size(0), 4));
  float memory[4] = {};
  View<float, 1> host(memory, {4});
  mistake_below(__LINE__);
  store(out, {i}, load<4>(host, {0}));
}

}  // namespace

TEST_CASE("loops left by break or return") {
  Tensor<float, 1> out({10}, 0.0f);
  fails<break_out>("left by break, return or goto", out);
  fails<return_out>("left by break, return or goto", out);
}

TEST_CASE("tiles used where they are not") {
  Tensor<float, 1> out({10}, 0.0f);
  fails<leak_loop>("inside a loop or condition and is used after it", out);
  fails<leak_when>("inside a loop or condition and is used after it", out);
  fails<leak_then_to_else>("inside a loop or condition and is used after it", out);
  launch<keep>(Device::cpu(), out);
  fails<use_kept>("a tile of another kernel (or a static one) is used here", out);
  for (int i = 0; i < 600; ++i) still_alive();
  fails<use_kept>("a tile of another kernel (or a static one) is used here", out);
}

TEST_CASE("tiles outside a kernel") {
  REQUIRE_THROWS_WITH((zeros<float, 4>()), Catch::Contains("outside a kernel") && Catch::Contains("recorded.cpp:"));
  REQUIRE_THROWS_WITH(*kept + 1.0f, Catch::Contains("outside a kernel") && Catch::Contains("recorded.cpp:"));
  still_alive();
}

TEST_CASE("grids") {
  Tensor<float, 1> out({10}, 0.0f);
  fails<no_grid>("declares no grid", out);
  fails<two_grids>("the grid is declared a second time", out);
  fails<grid_after_effect>("memory is used before the grid is declared", out);
  fails<grid_in_loop>("the grid is declared inside a loop or condition", out);
  fails<grid_in_when>("the grid is declared inside a loop or condition", out);
  fails<grid_from_memory>("before the grid is declared", out);
  fails<grid_from_float>("grid", out, 2.0f);
  fails<zero_step>("the step of tiles(extent, step) must be at least 1", out);
  fails<program_axis>("axis", out);
}

TEST_CASE("operations") {
  Tensor<float, 1> out({10}, 0.0f);
  fails<range_step>("the step of a range must be positive", out);
  launch<nested_64>(Device::cpu(), out);
  for (int i = 0; i < 10; ++i) REQUIRE(out[i] == (i < 4 ? 1.0f : 0.0f));
  fails<nested_65>("are more than 64 deep", out);
  fails<nested_66>("are more than 64 deep", out);
  fails<break_64_times>("are more than 64 deep, where every break_if(...) counts as a condition", out);
  fails<break_outside>("break_if(...) is not inside a loop", out);
  fails<break_in_condition>("break_if(...) is used in the condition of loop_while(...); let the condition return false", out);
  fails<break_in_combine>("break_if(...) is used in a function given to reduce or scan", out);
  fails<hint_of_kernel_on_range>("a range takes hint{.stages = n} only; give hint{.warps} to grid(...)", out);
  fails<negative_stages>("hint{.stages = -3} is negative; 0 leaves the choice to the compiler", out);
  fails<negative_warps>("hint{.warps = -2} is negative", out);
  fails<literal_too_large>("the literal 300 does not fit", out);
  fails<combine_uses_outside>("uses a tile from outside", out);
  fails<combine_touches_memory>("the function given to reduce or scan", out);
  fails<view_axis>("axis", out);
  fails<view_of_host_memory>("a view of host memory is used", out);
  fails<view_in_loop>("views are not assigned", out, out);
}

TEST_CASE("exceptions pass through") {
  Tensor<float, 1> out({10}, 0.0f);
  REQUIRE_THROWS_AS(launch<throws_number>(Device::cpu(), out), int);
  still_alive();
  REQUIRE_THROWS_WITH(launch<throws_in_loop>(Device::cpu(), out), "from the kernel");
  still_alive();
  REQUIRE_THROWS_WITH(launch<throws_in_loop>(Device::cpu(), out), "from the kernel");
}

TEST_CASE("a kernel may launch another while it is recorded") {
  Tensor<float, 1> out({5}, 0.0f);
  launch<launches>(Device::cpu(), out);
  REQUIRE(out[4] == 7.0f);
}
