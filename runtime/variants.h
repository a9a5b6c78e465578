// Compiled variants of kernels, and the in-memory cache of them.
#pragma once

#include "runtime/arguments.h"
#include "runtime/device_state.h"
#include "sectile/runtime.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sectile::detail {

/// One kernel compiled for one device (or only for a target) under certain facts.
struct Compiled {
  DeviceState* device = nullptr;             ///< null: compiled for a target, not loaded
  std::string kernel_name;                   ///< KernelInfo::name; with the address it tells a kernel from one loaded at its place later
  std::string name;                          ///< readable
  format::Recipe recipe;
  std::uint64_t arena_bytes = 0;
  std::unique_ptr<drivers::Module> module;
  std::vector<Stage> stages;
  std::string trace;
  std::atomic<long> references = 0;  ///< of CompiledKernel objects
  std::shared_ptr<Compiled> self;    ///< keeps it alive while there are any
};

/// "vector_add<256>" out of a compiler's pretty function name.
std::string readable_name(const char* name);

/// Records, compiles and, given a device, loads a kernel. `facts` may be null: nothing is assumed.
std::shared_ptr<Compiled> build(const KernelInfo& kernel, const std::string& target, DeviceState* device, const runtime::Facts* facts,
                                const std::string& options);

/// The variant of a kernel for a device and facts; compiles it when there is none. Each variant is compiled once, other threads that want it
/// wait; a failed compilation is forgotten. Variants live as long as the process. One probe, and no lock or allocation, when this thread
/// has launched the variant lately.
Compiled& find_variant(const KernelInfo& kernel, DeviceState& device, const runtime::Facts& facts);

}  // namespace sectile::detail
