// sectile-opt: runs passes on kernels in MLIR's text or bytecode form, like mlir-opt.

#include "compiler/driver/Dialects.h"
#include "compiler/passes/Passes.h"
#include "targets/cpu/Emit.h"
#include "targets/cpu/lower/LowerToCpu.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  sectile::driver::registerDialects(registry);
  mlir::registerTransformsPasses();
  sectile::passes::registerSectilePasses();
  sectile::cpu::registerSectileCpuPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Sectile's kernel optimiser\n", registry));
}
