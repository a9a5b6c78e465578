// A compiler for the runtime's tests, with the interface of libsectile-compiler.so: it picks a ready kernel by the name of the traced one, and
// fails on demand. FAKE_KERNELS is the path of the shared object of fake_kernels.c.

#include "compiler/driver/CompilerApi.h"
#include "runtime/format/image.h"
#include "trace/trace.h"

#include <atomic>
#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

using namespace sectile;

struct SectileResult {
  SectileStatus status = SectileOk;
  std::string message;
  std::vector<std::uint8_t> image;
  std::string facts;
};

namespace {

std::atomic<int> compilations{0};

using format::RecipeOp;

/// The image of `symbol` for (View<i32, 1>, Scalar<i64> n): n programs, or n * n * n * n for "many".
format::Image make_image(const std::string& symbol, const trace::Trace& trace, const char* target) {
  format::Image image;
  image.symbol = symbol;
  image.target = target;
  for (const trace::Type& type : trace.parameter_types)
    image.parameters.push_back({type.kind == trace::Type::Kind::view, type.readonly, type.element, type.rank});
  std::int64_t n_slot = 3;
  image.recipe.extents = {{{RecipeOp::slot, n_slot}, {RecipeOp::constant, 1}, {RecipeOp::ceildiv}}};
  image.recipe.checks = {{{{RecipeOp::slot, n_slot}, {RecipeOp::constant, 13}, {RecipeOp::ne}}, "n must not be 13; pass another number"}};
  image.recipe.in_order = symbol == "chain";
  image.arena_bytes = symbol == "scratch" ? 4096 : 0;
  image.sites = {{format::Site::Kind::print, "values", {{ScalarType::i32, {2, 2}}, {ScalarType::f32, {}}}, "k.cpp:1:1"},
                 {format::Site::Kind::assertion, "no multiple of five", {}, "k.cpp:7:3"}};
  std::ifstream file(FAKE_KERNELS, std::ios::binary);
  image.code.assign(std::istreambuf_iterator<char>(file), {});
  return image;
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

SectileResult* compile(const SectileRequest* request) {
  ++compilations;
  auto* result = new SectileResult;
  const SectileKernel& kernel = request->kernels[0];
  trace::ParseResult read = trace::parse({kernel.trace.data, kernel.trace.size}, {kernel.locations.data, kernel.locations.size});
  auto fail = [&](SectileStatus status, const char* message) {
    result->status = status;
    result->message = message;
    return result;
  };
  if (!read.error.empty()) return fail(SectileInternalError, read.error.c_str());
  for (std::size_t i = 0; i < kernel.factCount; ++i)
    result->facts += std::to_string(kernel.facts[i].unitAxis) + "," + std::to_string(kernel.facts[i].alignment) + "," +
                     std::to_string(kernel.facts[i].disjoint) + ";";
  const std::string& name = read.trace.name;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // long enough for other threads to ask for the same
  if (contains(name, "user_error")) return fail(SectileUserError, "k.cpp:1:2: the kernel is at fault; change it");
  if (contains(name, "target_error")) return fail(SectileTargetError, "too much shared memory");
  if (contains(name, "internal_error")) return fail(SectileInternalError, "a pass failed");
  if (contains(name, "bad_image")) return result->image = {1, 2, 3}, result;
  for (const char* symbol : {"count", "scratch", "report", "chain", "nothing"}) {
    if (!contains(name, (std::string(symbol) + "_kernel").c_str())) continue;
    format::Image image = make_image(symbol, read.trace, request->target);
    if (contains(name, "many")) image.recipe.extents.assign(4, image.recipe.extents[0]);
    if (contains(name, "stepless")) image.recipe.extents = {{{RecipeOp::slot, 3}, {RecipeOp::constant, 0}, {RecipeOp::ceildiv}}};
    if (contains(name, "no_entry")) image.symbol = "not_there";
    if (contains(name, "no_elf")) image.code = {'E', 'L', 'F'};
    if (contains(name, "other_parameters")) image.parameters.pop_back();
    result->image = format::serialize(image);
    return result;
  }
  return fail(SectileInternalError, "the fake compiler does not know this kernel");
}

const SectileCompilerApi api = {
    SectileCompilerApiVersion,
    [] { return "fake"; },
    &compile,
    [](const SectileResult* result) { return result->status; },
    [](const SectileResult* result) { return result->message.c_str(); },
    [](const SectileResult* result, std::size_t) { return SectileBytes{result->image.data(), result->image.size()}; },
    [](const SectileResult*) { return std::size_t{2}; },
    [](const SectileResult*, std::size_t stage) { return stage ? "emit" : "facts"; },
    [](const SectileResult* result, std::size_t stage) { return stage ? "" : result->facts.c_str(); },
    [](const SectileResult*, std::size_t stage) { return 0.5 + static_cast<double>(stage); },
    [](SectileResult* result) { delete result; },
};

}  // namespace

extern "C" const SectileCompilerApi* sectileCompilerApi() { return &api; }
extern "C" int fake_compilations() { return compilations; }
