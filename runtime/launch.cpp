// Launching: argument checks, facts, the in-memory cache of compiled variants, and the launch recipe.

#include "sectile/runtime.h"

#include "dsl/src/record.h"
#include "runtime/arguments.h"
#include "runtime/compiler_library.h"
#include "runtime/drivers/driver.h"

#include <cstdlib>
#include <future>
#include <map>
#include <mutex>

namespace sectile::detail {

struct DeviceState {
  std::string target;  // "cpu:native"
  std::unique_ptr<drivers::Driver> driver;
};

struct Compiled {
  DeviceState* device = nullptr;
  format::Recipe recipe;
  std::unique_ptr<drivers::Module> module;
  std::vector<Stage> stages;
  std::string trace;
};

namespace {

/// Identity of a compiled variant within the process.
struct Key {
  const void* kernel;
  const DeviceState* device;
  runtime::Facts facts;
  bool operator==(const Key&) const = default;
  std::size_t hash() const {
    std::size_t h = reinterpret_cast<std::size_t>(kernel) * 0x9e3779b97f4a7c15u ^ reinterpret_cast<std::size_t>(device);
    for (std::uint64_t word : facts.words) h = (h ^ word) * 0x9e3779b97f4a7c15u ^ (h >> 29);
    return h;
  }
};

std::shared_ptr<Compiled> build(const KernelInfo& kernel, DeviceState& device, const runtime::Facts* facts, const std::string& options) {
  trace::Trace trace = record(kernel);
  if (const char* print = std::getenv("SECTILE_PRINT_TRACE"); print && *print == '1') std::fputs(trace::to_text(trace).c_str(), stderr);
  std::vector<SectileParameterFacts> list;
  if (facts) list = facts->list(kernel);
  runtime::Compilation compilation = runtime::compile(trace, list, device.target, options);
  auto compiled = std::make_shared<Compiled>();
  compiled->device = &device;
  compiled->recipe = compilation.image.recipe;
  compiled->module = device.driver->load(compilation.image);
  compiled->trace = trace::to_text(trace);
  for (runtime::StageText& stage : compilation.stages) compiled->stages.push_back({stage.name, stage.text, stage.milliseconds});
  return compiled;
}

/// All variants of the process. Each key is compiled once; other threads that want it wait. A failed compilation is forgotten.
class Variants {
 public:
  std::shared_ptr<Compiled> get(const Key& key, const KernelInfo& kernel, DeviceState& device) {
    std::promise<std::shared_ptr<Compiled>> promise;
    std::shared_future<std::shared_ptr<Compiled>> future;
    bool mine = false;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      auto& bucket = variants_[key.hash()];
      for (auto& [known, value] : bucket)
        if (known == key) future = value;
      if (!future.valid()) {
        mine = true;
        future = promise.get_future().share();
        bucket.emplace_back(key, future);
      }
    }
    if (!mine) return future.get();
    try {
      promise.set_value(build(kernel, device, &key.facts, ""));
    } catch (...) {
      promise.set_exception(std::current_exception());
      std::lock_guard<std::mutex> lock(mutex_);
      auto& bucket = variants_[key.hash()];
      std::erase_if(bucket, [&](const auto& entry) { return entry.first == key; });
    }
    return future.get();
  }

 private:
  std::mutex mutex_;
  std::map<std::size_t, std::vector<std::pair<Key, std::shared_future<std::shared_ptr<Compiled>>>>> variants_;
};

Variants& variants() {
  static Variants* all = new Variants;  // never destroyed: threads may launch while the process ends
  return *all;
}

/// The last variants this thread launched: the hot path is one probe here.
struct Recent {
  Key key{};
  std::shared_ptr<Compiled> compiled;
};
Recent& recent(std::size_t hash) {
  static thread_local Recent entries[64];
  return entries[hash % 64];
}

}  // namespace

void launch_compiled(Compiled& compiled, const std::int64_t* slots, int count) {
  std::int64_t all[128];
  std::size_t user = static_cast<std::size_t>(count), rank = compiled.recipe.extents.size();
  if (user + rank > 128) throw UserError("a kernel has too many parameters for a launch: at most 124 words of views and scalars", "");
  std::copy(slots, slots + count, all);
  std::span<const std::int64_t> arguments(all, user);
  for (const format::Check& check : compiled.recipe.checks) {
    format::Evaluated result = format::evaluate(check.expression, arguments);
    if (!result.ok || !result.value) throw UserError(check.message, "");
  }
  std::int64_t total = 1;
  for (std::size_t i = 0; i < rank; ++i) {
    format::Evaluated extent = format::evaluate(compiled.recipe.extents[i], arguments);
    if (!extent.ok) throw UserError("the extent of grid axis " + std::to_string(i) + " cannot be computed from these arguments", "");
    if (extent.value <= 0) return;
    all[user + i] = extent.value;
    if (__builtin_mul_overflow(total, extent.value, &total) || total > (std::int64_t{1} << 62))
      throw UserError("the grid has more than 2^62 programs; the sizes of the arguments or the grid's steps are wrong", "");
  }
  compiled.device->driver->launch(*compiled.module, {all, user + rank}, {all + user, rank});
}

void launch(const KernelInfo& kernel, const Device& device, const std::int64_t* slots, int count) {
  Key key{kernel.address, &device.state(), runtime::gather_facts(kernel, slots)};
  std::size_t hash = key.hash();
  Recent& entry = recent(hash);
  if (!entry.compiled || !(entry.key == key)) {
    entry.compiled = variants().get(key, kernel, device.state());
    entry.key = key;
  }
  Compiled& compiled = *entry.compiled;
  launch_compiled(compiled, slots, count);
}

std::shared_ptr<Compiled> compile(const KernelInfo& kernel, const Device& device, const char* options) {
  return build(kernel, device.state(), nullptr, std::string("stages=1;") + (options ? options : ""));
}

const std::vector<Stage>& stages_of(const Compiled& compiled) { return compiled.stages; }
const std::string& trace_of(const Compiled& compiled) { return compiled.trace; }
void print_stages(const Compiled& compiled, std::FILE* file) {
  std::fprintf(file, "// ---- trace\n%s", compiled.trace.c_str());
  for (const Stage& stage : compiled.stages) std::fprintf(file, "// ---- %s (%.2f ms)\n%s\n", stage.name.c_str(), stage.milliseconds, stage.text.c_str());
}

}  // namespace sectile::detail

namespace sectile {

Device Device::cpu(const char* level) {
  static constexpr const char* levels[] = {"native", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
  static detail::DeviceState* states[4] = {};
  static std::mutex mutex;
  std::string wanted = level ? level : "";
  for (int i = 0; i < 4; ++i) {
    if (wanted != levels[i]) continue;
    bool runs = i == 0 || (i == 1 && __builtin_cpu_supports("sse4.2")) || (i == 2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) ||
                (i == 3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                 __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd"));
    if (!runs) throw UserError("this machine does not run " + wanted + " code; use Device::cpu() for what it has", "");
    std::lock_guard<std::mutex> lock(mutex);
    if (!states[i]) states[i] = new detail::DeviceState{"cpu:" + wanted, drivers::make_cpu_driver()};
    return Device(*states[i]);
  }
  throw UserError("unknown CPU level '" + wanted + "'; use native, x86-64-v2, x86-64-v3 or x86-64-v4", "");
}

const char* Device::name() const { return state_->target.c_str(); }

}  // namespace sectile
