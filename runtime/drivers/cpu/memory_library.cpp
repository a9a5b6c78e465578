// Loads a shared object from bytes: through a memfd, or an unlinked temporary file where there are none.

#include "runtime/drivers/cpu/memory_library.h"

#include "sectile/error.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace sectile::drivers {
namespace {

bool write_all(int file, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    ssize_t count = write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

/// A spelling of /proc/self/fd/<file> that no earlier library had. dlopen takes a path it has seen for the library it opened then, and
/// descriptor numbers are reused; so a counter is spelled out in path components that mean nothing ("/" and "./").
std::string fresh_path(int file) {
  static std::atomic<std::uint64_t> counter{0};
  std::string path = "/proc/self/fd/";
  for (std::uint64_t bits = counter.fetch_add(1) + 1; bits; bits >>= 1) path += bits & 1 ? "./" : "/";
  return path + std::to_string(file);
}

/// Writes to `file`, opens and closes it. Null and a reason when that fails. `path`: of the file, empty for a memfd.
void* open_through(int file, std::string path, std::span<const std::uint8_t> elf, std::string& problem) {
  void* handle = nullptr;
  if (!write_all(file, elf)) {
    problem = std::string("cannot write it: ") + std::strerror(errno);
  } else {
    if (path.empty()) path = fresh_path(file);
    handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) problem = dlerror();
  }
  close(file);
  return handle;
}

}  // namespace

MemoryLibrary::MemoryLibrary(std::span<const std::uint8_t> elf) {
  std::string problem;
  if (int file = memfd_create("sectile-kernel", MFD_CLOEXEC); file >= 0) handle_ = open_through(file, "", elf, problem);
  else problem = std::string("memfd_create: ") + std::strerror(errno);
  if (handle_) return;
  const char* folder = std::getenv("TMPDIR");
  std::string path = std::string(folder && *folder ? folder : "/tmp") + "/sectile-kernel-XXXXXX";
  if (int file = mkostemp(path.data(), O_CLOEXEC); file >= 0) {
    std::string second;
    handle_ = open_through(file, path, elf, second);
    unlink(path.c_str());
  }
  if (!handle_) throw InternalError("cannot load a compiled kernel: " + problem, "");
}

MemoryLibrary::~MemoryLibrary() {
  if (handle_) dlclose(handle_);
}

void* MemoryLibrary::find(const std::string& symbol) const { return dlsym(handle_, symbol.c_str()); }

}  // namespace sectile::drivers
