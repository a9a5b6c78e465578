// The CPU driver: kernels are shared objects loaded from memory; programs run over a oneTBB pool. Launches are synchronous.

#include "runtime/drivers/cpu/memory_library.h"
#include "runtime/drivers/cpu/print_values.h"
#include "runtime/drivers/cpu/threads.h"
#include "runtime/drivers/driver.h"
#include "runtime/format/cpu_abi.h"
#include "sectile/error.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>

namespace sectile::drivers {
namespace {

struct CpuModule : Module {
  explicit CpuModule(const format::Image& image)
      : library(image.code), arena_bytes(image.arena_bytes), in_order(image.recipe.in_order), sites(image.sites) {}
  MemoryLibrary library;
  sectile_cpu_kernel entry = nullptr;
  std::uint64_t arena_bytes;
  bool in_order;
  std::vector<format::Site> sites;
};

/// Scratch of the calling thread, at least `bytes` long, 64-byte aligned; grows and is kept.
char* thread_arena(std::uint64_t bytes) {
  struct Arena {
    char* memory = nullptr;
    std::uint64_t size = 0;
    ~Arena() { std::free(memory); }
  };
  static thread_local Arena arena;
  if (arena.size >= bytes) return arena.memory;
  std::free(arena.memory);
  arena = {};
  constexpr std::uint64_t page = 4096, most = std::uint64_t{1} << 46;
  if (bytes <= most) arena.memory = static_cast<char*>(std::aligned_alloc(64, (bytes + page - 1) / page * page));
  if (!arena.memory) throw TargetError("no memory for " + std::to_string(bytes) + " bytes of scratch per thread; use smaller tiles", "");
  arena.size = (bytes + page - 1) / page * page;
  return arena.memory;
}

/// One launch: prints, and collects failed assertions. The callbacks run below kernel code and never throw.
struct Run {
  const CpuModule& module;
  std::size_t rank;
  std::mutex mutex;
  std::string failure;
  std::int64_t failures = 0;
  std::string failure_where;

  const format::Site* find(std::int64_t site) const {
    return site >= 0 && static_cast<std::size_t>(site) < module.sites.size() ? &module.sites[static_cast<std::size_t>(site)] : nullptr;
  }
  std::string program_text(const std::int64_t* program) const {
    std::string text = "(";
    for (std::size_t i = 0; i < rank; ++i) text += (i ? ", " : "") + std::to_string(program[i]);
    return text + ")";
  }
  static void print(void* self, std::int64_t site, const void* const* values, const std::int64_t* program) noexcept {
    Run& run = *static_cast<Run*>(self);
    const format::Site* info = run.find(site);
    if (!info) return;
    try {
      std::string line = run.program_text(program) + " " + info->text;
      for (std::size_t i = 0; i < info->values.size(); ++i) append_value(line += " ", info->values[i], values[i]);
      line += "\n";
      std::fwrite(line.data(), 1, line.size(), stdout);  // one call: stdio locks the stream
    } catch (const std::bad_alloc&) {
      std::fputs("a device_print was dropped: no memory for its text\n", stderr);
    }
  }
  static void failed(void* self, std::int64_t site, const std::int64_t* program) noexcept {
    Run& run = *static_cast<Run*>(self);
    const format::Site* info = run.find(site);
    std::lock_guard<std::mutex> lock(run.mutex);
    if (run.failures++ > 0) return;
    try {
      run.failure = "device assertion failed in program " + run.program_text(program) + ": " + (info ? info->text : "");
      run.failure_where = info ? info->location : "";
    } catch (const std::bad_alloc&) {
      run.failure.clear();  // thrown without its text
    }
  }
};

/// Hands out programs first … last-1 to a function that may run on many threads at once.
template <typename F>
void run_parallel(std::int64_t total, int threads, bool in_order, const F& programs) {
  // Never destroyed: threads may launch while the process ends.
  static tbb::task_arena& arena = *new tbb::task_arena(threads);
  arena.execute([&] {
    if (in_order) {
      // Each worker takes the next program in increasing order, so that all predecessors of a running program have started.
      std::atomic<std::int64_t> next{0};
      std::int64_t workers = std::min<std::int64_t>(threads, total);
      tbb::parallel_for(std::int64_t{0}, workers, [&](std::int64_t) {
        for (std::int64_t program; (program = next.fetch_add(1, std::memory_order_relaxed)) < total;) programs(program, program + 1);
      });
      return;
    }
    std::int64_t grain = std::max<std::int64_t>(1, total / (static_cast<std::int64_t>(threads) * 8));
    tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, total, static_cast<std::size_t>(grain)),
                      [&](const tbb::blocked_range<std::int64_t>& part) { programs(part.begin(), part.end()); });
  });
}

class CpuDriver : public Driver {
 public:
  const char* name() const override { return "cpu"; }

  std::unique_ptr<Module> load(const format::Image& image) override {
    auto module = std::make_unique<CpuModule>(image);
    module->entry = reinterpret_cast<sectile_cpu_kernel>(module->library.find(image.symbol));
    if (!module->entry) throw InternalError("a compiled kernel lacks its entry point '" + image.symbol + "'", "");
    return module;
  }

  void launch(Module& base, std::span<const std::int64_t> slots, std::span<const std::int64_t> extents) override {
    auto& module = static_cast<CpuModule&>(base);
    std::int64_t total = 1;
    for (std::int64_t extent : extents) total *= extent;
    static const char* const wanted = std::getenv("SECTILE_NUM_THREADS");
    static const int threads = parse_thread_count(wanted);
    Run run{module, extents.size(), {}, {}, 0, {}};
    sectile_host host{&run, &Run::print, &Run::failed};
    auto programs = [&](std::int64_t first, std::int64_t last) { module.entry(slots.data(), first, last, thread_arena(module.arena_bytes), &host); };
    if (total == 1 || threads == 1) programs(0, total);
    else run_parallel(total, threads, module.in_order, programs);
    if (run.failures == 0) return;
    if (run.failures > 1) run.failure += " (and " + std::to_string(run.failures - 1) + " more)";
    throw ExecutionError(run.failure, run.failure_where);
  }

  void synchronize() override {}

  void* allocate(std::size_t bytes) override {
    constexpr std::size_t most = std::size_t{1} << 48;
    void* memory = bytes <= most ? std::aligned_alloc(64, (bytes + 64) / 64 * 64) : nullptr;
    if (!memory) throw UserError("no memory for " + std::to_string(bytes) + " bytes; use a smaller tensor", "");
    return memory;
  }
  void release(void* memory) override { std::free(memory); }
  void copy(void* to, const void* from, std::size_t bytes) override {
    if (bytes) std::memmove(to, from, bytes);
  }
};

}  // namespace

std::unique_ptr<Driver> make_cpu_driver() { return std::make_unique<CpuDriver>(); }

}  // namespace sectile::drivers
