// Which operations a kernel may hold when a target lowers it. The dialect's verifiers check each operation for itself; text files may still bring
// operations of other dialects, and types, that no target knows.

#include "compiler/ir/KernelOperations.h"

#include "compiler/ir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace sectile::tile {
namespace {

const llvm::StringSet<> &recordedNames() {
  static const llvm::StringSet<> names = {
#define SECTILE_OP(Code, Name, Operands, Results, Regions, Attributes) Name,
#include "sectile/detail/ops.def"
  };
  return names;
}

bool isKnown(Operation *op) {
  if (isa<TileDialect>(op->getDialect()) || recordedNames().contains(op->getName().getStringRef())) return true;
  // Simplification may leave other element-wise arithmetic.
  return isa<arith::ArithDialect>(op->getDialect()) && op->hasTrait<OpTrait::Elementwise>();
}

LogicalResult check(Operation *op) {
  if (!isKnown(op)) return op->emitOpError("is not an operation of kernels");
  bool ownsViews = isa<TileDialect>(op->getDialect());
  auto good = [&](Type type) { return isTileOrScalarOf(type, isElementType) || (ownsViews && isa<ViewType>(type)); };
  for (Type type : llvm::concat<const Type>(SmallVector<Type>(op->getOperandTypes()), SmallVector<Type>(op->getResultTypes())))
    if (!good(type)) return op->emitOpError() << "has the type " << type << ", which is neither a tile nor a scalar of a kernel";
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Type type : block.getArgumentTypes())
        if (!good(type)) return op->emitOpError() << "has a block argument of type " << type << ", which is neither a tile nor a scalar of a kernel";
  return success();
}

}  // namespace

LogicalResult verifyKernelOperations(KernelOp kernel) {
  WalkResult result = kernel.getBody().walk([](Operation *op) { return failed(check(op)) ? WalkResult::interrupt() : WalkResult::advance(); });
  return failure(result.wasInterrupted());
}

}  // namespace sectile::tile
