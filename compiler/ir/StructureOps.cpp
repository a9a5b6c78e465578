// Kernel, grid, assertions and their checks; the generated definitions of all operations.

#include "compiler/ir/Dialect.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace sectile::tile;

#define GET_OP_CLASSES
#include "compiler/ir/TileOps.cpp.inc"

void TileDialect::registerOperations() {
  addOperations<
#define GET_OP_LIST
#include "compiler/ir/TileOps.cpp.inc"
      >();
}

void KernelOp::build(OpBuilder &builder, OperationState &state, StringRef name, FunctionType type) {
  state.addAttribute(getSymNameAttrName(state.name), builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  Region *body = state.addRegion();
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(body);
  for (Type argument : type.getInputs()) block->addArgument(argument, state.location);
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> arguments, ArrayRef<Type> results, function_interface_impl::VariadicFlag,
                      std::string &) { return builder.getFunctionType(arguments, results); };
  return function_interface_impl::parseFunctionOp(parser, result, /*allowVariadic=*/false, getFunctionTypeAttrName(result.name), buildType,
                                                  getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void KernelOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(), getArgAttrsAttrName(),
                                           getResAttrsAttrName());
}

GridOp KernelOp::getGrid() {
  for (Operation &op : getBody().front())
    if (auto grid = dyn_cast<GridOp>(op)) return grid;
  return nullptr;
}

/// Coordinates of programs name axes of the grid.
static LogicalResult verifyCoordinates(Region &body, int64_t rank) {
  auto check = [&](Operation *op, int64_t axis) {
    if (axis >= 0 && axis < rank) return WalkResult::advance();
    op->emitOpError() << "names axis " << axis << " of a grid of " << rank << (rank == 1 ? " axis" : " axes");
    return WalkResult::interrupt();
  };
  WalkResult result = body.walk([&](Operation *op) {
    if (auto id = dyn_cast<ProgramIdOp>(op)) return check(op, id.getAxis());
    if (auto count = dyn_cast<NumProgramsOp>(op)) return check(op, count.getAxis());
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult KernelOp::verifyRegions() {
  if (getFunctionType().getNumResults() != 0) return emitOpError("has no results");
  for (Type type : getFunctionType().getInputs())
    if (!isa<ViewType>(type) && !isElementType(type)) return emitOpError() << "parameter of type " << type << " is neither a view nor a scalar";
  GridOp grid;
  WalkResult result = getBody().walk([&](GridOp op) {
    if (op->getParentOp() != getOperation()) {
      op.emitOpError("belongs at the top level of the kernel, outside loops and conditions");
      return WalkResult::interrupt();
    }
    if (grid) {
      InFlightDiagnostic diagnostic = op.emitOpError("is the kernel's second grid; declare it once");
      diagnostic.attachNote(grid.getLoc()) << "the first one is here";
      return WalkResult::interrupt();
    }
    grid = op;
    return WalkResult::advance();
  });
  if (result.wasInterrupted()) return failure();
  if (!grid) return emitOpError("declares no grid; call grid(tiles(extent, step), ...) once, before the first load or store");
  for (Operation &op : getBody().front()) {
    if (&op == grid.getOperation()) break;
    if (!isMemoryEffectFree(&op) && !isa<AssumeOp>(op)) return op.emitOpError("has an effect before the grid; declare the grid first");
  }
  return verifyCoordinates(getBody(), grid.getExtents().size());
}

LogicalResult GridOp::verify() {
  size_t rank = getExtents().size();
  if (rank < 1 || rank > 4) return emitOpError() << "has 1 to 4 axes, not " << rank;
  if (getOffsets().size() != rank) return emitOpError("needs one result per axis");
  return success();
}

LogicalResult AssertOp::canonicalize(AssertOp op, PatternRewriter &rewriter) {
  if (!matchPattern(op.getCondition(), m_One())) return failure();
  rewriter.eraseOp(op);
  return success();
}
