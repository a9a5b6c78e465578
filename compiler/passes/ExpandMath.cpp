// Pass `expand-math`. Expects math operations on f32 and f64 scalars and vectors; leaves arithmetic.

#include "compiler/passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Approximation.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace sectile::passes {
namespace {

struct ExpandMath : PassWrapper<ExpandMath, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandMath)
  explicit ExpandMath(bool hasFma) : hasFma(hasFma) {}

  StringRef getArgument() const override { return "expand-math"; }
  StringRef getDescription() const override { return "Expand math operations to arithmetic without library calls"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, math::MathDialect, vector::VectorDialect>();
  }

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateMathPolynomialApproximationPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns)))) signalPassFailure();
  }

  bool hasFma;
};

}  // namespace

std::unique_ptr<Pass> createExpandMathPass(bool hasFma) { return std::make_unique<ExpandMath>(hasFma); }

}  // namespace sectile::passes
