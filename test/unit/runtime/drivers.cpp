// What every driver must do, and what the CPU driver does beyond.

#include "runtime/drivers/cpu/print_values.h"
#include "runtime/drivers/cpu/threads.h"
#include "runtime/drivers/driver.h"
#include "runtime/drivers/fake/fake_driver.h"
#include "sectile/numeric.h"
#include "test/unit/catch.h"
#include "test/unit/runtime/kernels.h"

#include <cstring>
#include <fstream>
#include <iterator>

using namespace sectile;
using namespace sectile::drivers;
using namespace sectile::test;

namespace {

format::Image image_of(const char* symbol) {
  format::Image image;
  image.symbol = symbol;
  image.recipe.extents = {{{format::RecipeOp::constant, 1}}};
  std::ifstream file(FAKE_KERNELS, std::ios::binary);
  image.code.assign(std::istreambuf_iterator<char>(file), {});
  return image;
}

}  // namespace

TEST_CASE("every driver allocates, copies and releases") {
  auto script = std::make_shared<FakeScript>();
  std::unique_ptr<Driver> drivers[2];
  drivers[0] = make_cpu_driver(), drivers[1] = make_fake_driver(script);
  for (auto& driver : drivers) {
    CHECK(std::strlen(driver->name()) > 0);
    void* a = driver->allocate(1000);
    void* b = driver->allocate(0);
    REQUIRE((a && b && a != b));
    CHECK(reinterpret_cast<std::uintptr_t>(a) % 64 == 0);
    char text[] = "there and back", back[sizeof text] = {};
    driver->copy(a, text, sizeof text);
    driver->copy(back, a, sizeof text);
    driver->copy(nullptr, nullptr, 0);
    driver->synchronize();
    CHECK(std::strcmp(text, back) == 0);
    driver->release(a);
    driver->release(b);
    CHECK(throws<UserError>("no memory for", [&] { driver->allocate(std::size_t{1} << 60); }));
  }
  CHECK(script->synchronizations == 1);
}

TEST_CASE("the fake driver follows its script") {
  auto script = std::make_shared<FakeScript>();
  auto driver = make_fake_driver(script);
  script->memory = 100;
  void* memory = driver->allocate(60);
  CHECK(throws<UserError>("40 are free", [&] { driver->allocate(41); }));
  driver->release(memory);
  CHECK(throws<InternalError>("does not own", [&] { driver->release(memory); }));
  driver->release(driver->allocate(100));
  script->load_failure = "no room for the code";
  script->failures_left = 1;
  CHECK(throws<TargetError>("no room for the code", [&] { driver->load({}); }));
  CHECK(driver->load({}));
  CHECK(script->loads == 2);
}

TEST_CASE("libraries from memory are distinct, whatever their descriptors") {
  auto driver = make_cpu_driver();
  // The first is closed or kept while others with the same descriptor number are loaded.
  auto first = driver->load(image_of("count"));
  for (int i = 0; i < 20; ++i) {
    int out[1] = {};
    std::int64_t slots[] = {reinterpret_cast<std::int64_t>(out), 1, 1, 1, 1}, extents[] = {1};
    auto image = image_of("count");
    // Damage the code of every second one: had dlopen returned an earlier library, it would load.
    if (i % 2) image.code.assign(64, 0);
    if (i % 2) {
      CHECK(throws<InternalError>("cannot load a compiled kernel", [&] { driver->load(image); }));
    } else {
      auto module = driver->load(image);
      driver->launch(*module, slots, extents);
      CHECK(out[0] == 1);
    }
  }
  CHECK(throws<InternalError>("lacks its entry point 'missing'", [&] { driver->load(image_of("missing")); }));
}

TEST_CASE("SECTILE_NUM_THREADS") {
  CHECK(parse_thread_count(nullptr) >= 1);
  CHECK(parse_thread_count("") >= 1);
  CHECK(parse_thread_count("1") == 1);
  CHECK(parse_thread_count("4096") == 4096);
  for (const char* bad : {"0", "-1", "4097", "two", "2x", " 2", "2 ", "99999999999999999999", "1.5"})
    CHECK(throws<UserError>(std::string("SECTILE_NUM_THREADS is '") + bad + "'", [&] { parse_thread_count(bad); }));
}

TEST_CASE("the text of printed values") {
  auto text = [](ScalarType type, std::vector<std::int64_t> shape, const void* data) {
    std::string out;
    append_value(out, {type, std::move(shape)}, data);
    return out;
  };
  std::int8_t bytes[] = {-1, 2, 3, -128, 5, 6};
  CHECK(text(ScalarType::i8, {2, 3}, bytes) == "[[-1, 2, 3], [-128, 5, 6]]");
  CHECK(text(ScalarType::u8, {2}, bytes) == "[255, 2]");
  CHECK(text(ScalarType::boolean, {2}, "\1\0") == "[true, false]");
  std::uint64_t wide = ~std::uint64_t{0};
  CHECK(text(ScalarType::u64, {}, &wide) == "18446744073709551615");
  CHECK(text(ScalarType::i64, {}, &wide) == "-1");
  CHECK(text(ScalarType::index, {}, &wide) == "-1");
  CHECK(text(ScalarType::u32, {}, &wide) == "4294967295");
  CHECK(text(ScalarType::u16, {}, &wide) == "65535");
  CHECK(text(ScalarType::i16, {}, &wide) == "-1");
  float f = 1e-7f;
  double d = 0.5;
  f16 h(1.5);
  bf16 b(-2.0);
  f8e4m3 e(448.0);
  f8e5m2 g(-0.25);
  CHECK(text(ScalarType::f32, {}, &f) == "1e-07");
  CHECK(text(ScalarType::f64, {1, 1}, &d) == "[[0.5]]");
  CHECK(text(ScalarType::f16, {}, &h) == "1.5");
  CHECK(text(ScalarType::bf16, {}, &b) == "-2");
  CHECK(text(ScalarType::f8e4m3, {}, &e) == "448");
  CHECK(text(ScalarType::f8e5m2, {}, &g) == "-0.25");
}
