// Registration of the `tile` dialect, its types, and helpers on tile types.

#include "compiler/ir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sectile::tile;

#include "compiler/ir/TileDialect.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "compiler/ir/TileTypes.cpp.inc"

void TileDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "compiler/ir/TileTypes.cpp.inc"
      >();
  registerOperations();
}

Operation *TileDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

LogicalResult TileDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() != kStages) return success();
  if (!isa<scf::ForOp, scf::WhileOp>(op)) return op->emitOpError() << "is no loop and takes no `" << kStages << "`";
  auto stages = dyn_cast<IntegerAttr>(attribute.getValue());
  if (!stages || !stages.getType().isSignlessInteger(64) || stages.getInt() < 1)
    return op->emitOpError() << "takes an i64 of at least 1 as `" << kStages << "`, not " << attribute.getValue();
  return success();
}

namespace sectile::tile {

bool isElementType(Type type) {
  if (type.isIndex()) return true;
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() && llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type, Float8E4M3FNType, Float8E5M2Type>(type);
}

bool isTile(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getRank() < 1 || !isElementType(tensor.getElementType())) return false;
  int64_t count = 1;
  for (int64_t size : tensor.getShape()) {
    if (size < 1 || size >= kMostElements) return false;
    if ((count *= size) >= kMostElements) return false;
  }
  return true;
}

bool isTileOrScalarOf(Type type, llvm::function_ref<bool(Type)> element) {
  return (isTile(type) || isElementType(type)) && element(elementType(type));
}

Type elementType(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type)) return tensor.getElementType();
  return type;
}

llvm::ArrayRef<int64_t> shapeOf(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type)) return tensor.getShape();
  return {};
}

Type tileType(llvm::ArrayRef<int64_t> shape, Type element) {
  return shape.empty() ? element : Type(RankedTensorType::get(shape, element));
}

int64_t elementCount(Type type) {
  int64_t count = 1;
  for (int64_t size : shapeOf(type)) count *= size;
  return count;
}

std::string locationText(Location loc) {
  if (auto file = dyn_cast<FileLineColLoc>(loc))
    return llvm::formatv("{0}:{1}:{2}", file.getFilename().getValue(), file.getLine(), file.getColumn());
  if (auto name = dyn_cast<NameLoc>(loc)) return locationText(name.getChildLoc());
  if (auto call = dyn_cast<CallSiteLoc>(loc)) return locationText(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (std::string text = locationText(part); !text.empty()) return text;
  return "";
}

LogicalResult ViewType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t rank, Type element, bool) {
  if (rank < 1 || rank > 5) return emitError() << "a view has rank 1 to 5, not " << rank;
  if (!isElementType(element)) return emitError() << element << " is not an element type of a view";
  return success();
}

// view<2 x f32> or view<2 x f32, readonly>
Type ViewType::parse(AsmParser &parser) {
  int64_t rank = 0;
  Type element;
  bool readonly = false;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseInteger(rank) || parser.parseKeyword("x") || parser.parseType(element)) return {};
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseKeyword("readonly")) return {};
    readonly = true;
  }
  if (parser.parseGreater()) return {};
  return parser.getChecked<ViewType>(loc, parser.getContext(), rank, element, readonly);
}

void ViewType::print(AsmPrinter &printer) const {
  printer << "<" << getRank() << " x " << getElementType() << (getReadonly() ? ", readonly>" : ">");
}

}  // namespace sectile::tile
