// Launches through the fake compiler: grids, variants, threads, errors, prints and assertions.

#include "runtime/device_state.h"
#include "runtime/drivers/fake/fake_driver.h"
#include "test/unit/catch.h"
#include "test/unit/runtime/kernels.h"

#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <numeric>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace sectile;
using namespace sectile::test;

void count_kernel(Out out, N n) { body(out, n); }
template <int>
void count_kernel_of(Out out, N n) { body(out, n); }
void count_kernel_many(Out out, N n) { body(out, n); }
void count_kernel_stepless(Out out, N n) { body(out, n); }
void count_kernel_no_entry(Out out, N n) { body(out, n); }
void count_kernel_no_elf(Out out, N n) { body(out, n); }
void count_kernel_other_parameters(Out out, N n) { body(out, n); }
void scratch_kernel(Out out, N n) { body(out, n); }
void report_kernel(Out out, N n) { body(out, n); }
void chain_kernel(Out out, N n) { body(out, n); }
void user_error(Out out, N n) { body(out, n); }
void target_error(Out out, N n) { body(out, n); }
void internal_error(Out out, N n) { body(out, n); }
void bad_image(Out out, N n) { body(out, n); }
void throwing(Out, N) { throw 42; }
void gridless(Out, N) {}

namespace {

Device cpu() {
  setenv("SECTILE_COMPILER", FAKE_COMPILER, 1);
  return Device::cpu();
}

int compilations() {
  static auto count = reinterpret_cast<int (*)()>(dlsym(dlopen(FAKE_COMPILER, RTLD_NOW | RTLD_LOCAL), "fake_compilations"));
  return count();
}

/// What `f` writes to standard output.
template <typename F>
std::string output_of(F&& f) {
  std::fflush(stdout);
  int saved = dup(1);
  std::FILE* file = std::tmpfile();
  dup2(fileno(file), 1);
  f();
  std::fflush(stdout);
  dup2(saved, 1);
  close(saved);
  std::string text(static_cast<std::size_t>(std::ftell(file)), ' ');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

}  // namespace

TEST_CASE("every program of a grid runs exactly once") {
  for (std::int64_t n : {1, 2, 7, 1000, 100003}) {
    Tensor<i32, 1> out({n}, 0);
    launch<count_kernel>(cpu(), out, n);
    CHECK(std::accumulate(out.data(), out.data() + n, std::int64_t{0}) == n);
    CHECK(*std::max_element(out.data(), out.data() + n) == 1);
  }
  Tensor<i32, 1> out({1}, 0);
  launch<count_kernel>(cpu(), out, 0);
  launch<count_kernel>(Stream(cpu()), out, -5);
  CHECK(out[0] == 0);
}

TEST_CASE("a launch takes tensors, views and vectors") {
  std::vector<i32> memory(4);
  launch<count_kernel>(cpu(), memory, std::int8_t{4});
  launch<count_kernel>(cpu(), View<i32, 1>(memory), 2u);
  launch<count_kernel>(cpu(), View<i32, 1>(memory.data() + 3, {4}, {-1}), 4);
  CHECK(memory == std::vector<i32>{3, 3, 2, 2});
}

TEST_CASE("facts select variants, and each is compiled once") {
  alignas(64) static i32 memory[64];
  auto device = cpu();
  auto run = [&](int offset, std::int64_t stride) {
    int before = compilations();
    launch<count_kernel_of<1>>(device, View<i32, 1>(memory + offset, {4}, {stride}), 4);
    return compilations() - before;
  };
  CHECK(run(0, 1) == 1);
  CHECK(run(0, 1) == 0);
  CHECK(run(16, 1) == 0);
  CHECK(run(1, 1) == 1);
  CHECK(run(3, 1) == 0);
  CHECK(run(0, 2) == 1);
  CHECK(run(0, 2) == 0);
  CHECK(run(0, 1) == 0);
}

TEST_CASE("threads that launch a cold kernel together compile it once") {
  auto device = cpu();
  int before = compilations();
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int i = 0; i < 16; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        Tensor<i32, 1> out({17}, 0);
        launch<count_kernel_of<2>>(device, out, 17);
        for (int k = 0; k < 17; ++k) wrong += out[k] != 1;
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(compilations() - before == 1);
}

TEST_CASE("threads that launch a failing kernel together all get the error, and the next launch tries again") {
  auto device = cpu();
  std::vector<std::thread> threads;
  std::atomic<int> errors{0};
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      Tensor<i32, 1> out({1}, 0);
      errors += throws<UserError>("change it", [&] { launch<user_error>(device, out, 1); });
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(errors == 8);
  int before = compilations();
  Tensor<i32, 1> out({1}, 0);
  CHECK(throws<UserError>("change it", [&] { launch<user_error>(device, out, 1); }));
  CHECK(compilations() - before == 1);
}

TEST_CASE("scratch memory is aligned and private to each running program") {
  Tensor<i32, 1> out({5000}, 0);
  launch<scratch_kernel>(cpu(), out, 5000);
  CHECK(std::count(out.data(), out.data() + 5000, 1024) == 5000);
}

TEST_CASE("an ordered grid starts its programs in increasing order") {
  for (std::int64_t n : {1, 2, 3, 1000}) {
    Tensor<i32, 1> out({n}, 0);
    launch<chain_kernel>(cpu(), out, n);
    CHECK(out[n - 1] == n);
  }
}

TEST_CASE("prints name the program and arrive whole") {
  Tensor<i32, 1> out({4}, 0);
  std::string text = output_of([&] { CHECK_THROWS_AS(launch<report_kernel>(cpu(), out, 4), ExecutionError); });
  for (const char* line : {"(0) values [[0, 2], [3, 4]] 0.5\n", "(1) values [[1, 2], [3, 4]] 0.5\n", "(3) values [[3, 2], [3, 4]] 0.5\n"})
    CHECK_THAT(text, ContainsSubstring(line));
}

TEST_CASE("failed assertions end the launch with an error, and the device goes on") {
  Tensor<i32, 1> out({11}, 0);
  output_of([&] {
    try {
      launch<report_kernel>(cpu(), out, 11);
      FAIL("no error");
    } catch (const ExecutionError& error) {
      CHECK(error.where() == "k.cpp:7:3");
      CHECK_THAT(std::string(error.what()), ContainsSubstring("device assertion failed in program (") && ContainsSubstring("no multiple of five (and 2 more)"));
    }
  });
  launch<count_kernel>(cpu(), out, 11);
  CHECK(out[10] == 1);
}

TEST_CASE("launches that the recipe refuses") {
  Tensor<i32, 1> out({1}, 0);
  auto device = cpu();
  CHECK(throws<UserError>("launch of count_kernel: n must not be 13; pass another number", [&] { launch<count_kernel>(device, out, 13); }));
  CHECK(throws<UserError>("more than 2^62 programs", [&] { launch<count_kernel_many>(device, out, std::int64_t{1} << 40); }));
  CHECK(throws<UserError>("step of tiles(extent, step) must be positive", [&] { launch<count_kernel_stepless>(device, out, 4); }));
}

TEST_CASE("errors of the compiler keep their kind and words") {
  Tensor<i32, 1> out({1}, 0);
  auto device = cpu();
  CHECK(throws<UserError>("k.cpp:1:2: the kernel is at fault", [&] { launch<user_error>(device, out, 1); }));
  CHECK(throws<TargetError>("too much shared memory", [&] { launch<target_error>(device, out, 1); }));
  CHECK(throws<InternalError>("a pass failed", [&] { launch<internal_error>(device, out, 1); }));
  CHECK(throws<InternalError>("malformed kernel image", [&] { launch<bad_image>(device, out, 1); }));
  CHECK(throws<InternalError>("lacks its entry point 'not_there'", [&] { launch<count_kernel_no_entry>(device, out, 1); }));
  CHECK(throws<InternalError>("cannot load a compiled kernel", [&] { launch<count_kernel_no_elf>(device, out, 1); }));
  CHECK(throws<InternalError>("other parameters than those of count_kernel_other_parameters", [&] { launch<count_kernel_other_parameters>(device, out, 1); }));
}

TEST_CASE("errors of the kernel function reach the caller") {
  Tensor<i32, 1> out({1}, 0);
  auto device = cpu();
  CHECK_THROWS_AS(launch<throwing>(device, out, 1), int);
  CHECK_THROWS_AS(launch<throwing>(device, out, 1), int);
  CHECK(throws<UserError>("declares no grid", [&] { launch<gridless>(device, out, 1); }));
}

TEST_CASE("bad arguments never reach a kernel") {
  auto device = cpu();
  int before = compilations();
  CHECK(throws<UserError>("null pointer", [&] { launch<count_kernel_of<3>>(device, View<i32, 1>(nullptr, {4}), 4); }));
  CHECK(compilations() == before);
  auto compiled = compile<count_kernel_of<3>>(device);
  CHECK(throws<UserError>("null pointer", [&] { compiled(View<i32, 1>(nullptr, {4}), 4); }));
}

TEST_CASE("a compiled kernel tells its stages and can be launched") {
  auto compiled = compile<count_kernel_of<4>>(cpu());
  CHECK_THAT(std::string(compiled.name()), ContainsSubstring("count_kernel_of"));
  REQUIRE(compiled.stages().size() == 2);
  CHECK(compiled.stages()[1].name == "emit");
  CHECK(compiled.stages()[1].milliseconds == 1.5);
  CHECK_THAT(compiled.trace(), ContainsSubstring("tile.grid"));
  CHECK(compile<scratch_kernel>(cpu()).arena_bytes() == 4096);
  CHECK_THAT(output_of([&] { compiled.print(); }), ContainsSubstring("// ---- emit (1.50 ms)"));
  Tensor<i32, 1> out({9}, 0);
  compiled(out, 9);
  CHECK(out[8] == 1);
  auto foreign = compile<count_kernel>("cpu:x86-64-v4");
  CHECK(throws<UserError>("compile it for a Device", [&] { foreign(out, 9); }));
}

TEST_CASE("devices") {
  CHECK(std::string(Device::cpu().name()) == "cpu:native");
  CHECK(std::string(Device::cpu("x86-64-v2").name()) == "cpu:x86-64-v2");
  CHECK(&Device::cpu().state() == &Device::cpu().state());
  Device::cpu().synchronize();
  CHECK(throws<UserError>("unknown CPU level 'sm_80'", [] { Device::cpu("sm_80"); }));
  CHECK(throws<UserError>("unknown CPU level ''", [] { Device::cpu(nullptr); }));
}

TEST_CASE("failures of a driver reach the caller, and the next launch tries again") {
  cpu();
  auto script = std::make_shared<drivers::FakeScript>();
  static detail::DeviceState state;
  state = {"fake", drivers::make_fake_driver(script)};
  Device device(state);
  Tensor<i32, 1> out({4}, 0);
  script->load_failure = "no room for the code";
  script->failures_left = 2;
  CHECK(throws<TargetError>("no room for the code", [&] { launch<count_kernel>(device, out, 4); }));
  CHECK(throws<TargetError>("no room for the code", [&] { launch<count_kernel>(device, out, 4); }));
  launch<count_kernel>(device, out, 4);
  CHECK(script->loads == 3);
  script->launch_failure = "the device fell off the bus";
  script->failures_left = 1;
  CHECK(throws<ExecutionError>("fell off the bus", [&] { launch<count_kernel>(device, out, 4); }));
  launch<count_kernel>(device, out, 4);
  CHECK(script->loads == 3);
  REQUIRE(script->launches.size() == 3);
  std::int64_t pointer = reinterpret_cast<std::int64_t>(out.data());
  CHECK(script->launches[2].slots == std::vector<std::int64_t>{pointer, 4, 1, 4, 4});
  CHECK(script->launches[2].extents == std::vector<std::int64_t>{4});
  Stream(device).synchronize();
  CHECK(script->synchronizations == 1);
}
