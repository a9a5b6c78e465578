// From lowered functions to a shared object in memory.
#pragma once

#include "targets/cpu/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/Support/Error.h"

#include <functional>
#include <vector>

namespace sectile::cpu {

/// Appends the passes that take the result of lower-to-cpu to the LLVM dialect.
void addLlvmPasses(mlir::OpPassManager &passes, const CpuTarget &target);

/// Told of each stage when it is done: its name and a printer of its text.
using StageObserver = std::function<void(llvm::StringRef name, llvm::function_ref<void(llvm::raw_ostream &)> print)>;

/// Translates an LLVM-dialect module, optimises it (`level` 0 to 3) and links it to an ELF shared object without undefined symbols.
/// On failure returns an error with LLVM's or lld's words; a program that LLVM refuses (report_fatal_error) is an error too.
llvm::Expected<std::vector<uint8_t>> emitSharedObject(mlir::ModuleOp module, const CpuTarget &target, int level, const StageObserver &observe);

}  // namespace sectile::cpu
