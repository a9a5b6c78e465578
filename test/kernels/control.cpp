// Loops, conditions, early exits, grids, prints, assertions and random numbers.
#include "harness.h"

using namespace harness;

template <int N>
void loops(View<const i32, 1> in, View<i32, 2> out, Scalar<i32> n) {
  grid(tiles(1, 1));
  auto x = load<N>(in, {0});
  auto total = zeros<i32, N>();
  auto steps = full<i32, 1>(0);
  for (auto i : range(0, n)) {
    for (auto j : range(i, n, 2)) {
      total += x * cast<i32>(j);
      steps += 1;
    }
  }
  store(out, {0, 0}, reshape<1, N>(total));
  store(out, {1, 0}, reshape<1, 1>(steps));
  // Two variables that exchange values every step.
  auto a = x, b = x + 1;
  for (auto i : range(n)) {
    auto t = a;
    a = b;
    b = t;
    (void)i;
  }
  store(out, {2, 0}, reshape<1, N>(a * 1000 + b));
  // A condition that assigns in one branch, nested in a loop.
  auto m = x;
  for (auto i : range(n)) {
    when(i % 2 == 0, [&] { m = m * 3; }).otherwise([&] { m = m - 1; });
    when(i == 3, [&] { m += 1000; });
  }
  store(out, {3, 0}, reshape<1, N>(m));
  // Early exit: the rest of the body does not run, the state stays.
  auto seen = zeros<i32, N>();
  Index last = -1;
  for (auto i : range(n)) {
    last = i;
    break_if(i * i > 20);
    seen += 1;
    when(i == 100, [&] { seen += 7; });
  }
  store(out, {4, 0}, reshape<1, N>(seen * 100 + cast<i32>(last)));
  // Collatz steps of n + 1.
  Scalar<i32> value = n + 1, count = 0;
  loop_while([&] { return value > 1; },
             [&] {
               value = where(value % 2 == 0, value / 2, value * 3 + 1);
               count += 1;
             });
  store(out, {5, 0}, reshape<1, 1>(full<i32, 1>(count)));
  // A tile carried by a while loop, flipped each time: read at other places than written.
  auto f = x;
  Scalar<i32> left = n;
  loop_while([&] { return left > 0; },
             [&] {
               f = flip<0>(f) + 1;
               left -= 1;
             });
  store(out, {6, 0}, reshape<1, N>(f));
  // Leaving from inside a condition.
  auto inner = zeros<i32, N>();
  for (auto i : range(n)) {
    when(i > 2, [&] {
      inner += 10;
      break_if(i == 5);
      inner += 100;
    });
    inner += 1;
  }
  store(out, {7, 0}, reshape<1, N>(inner));
}

/// Early exits of loop_while: from the body, from a condition in it, past a range loop in it; each with a condition that assigns.
void leave_while(View<i32, 1> out, Scalar<i32> n) {
  auto [program] = grid(tiles(1, 1));
  (void)program;
  Scalar<i32> asked = 0, a = 0;
  loop_while([&] { asked += 1; return a < n; },
             [&] {
               a += 2;
               break_if(a > 7);
               a += 1;
             });
  Scalar<i32> b = 0, inner = 0;
  loop_while([&] { return b < n; },
             [&] {
               when(b >= 3, [&] {
                 break_if(b == 5);
                 b += 1;
               }).otherwise([&] { b += 3; });
               for (auto i : range(10)) {
                 break_if(cast<i32>(i) >= b);
                 inner += 1;
               }
             });
  Scalar<i32> rounds = 0;
  for (auto i : range(n)) {
    Scalar<i32> left = cast<i32>(i);
    loop_while([&] { return left > 0; },
               [&] {
                 break_if(rounds % 5 == 4);
                 left -= 1;
                 rounds += 1;
               });
    rounds += 1;
  }
  int at = 0;
  for (const Scalar<i32>& x : {asked, a, b, inner, rounds}) store(out, {at++}, full<i32, 1>(x));
}

TEST_CASE("early exit of loop_while") {
  for (int n : {0, 1, 3, 4, 6, 9, 20}) {
    Guarded<i32> out(5);
    launch<leave_while>(Device::cpu(), out.view(), n);
    REQUIRE(out.intact());
    int asked = 0, a = 0, b = 0, inner = 0, rounds = 0;
    while (++asked, a < n) {
      a += 2;
      if (a > 7) break;
      a += 1;
    }
    while (b < n) {
      if (b >= 3) {
        if (b == 5) break;
        b += 1;
      } else {
        b += 3;
      }
      for (int i = 0; i < 10 && i < b; ++i) ++inner;
    }
    for (int i = 0; i < n; ++i, ++rounds)
      for (int left = i; left > 0 && rounds % 5 != 4; --left) ++rounds;
    INFO("n " << n);
    CHECK(std::vector<int>{out[0], out[1], out[2], out[3], out[4]} == std::vector<int>{asked, a, b, inner, rounds});
  }
}

void staged(View<i32, 1> out, Scalar<i32> n) {
  auto [program] = grid(tiles(1, 1));
  auto x = zeros<i32, 4>();
  for (auto k : range(n, hint{.stages = 3})) x += cast<i32>(k);
  for (auto k : range(1, n, hint{.stages = 2})) {
    break_if(k > 3);
    x += 1;
  }
  store(out, {program}, x);
}

TEST_CASE("stages of a loop are in the IR and change no result") {
  Guarded<i32> out(4);
  launch<staged>(Device::cpu(), out.view(), 6);
  REQUIRE(out.intact());
  CHECK(out[3] == 15 + 3);
  const std::string ir = compile<staged>("cpu:x86-64-v3").stages().front().text;
  INFO(ir);
  CHECK(ir.find("tile.stages = 3 : i64") != std::string::npos);
  CHECK(ir.find("tile.stages = 2 : i64") != std::string::npos);
}

TEST_CASE("loops and conditions with every trip count") {
  constexpr int N = 17;
  for (int n : {0, 1, 2, 3, 5, 9}) {
    Guarded<i32> in(N), out(8 * N);
    for (int i = 0; i < N; ++i) in[i] = i * i - 5;
    for (int i = 0; i < 8 * N; ++i) out[i] = 0;
    launch<loops<N>>(Device::cpu(), in.view(), out.view(8, N), n);
    REQUIRE(out.intact());
    int factor = 0, steps = 0, last = -1, seen = 0, collatz = 0, inner = 0;
    for (int i = 0; i < n; ++i)
      for (int j = i; j < n; j += 2) factor += j, ++steps;
    for (int i = 0; i < n; ++i) {
      last = i;
      if (i * i > 20) break;
      seen += 1;
    }
    for (int v = n + 1; v > 1; ++collatz) v = v % 2 == 0 ? v / 2 : v * 3 + 1;
    for (int i = 0; i < n; ++i) {
      if (i > 2) {
        inner += 10;
        if (i == 5) break;
        inner += 100;
      }
      inner += 1;
    }
    REQUIRE(out[N] == steps);
    REQUIRE(out[5 * N] == collatz);
    for (int k = 0; k < N; ++k) {
      INFO("n " << n << " element " << k);
      int x = in[k], m = x;
      for (int i = 0; i < n; ++i) m = (i % 2 == 0 ? m * 3 : m - 1) + (i == 3 ? 1000 : 0);
      REQUIRE(out[k] == x * factor);
      REQUIRE(out[2 * N + k] == (n % 2 ? (x + 1) * 1000 + x : x * 1000 + x + 1));
      REQUIRE(out[3 * N + k] == m);
      REQUIRE(out[4 * N + k] == seen * 100 + last);
      REQUIRE(out[6 * N + k] == (n % 2 ? in[N - 1 - k] : x) + n);
      REQUIRE(out[7 * N + k] == inner);
    }
  }
}

/// Loads, then stores to the memory it came from: a load is a value at its point in the program.
template <int N>
void overlapping(View<float, 1> a, View<float, 1> b) {
  grid(tiles(1, 1));
  auto before = load<N>(a, {0});
  store(b, {1}, before);
  auto after = load<N>(a, {0});
  store(b, {0}, before + after);
}

TEST_CASE("writes through an overlapping view are seen by later loads only") {
  constexpr int N = 48;
  Guarded<float> memory(N + 2);
  for (int i = 0; i < N + 2; ++i) memory[i] = static_cast<float>(i + 1);
  View<float, 1> view(memory.data(), {N + 1});
  launch<overlapping<N>>(Device::cpu(), view, view);
  // b[1 + i] = i + 1, so that `after` is 1, 1, 2, 3, ...
  for (int i = 0; i < N; ++i) REQUIRE(memory[i] == static_cast<float>((i + 1) + (i == 0 ? 1 : i)));
  REQUIRE(memory[N] == static_cast<float>(N));
  REQUIRE(memory.intact());
}

template <int A, int B, int C>
void coordinates(View<i64, 3> out) {
  auto [i, j, k] = grid(tiles(out.size(0), A), tiles(out.size(1), B), tiles(out.size(2), C));
  auto value = (program_id(0) * 1000 + program_id(1)) * 1000 + program_id(2) + num_programs(1) * 1000000000;
  store(out, {i, j, k}, full<i64, A, B, C>(cast<i64>(value)));
}

TEST_CASE("grids of three axes, empty ones included") {
  for (std::int64_t a : {0, 1, 5})
    for (std::int64_t b : {0, 7})
      for (std::int64_t c : {1, 33}) {
        Guarded<i64> out(a * b * c);
        launch<coordinates<2, 3, 16>>(Device::cpu(), View<i64, 3>(out.data(), {a, b, c}));
        REQUIRE(out.intact());
        for (std::int64_t i = 0; i < a * b * c; ++i) {
          std::int64_t x = i / c / b / 2, y = i / c % b / 3, z = i % c / 16;
          REQUIRE(out[i] == (x * 1000 + y) * 1000 + z + 3 * 1000000000ll);
        }
      }
}

/// Running sums over programs: each waits for its predecessor.
template <int N>
void chained(View<const i32, 1> in, View<i32, 1> prefix, View<i32, 1> ready) {
  auto [start] = grid(tiles(in.size(0), N), in_order);
  auto total = at(sum<0>(load<N>(in, {start})), {0});
  auto me = program_id(0);
  Scalar<i32> carried = 0;
  when(me > 0, [&] {
    Scalar<i32> flag = 0;
    loop_while([&] { return flag == 0; }, [&] { flag = atomic_or(ready, indices(me - 1), 0, Order::acquire); });
    carried = load(prefix, {me - 1});
  });
  store(prefix, {me}, carried + total);
  atomic_exchange(ready, indices(me), 1, Order::release);
}

TEST_CASE("in-order programs may wait for earlier ones") {
  const std::int64_t n = 497, programs = (n + 15) / 16;
  Guarded<i32> in(n), prefix(programs), ready(programs);
  for (std::int64_t i = 0; i < n; ++i) in[i] = static_cast<i32>(i % 13);
  for (std::int64_t i = 0; i < programs; ++i) ready[i] = 0;
  launch<chained<16>>(Device::cpu(), in.view(), prefix.view(), ready.view());
  i32 total = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    total += in[i];
    if (i % 16 == 15 || i == n - 1) REQUIRE(prefix[i / 16] == total);
  }
}

template <int N>
void guarded_by_assert(View<const float, 1> in, View<float, 1> out) {
  auto [start] = grid(tiles(in.size(0), N));
  auto x = load<N>(in, {start});
  device_assert(x >= 0.0f, "values are not negative");
  store(out, {start}, sqrt(x));
}

template <int Steps>
void unrolled(View<const float, 1> in, View<float, 1> out) {
  auto [start] = grid(tiles(in.size(0), 4));
  auto x = load<4>(in, {start});
  for (int i = 0; i < Steps; ++i) x = x * 1.0001f + exp(x * 0.0f);
  store(out, {start}, x);
}

TEST_CASE("kernels of very many operations") {
  constexpr int steps = 300;  // some 10 000 instructions in one block
  Guarded<float> in(11), out(11);
  for (int i = 0; i < 11; ++i) in[i] = static_cast<float>(i) - 5;
  launch<unrolled<steps>>(Device::cpu(), in.view(), out.view());
  REQUIRE(out.intact());
  for (int i = 0; i < 11; ++i) {
    volatile float x = in[i];  // one rounding an operation
    for (int k = 0; k < steps; ++k) {
      x = x * 1.0001f;
      x = x + 1.0f;
    }
    REQUIRE(out[i] == x);
  }
}

void stepped(View<i32, 1> out, Scalar<i64> step, Scalar<bool> leaves) {
  auto [start] = grid(tiles(out.size(0), 1));
  Scalar<i32> plain = 0, leaving = 0;
  for ([[maybe_unused]] auto k : range(0, 10, step)) plain += 1;
  for ([[maybe_unused]] auto k : range(0, 10, step)) {
    leaving += 1;
    break_if(leaves & (leaving == 2));
  }
  store(out, {start}, plain * 100 + leaving);
}

TEST_CASE("a step that turns out not to be positive is an exception, and no loop without end") {
  Guarded<i32> out(5);
  for (i64 step : {1, 3, 10, 11}) {
    launch<stepped>(Device::cpu(), out.view(), step, false);
    int times = static_cast<int>((9 + step) / step);
    for (int i = 0; i < 5; ++i) REQUIRE(out[i] == times * 101);
    launch<stepped>(Device::cpu(), out.view(), step, true);
    for (int i = 0; i < 5; ++i) REQUIRE(out[i] == times * 100 + std::min(times, 2));
  }
  for (i64 step : {i64{0}, i64{-1}, std::numeric_limits<i64>::min()})
    for (bool leaves : {false, true}) {
      try {
        launch<stepped>(Device::cpu(), out.view(), step, leaves);
        FAIL("no exception");
      } catch (const ExecutionError& error) {
        std::string text = error.what();
        REQUIRE(text.find("the step of this range is not positive") != std::string::npos);
        REQUIRE(text.find("control.cpp:") != std::string::npos);
      }
    }
}

TEST_CASE("a failed device assertion is an exception that names the line; the next launch works") {
  Guarded<float> in(100), out(100);
  for (int i = 0; i < 100; ++i) in[i] = static_cast<float>(i);
  launch<guarded_by_assert<16>>(Device::cpu(), in.view(), out.view());
  in[70] = -1;
  try {
    launch<guarded_by_assert<16>>(Device::cpu(), in.view(), out.view());
    FAIL("no exception");
  } catch (const ExecutionError& error) {
    std::string text = error.what();
    REQUIRE(text.find("values are not negative") != std::string::npos);
    REQUIRE(text.find("program (4)") != std::string::npos);
    REQUIRE(text.find("control.cpp:") != std::string::npos);
  }
  in[70] = 4;
  launch<guarded_by_assert<16>>(Device::cpu(), in.view(), out.view());
  REQUIRE(out[70] == 2);
}

template <int N>
void randoms(View<u32, 1> bits, View<float, 1> uniform, View<float, 1> normal, Scalar<u64> seed) {
  auto [start] = grid(tiles(bits.size(0), N));
  auto offset = iota<N>() + start;
  store(bits, {start}, randint(seed, offset)), store(uniform, {start}, rand(seed, offset)), store(normal, {start}, randn(seed, offset));
}

/// Philox 4x32-10 from its definition.
u32 philox(u64 seed, u64 offset) {
  u32 c[4] = {static_cast<u32>(offset), static_cast<u32>(offset >> 32), 0, 0}, k[2] = {static_cast<u32>(seed), static_cast<u32>(seed >> 32)};
  for (int round = 0; round < 10; ++round) {
    u64 a = static_cast<u64>(c[0]) * 0xD2511F53u, b = static_cast<u64>(c[2]) * 0xCD9E8D57u;
    u32 next[4] = {static_cast<u32>(b >> 32) ^ c[1] ^ k[0], static_cast<u32>(b), static_cast<u32>(a >> 32) ^ c[3] ^ k[1], static_cast<u32>(a)};
    std::memcpy(c, next, sizeof c);
    k[0] += 0x9E3779B9u, k[1] += 0xBB67AE85u;
  }
  return c[0];
}

TEST_CASE("Philox numbers") {
  REQUIRE(philox(0, 0) == 0x6627e8d5u);  // the published first word for an all-zero counter and key
  const std::int64_t n = 100000;
  Tensor<u32, 1> bits({n});
  Tensor<float, 1> uniform({n}), normal({n});
  const u64 seed = 0x123456789abcdefull;
  launch<randoms<256>>(Device::cpu(), bits, uniform, normal, seed);
  double mean = 0, square = 0, flat = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    if (i % 997 == 0) REQUIRE(bits[i] == philox(seed, static_cast<u64>(i)));
    REQUIRE(uniform[i] >= 0);
    REQUIRE(uniform[i] < 1);
    flat += uniform[i] / static_cast<double>(n), mean += normal[i] / static_cast<double>(n), square += normal[i] * static_cast<double>(normal[i]) / static_cast<double>(n);
  }
  REQUIRE(std::fabs(flat - 0.5) < 0.005);
  REQUIRE(std::fabs(mean) < 0.02);
  REQUIRE(std::fabs(square - 1) < 0.02);
}

/// Online softmax: reads outer tiles, assigns three, and keeps one that no iteration changes.
void online(View<const float, 2> in, View<float, 1> out) {
  auto [row] = grid(tiles(in.size(0), 8));
  auto unchanged = full<float, 8, 1>(2.0f), best = full<float, 8, 1>(-inf), norm = zeros<float, 8, 1>();
  auto never_read = zeros<float, 8>();
  for (auto k : range(0, in.size(1), 16)) {
    auto x = load<8, 16>(in, {row, k}, fill(-inf)) * unchanged;
    auto next = maximum(best, max<1>(x));
    norm = norm * exp(best - next) + sum<1>(exp(x - next));
    best = next;
    never_read = reshape<8>(norm);
  }
  store(out, {row}, reshape<8>(norm));
}

TEST_CASE("a loop carries what it changes, and nothing else") {
  std::string trace = compile<online>("cpu:x86-64-v3").trace();
  std::size_t loop = trace.find("scf.for(");
  REQUIRE(loop != std::string::npos);
  std::size_t line = trace.rfind('\n', loop) + 1;
  std::string results = trace.substr(line, loop - line);
  INFO(trace);
  REQUIRE(std::count(results.begin(), results.end(), '%') == 3);  // best, norm and never_read, which was assigned
  REQUIRE(trace.find("scf.for(", loop + 1) == std::string::npos);
}

void same_range_twice(View<i32, 1> out) {
  auto [i] = grid(tiles(out.size(0), 1));
  auto n = full<i32, 1>(0);
  range three(0, 3);
  for ([[maybe_unused]] auto k : three) n += 1;
  for ([[maybe_unused]] auto k : three) n += 10;
  store(out, {i}, n);
}

TEST_CASE("a range object makes a loop each time") {
  Guarded<i32> out(3);
  launch<same_range_twice>(Device::cpu(), out.view());
  REQUIRE(out[2] == 33);
}
