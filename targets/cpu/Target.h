// What the CPU target knows of a machine: the level of the instruction set and the width of its vectors.
#pragma once

#include "compiler/lowering/Numerics.h"

#include <optional>
#include <string>

namespace sectile::cpu {

struct CpuTarget {
  std::string level;      // "x86-64-v2", "x86-64-v3", "x86-64-v4" or "native"
  std::string cpu;        // LLVM's name of the processor
  std::string features;   // LLVM's feature string
  int64_t vectorBytes = 16;
  int64_t vectorRegisters = 16;
  bool fma = false;
  lowering::NumericTarget numeric;

  /// Lanes of 32-bit elements in one native vector.
  int64_t lanes() const { return vectorBytes / 4; }

  /// Null for an unknown level; `native` asks the machine the compiler runs on.
  static std::optional<CpuTarget> get(llvm::StringRef level);
};

}  // namespace sectile::cpu
