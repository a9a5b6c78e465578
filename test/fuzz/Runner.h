// Runs a generated program compiled for the CPU and through the evaluator, on equal memory, and compares every byte.
#pragma once

#include "Generator.h"

#include "runtime/format/cpu_abi.h"

#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace sectile::fuzz {

/// Compiled kernels of one module.
class Batch {
 public:
  Batch() = default;
  Batch(const Batch &) = delete;
  ~Batch();
  /// Lowers (and destroys) the module's kernels for this machine.
  llvm::Error compile(mlir::ModuleOp module, const std::string &level);
  struct Kernel {
    sectile_cpu_kernel entry = nullptr;
    int64_t arenaBytes = 0;
  };
  llvm::Expected<Kernel> find(const std::string &name) const;

 private:
  void *library = nullptr;
  std::vector<std::pair<std::string, int64_t>> arenas;
};

/// The memory of one run: every view between guard zones of all-one bytes, gaps filled with them too.
class Memory {
 public:
  explicit Memory(const Program &program);
  std::vector<int64_t> slots(const Program &program) const;
  char *data(size_t parameter) { return storage[parameter].data() + guardBytes; }
  /// What differs, or nothing. Elements of approximate views may be 4 units in the last place apart.
  std::optional<std::string> difference(const Program &program, Memory &other);

 private:
  static constexpr size_t guardBytes = 512;
  std::vector<std::vector<char>> storage;
  std::vector<uint64_t> scalars;
  friend llvm::Error evaluated(const Program &program, Memory &memory);
};

/// Runs the evaluator on the memory.
llvm::Error evaluated(const Program &program, Memory &memory);
/// Number of programs of the kernel's grid, whose extents and steps are constants.
std::vector<int64_t> gridOf(tile::KernelOp kernel);

}  // namespace sectile::fuzz
