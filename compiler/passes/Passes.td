// Passes that know no target, in alphabetical order.
#ifndef SECTILE_PASSES
#define SECTILE_PASSES
include "mlir/Pass/PassBase.td"

def ExpandMath : Pass<"expand-math"> {
  let summary = "Expand math operations to arithmetic without library calls";
  let description = [{
    Expects math operations and arith.remf on f32 and f64 scalars and 1-D vectors; leaves arithmetic that needs no library. Results are within 2 units in the
    last place over the full range. Functions of f32 are computed in f64 and rounded once, except exp and exp2, which inner loops wait on.
  }];
  let options = [Option<"hasFma", "fma", "bool", "true", "The target has fused multiply-add instructions">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}
#endif
