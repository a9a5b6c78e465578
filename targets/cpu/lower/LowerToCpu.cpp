// Pass `lower-to-cpu`. Expects canonical kernels; leaves functions of scf, arith, math, vector and llvm operations, no tile operation.

#include "targets/cpu/lower/LowerToCpu.h"

#include "targets/cpu/lower/Lowering.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace sectile::cpu {
namespace {

struct LowerToCpu : PassWrapper<LowerToCpu, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerToCpu)
  explicit LowerToCpu(const CpuTarget &target) : target(target) {}

  StringRef getArgument() const override { return "lower-to-cpu"; }
  StringRef getDescription() const override { return "Lower kernels to loops over native vectors"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, math::MathDialect, scf::SCFDialect, vector::VectorDialect, LLVM::LLVMDialect, func::FuncDialect>();
  }

  void runOnOperation() override {
    for (auto kernel : llvm::make_early_inc_range(getOperation().getOps<tile::KernelOp>())) {
      OpBuilder builder(kernel);
      if (failed(KernelLowering(kernel, target, builder).run())) return signalPassFailure();
      kernel.erase();
    }
  }

  CpuTarget target;
};

}  // namespace

std::unique_ptr<Pass> createLowerToCpuPass(const CpuTarget &target) { return std::make_unique<LowerToCpu>(target); }

}  // namespace sectile::cpu
