// Pass `lower-to-cpu`. Expects canonical kernels; leaves functions of scf, arith, math, vector and llvm operations, no tile operation.

#include "targets/cpu/lower/LowerToCpu.h"

#include "compiler/ir/KernelOperations.h"
#include "targets/cpu/lower/Lowering.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace sectile::cpu {
#define GEN_PASS_DEF_LOWERTOCPU
#include "targets/cpu/Passes.h.inc"
namespace {

struct LowerToCpu : impl::LowerToCpuBase<LowerToCpu> {
  using LowerToCpuBase::LowerToCpuBase;

  void runOnOperation() override {
    std::optional<CpuTarget> target = CpuTarget::get(level);
    if (!target) {
      getOperation().emitError() << "unknown level '" << level << "'; known are x86-64-v2, x86-64-v3, x86-64-v4 and native";
      return signalPassFailure();
    }
    for (auto kernel : llvm::make_early_inc_range(getOperation().getOps<tile::KernelOp>())) {
      OpBuilder builder(kernel);
      if (failed(tile::verifyKernelOperations(kernel)) || failed(KernelLowering(kernel, *target, builder).run())) return signalPassFailure();
      kernel.erase();
    }
  }
};

}  // namespace
}  // namespace sectile::cpu
