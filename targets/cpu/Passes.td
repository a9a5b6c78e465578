// Passes of the CPU target, in alphabetical order.
#ifndef SECTILE_CPU_PASSES
#define SECTILE_CPU_PASSES
include "mlir/Pass/PassBase.td"

def LowerToCpu : Pass<"lower-to-cpu", "::mlir::ModuleOp"> {
  let summary = "Lower kernels to loops over native vectors";
  let description = [{
    Every tile.kernel becomes a func.func with the signature of runtime/format/cpu_abi.h, of scf, arith, math, vector and llvm operations. The function's
    attributes `tile.arena_bytes` and `tile.sites` say how much scratch it needs and what it prints and asserts.
  }];
  let options = [Option<"level", "level", "std::string", "\"x86-64-v3\"", "x86-64-v2, x86-64-v3, x86-64-v4 or native">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::func::FuncDialect"];
}
#endif
