// Compiled variants of kernels: a table behind a lock, and in front of it a small table of each thread.

#include "runtime/variants.h"

#include "dsl/src/record.h"
#include "runtime/compiler_library.h"
#include "sectile/error.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <future>
#include <map>
#include <mutex>

namespace sectile::detail {

std::string readable_name(const char* name) {
  std::string text = name ? name : "";
  std::size_t start = text.find("Kernel = ");
  if (start == std::string::npos) return text.empty() ? "kernel" : text;
  text = text.substr(start + 9);
  if (std::size_t end = text.find_last_of(']'); end != std::string::npos) text.resize(end);
  if (text.starts_with('&')) text.erase(0, 1);
  return text;
}

namespace {

/// Identity of a compiled variant within the process.
struct Key {
  const void* kernel = nullptr;
  const DeviceState* device = nullptr;
  runtime::Facts facts;
  bool operator==(const Key&) const = default;
  std::size_t hash() const {
    std::size_t h = reinterpret_cast<std::size_t>(kernel) * 0x9e3779b97f4a7c15u ^ reinterpret_cast<std::size_t>(device);
    for (std::uint64_t word : facts.words) h = (h ^ word ^ (h >> 29)) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 32);
  }
};

bool same_parameters(const KernelInfo& kernel, const std::vector<format::Parameter>& parameters) {
  return static_cast<std::size_t>(kernel.parameter_count) == parameters.size() &&
         std::equal(parameters.begin(), parameters.end(), kernel.parameters, [](const format::Parameter& a, const ParameterInfo& b) {
           return a.is_view == b.is_view && a.readonly == b.readonly && a.element == b.element && (!a.is_view || a.rank == b.rank);
         });
}

/// All variants of the process.
class Variants {
 public:
  std::shared_ptr<Compiled> get(const Key& key, const KernelInfo& kernel, DeviceState& device) {
    std::promise<std::shared_ptr<Compiled>> promise;
    Entry mine{key, kernel.name, promise.get_future().share()};
    std::shared_future<std::shared_ptr<Compiled>> known = insert(mine);
    if (known.valid()) return known.get();
    try {
      promise.set_value(build(kernel, device.target, &device, &key.facts, ""));
    } catch (...) {
      forget(mine);
      promise.set_exception(std::current_exception());
    }
    return mine.result.get();
  }

 private:
  struct Entry {
    Key key;
    std::string kernel_name;
    std::shared_future<std::shared_ptr<Compiled>> result;
    bool same(const Entry& other) const { return key == other.key && kernel_name == other.kernel_name; }
  };

  /// The result of the entry already there; invalid when this one was inserted.
  std::shared_future<std::shared_ptr<Compiled>> insert(const Entry& entry) {
    std::lock_guard<std::mutex> lock(mutex_);
    std::vector<Entry>& bucket = table_[entry.key.hash()];
    for (const Entry& known : bucket)
      if (known.same(entry)) return known.result;
    bucket.push_back(entry);
    return {};
  }
  void forget(const Entry& entry) {
    std::lock_guard<std::mutex> lock(mutex_);
    std::erase_if(table_[entry.key.hash()], [&](const Entry& known) { return known.same(entry); });
  }

  std::mutex mutex_;
  std::map<std::size_t, std::vector<Entry>> table_;
};

Variants& variants() {
  static Variants* all = new Variants;  // never destroyed: threads may launch while the process ends
  return *all;
}

/// A variant this thread launched lately. Plain data, so that it can be used while the thread ends.
struct Recent {
  Key key;
  Compiled* compiled = nullptr;
};

}  // namespace

std::shared_ptr<Compiled> build(const KernelInfo& kernel, const std::string& target, DeviceState* device, const runtime::Facts* facts,
                                const std::string& options) {
  trace::Trace trace = record(kernel);
  auto compiled = std::make_shared<Compiled>();
  compiled->trace = trace::to_text(trace);
  if (const char* print = std::getenv("SECTILE_PRINT_TRACE"); print && std::strcmp(print, "1") == 0) std::fputs(compiled->trace.c_str(), stderr);
  std::vector<SectileParameterFacts> list;
  if (facts) list = facts->list(kernel);
  runtime::Compilation compilation = runtime::compile(trace, list, target, options);
  const format::Image& image = compilation.image;
  compiled->name = readable_name(kernel.name);
  if (image.recipe.extents.empty() || !same_parameters(kernel, image.parameters))
    throw InternalError("the compiler returned an image for other parameters than those of " + compiled->name, "");
  compiled->device = device;
  compiled->kernel_name = kernel.name;
  compiled->recipe = image.recipe;
  compiled->arena_bytes = image.arena_bytes;
  if (device) compiled->module = device->driver->load(image);
  for (runtime::StageText& stage : compilation.stages) compiled->stages.push_back({std::move(stage.name), std::move(stage.text), stage.milliseconds});
  return compiled;
}

Compiled& find_variant(const KernelInfo& kernel, DeviceState& device, const runtime::Facts& facts) {
  static thread_local Recent table[64];
  Key key{kernel.address, &device, facts};
  Recent& recent = table[key.hash() % 64];
  if (!recent.compiled || !(recent.key == key) || recent.compiled->kernel_name != kernel.name) {
    recent.compiled = variants().get(key, kernel, device).get();
    recent.key = key;
  }
  return *recent.compiled;
}

}  // namespace sectile::detail
