// The CPU driver: kernels are shared objects loaded from memory; programs run over a oneTBB pool.

#include "runtime/drivers/driver.h"
#include "runtime/format/cpu_abi.h"
#include "sectile/error.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace sectile::drivers {
namespace {

struct CpuModule : Module {
  void* library = nullptr;
  sectile_cpu_kernel entry = nullptr;
  std::uint64_t arena_bytes = 0;
  bool in_order = false;
  std::vector<format::Site> sites;
  ~CpuModule() override {
    if (library) dlclose(library);
  }
};

/// Scratch of the calling thread, at least `bytes` long, 64-byte aligned; grows and is kept.
char* thread_arena(std::uint64_t bytes) {
  struct Arena {
    char* memory = nullptr;
    std::uint64_t size = 0;
    ~Arena() { std::free(memory); }
  };
  static thread_local Arena arena;
  if (arena.size < bytes) {
    std::free(arena.memory);
    arena.size = (bytes + 4095) / 4096 * 4096;
    arena.memory = static_cast<char*>(std::aligned_alloc(64, arena.size));
    if (!arena.memory) {
      arena.size = 0;
      throw TargetError("no memory for " + std::to_string(bytes) + " bytes of scratch per thread; use smaller tiles", "");
    }
  }
  return arena.memory;
}

/// A path of an open file that no earlier call has given. The dynamic loader takes a library of the same path for the one it has, but descriptor numbers come
/// again; so a serial number is spelled into the path with redundant separators, one bit a pair.
std::string unique_path(int file) {
  static std::atomic<std::uint32_t> serial{0};
  std::string path = "/proc/self/fd";
  for (std::uint32_t number = serial.fetch_add(1), bit = 0; bit < 32; ++bit) path += number >> bit & 1 ? "/./" : "//";
  return path + std::to_string(file);
}

int thread_count() {
  static const int count = [] {
    const char* text = std::getenv("SECTILE_NUM_THREADS");
    if (!text || !*text) return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    char* end = nullptr;
    errno = 0;
    long value = std::strtol(text, &end, 10);
    if (errno || *end || value < 1 || value > 4096) return -1;
    return static_cast<int>(value);
  }();
  if (count < 0) throw UserError("SECTILE_NUM_THREADS is '" + std::string(std::getenv("SECTILE_NUM_THREADS")) + "'; set it to a number from 1 to 4096, or unset it", "");
  return count;
}

void append_value(std::string& out, ScalarType type, const char* data, std::int64_t i) {
  char text[64];
  auto read = [&](auto zero) {
    std::memcpy(&zero, data + i * static_cast<std::int64_t>(sizeof zero), sizeof zero);
    return zero;
  };
  switch (type) {
    case ScalarType::f32: std::snprintf(text, sizeof text, "%g", static_cast<double>(read(0.0f))); break;
    case ScalarType::f64: std::snprintf(text, sizeof text, "%g", read(0.0)); break;
    case ScalarType::boolean: std::snprintf(text, sizeof text, "%s", read(char{0}) ? "true" : "false"); break;
    case ScalarType::i8: case ScalarType::u8: std::snprintf(text, sizeof text, "%d", read(std::int8_t{0})); break;
    case ScalarType::i16: case ScalarType::u16: std::snprintf(text, sizeof text, "%d", read(std::int16_t{0})); break;
    case ScalarType::i32: case ScalarType::u32: std::snprintf(text, sizeof text, "%d", read(std::int32_t{0})); break;
    default: std::snprintf(text, sizeof text, "%" PRId64, read(std::int64_t{0})); break;
  }
  out += text;
}

/// Nested brackets, row-major.
void append_tile(std::string& out, const format::Site::Value& value, const char* data, std::size_t axis, std::int64_t& next) {
  if (axis == value.shape.size()) return append_value(out, value.type, data, next++);
  out += "[";
  for (std::int64_t i = 0; i < value.shape[axis]; ++i) {
    if (i) out += ", ";
    append_tile(out, value, data, axis + 1, next);
  }
  out += "]";
}

/// One launch: collects failed assertions, prints.
struct Run {
  const CpuModule& module;
  std::size_t rank;
  std::mutex mutex;
  std::string failure;
  std::int64_t failures = 0;
  std::string failure_where;

  std::string program_text(const std::int64_t* program) const {
    std::string text = "(";
    for (std::size_t i = 0; i < rank; ++i) text += (i ? ", " : "") + std::to_string(program[i]);
    return text + ")";
  }
  static void print(void* self, std::int64_t site, const void* const* values, const std::int64_t* program) {
    Run& run = *static_cast<Run*>(self);
    const format::Site& info = run.module.sites[static_cast<std::size_t>(site)];
    std::string line = run.program_text(program) + " " + info.text;
    for (std::size_t i = 0; i < info.values.size(); ++i) {
      line += " ";
      std::int64_t next = 0;
      append_tile(line, info.values[i], static_cast<const char*>(values[i]), 0, next);
    }
    line += "\n";
    std::lock_guard<std::mutex> lock(run.mutex);
    std::fwrite(line.data(), 1, line.size(), stdout);
  }
  static void failed(void* self, std::int64_t site, const std::int64_t* program) {
    Run& run = *static_cast<Run*>(self);
    const format::Site& info = run.module.sites[static_cast<std::size_t>(site)];
    std::lock_guard<std::mutex> lock(run.mutex);
    if (run.failures++ == 0) {
      run.failure = "device assertion failed in program " + run.program_text(program) + ": " + info.text;
      run.failure_where = info.location;
    }
  }
};

class CpuDriver : public Driver {
 public:
  std::unique_ptr<Module> load(const format::Image& image) override {
    auto module = std::make_unique<CpuModule>();
    int file = memfd_create("sectile-kernel", MFD_CLOEXEC);
    if (file < 0) throw InternalError(std::string("cannot create an in-memory file for a kernel: ") + std::strerror(errno), "");
    std::string path = unique_path(file);
    std::size_t written = 0;
    while (written < image.code.size()) {
      ssize_t count = write(file, image.code.data() + written, image.code.size() - written);
      if (count <= 0) break;
      written += static_cast<std::size_t>(count);
    }
    if (written == image.code.size()) module->library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    std::string problem = written != image.code.size() ? "cannot write the in-memory file" : module->library ? "" : dlerror();
    close(file);
    if (!problem.empty()) throw InternalError("cannot load a compiled kernel: " + problem, "");
    module->entry = reinterpret_cast<sectile_cpu_kernel>(dlsym(module->library, image.symbol.c_str()));
    if (!module->entry) throw InternalError("a compiled kernel lacks its entry point " + image.symbol, "");
    module->arena_bytes = image.arena_bytes;
    module->in_order = image.recipe.in_order;
    module->sites = image.sites;
    return module;
  }

  void launch(Module& base, std::span<const std::int64_t> slots, std::span<const std::int64_t> extents) override {
    auto& module = static_cast<CpuModule&>(base);
    std::int64_t total = 1;
    for (std::int64_t extent : extents) total *= extent;
    int threads = thread_count();
    Run run{module, extents.size(), {}, {}, 0, {}};
    sectile_host host{&run, &Run::print, &Run::failed};
    auto programs = [&](std::int64_t first, std::int64_t last) { module.entry(slots.data(), first, last, thread_arena(module.arena_bytes), &host); };
    if (total == 1 || threads == 1) programs(0, total);
    else run_parallel(module, total, threads, programs);
    if (run.failures > 0)
      throw ExecutionError(run.failure + (run.failures > 1 ? " (and " + std::to_string(run.failures - 1) + " more)" : ""), run.failure_where);
  }

 private:
  template <typename F>
  void run_parallel(const CpuModule& module, std::int64_t total, int threads, const F& programs) {
    static tbb::task_arena arena(threads);
    std::atomic<std::int64_t> next{0};
    arena.execute([&] {
      if (module.in_order) {
        // Each worker takes the next program in increasing order, so that a program's predecessors have all started.
        std::int64_t workers = std::min<std::int64_t>(threads, total);
        tbb::parallel_for(std::int64_t{0}, workers, [&](std::int64_t) {
          for (std::int64_t program; (program = next.fetch_add(1)) < total;) programs(program, program + 1);
        });
        return;
      }
      std::int64_t grain = std::max<std::int64_t>(1, total / (static_cast<std::int64_t>(threads) * 8));
      tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, total, static_cast<std::size_t>(grain)),
                        [&](const tbb::blocked_range<std::int64_t>& part) { programs(part.begin(), part.end()); });
    });
  }
};

}  // namespace

std::unique_ptr<Driver> make_cpu_driver() { return std::make_unique<CpuDriver>(); }

}  // namespace sectile::drivers
