// Casts and total integer arithmetic: verifiers and folds.

#include "compiler/ir/Verify.h"

#include "mlir/Dialect/CommonFolders.h"

using namespace mlir;
using namespace sectile::tile;

LogicalResult CastOp::verify() { return verifySameShape(*this, getSource().getType(), getResult().getType(), "source and result"); }

/// The one correct rounding of tile.cast on constants of integer and wide float types; null where it is left to run time.
OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  Type from = elementType(getSource().getType()), to = elementType(getResult().getType());
  if (from == to && getSourceUnsigned() == getResultUnsigned()) return getSource();
  auto scalar = dyn_cast_or_null<IntegerAttr>(adaptor.getSource());
  if (!scalar || !from.isIntOrIndex() || !isElementType(getResult().getType())) return {};
  APInt value = scalar.getValue();
  bool isUnsigned = from.isInteger(1) || (getSourceUnsigned() && !from.isIndex());
  if (to.isInteger(1)) return IntegerAttr::get(to, value.isZero() ? 0 : 1);
  if (to.isIntOrIndex()) {
    unsigned width = to.isIndex() ? 64 : to.getIntOrFloatBitWidth();
    return IntegerAttr::get(to, isUnsigned ? value.zextOrTrunc(width) : value.sextOrTrunc(width));
  }
  if (!to.isF32() && !to.isF64()) return {};
  APFloat result(cast<FloatType>(to).getFloatSemantics());
  result.convertFromAPInt(value, !isUnsigned, APFloat::rmNearestTiesToEven);
  return FloatAttr::get(to, result);
}

static OpFoldResult foldDivision(Attribute lhs, Attribute rhs, bool isUnsigned, bool remainder) {
  auto left = dyn_cast_or_null<IntegerAttr>(lhs), right = dyn_cast_or_null<IntegerAttr>(rhs);
  if (!left || !right || right.getValue().isZero()) return {};
  const APInt &a = left.getValue(), &b = right.getValue();
  if (isUnsigned) return IntegerAttr::get(left.getType(), remainder ? a.urem(b) : a.udiv(b));
  if (b.isAllOnes()) return IntegerAttr::get(left.getType(), remainder ? APInt(a.getBitWidth(), 0) : -a);
  return IntegerAttr::get(left.getType(), remainder ? a.srem(b) : a.sdiv(b));
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(adaptor.getRhs(), m_One()) && !getType().isInteger(1)) return getLhs();
  return foldDivision(adaptor.getLhs(), adaptor.getRhs(), getIsUnsigned(), false);
}
OpFoldResult RemOp::fold(FoldAdaptor adaptor) { return foldDivision(adaptor.getLhs(), adaptor.getRhs(), getIsUnsigned(), true); }
