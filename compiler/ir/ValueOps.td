// Element-wise operations whose meaning is total, unlike upstream's.
#ifndef SECTILE_TILE_VALUE_OPS
#define SECTILE_TILE_VALUE_OPS
include "TileBase.td"

def Tile_CastOp : Tile_PureOp<"cast"> {
  let summary = "Convert between any two element types";
  let description = [{
    Shapes are equal. `source_unsigned` / `result_unsigned` give the signedness of integer types (i1 is always unsigned, index always signed).
    * integer to integer: truncate or extend by the source's signedness. To i1: `x != 0`.
    * integer to float: rounded to nearest even once, from the exact value (to f8: saturates). Overflow to infinity for f16.
    * float to integer: truncated towards zero, saturated to the result's range, NaN gives 0. To i1: `x != 0` (NaN is true).
    * float to float: rounded to nearest even once. To f8: finite overflow and infinities saturate to the largest finite value, NaN stays NaN.
      To other floats: overflow gives infinity. NaN stays NaN (quiet; payload unspecified).
  }];
  let arguments = (ins Tile_Value:$source, UnitAttr:$source_unsigned, UnitAttr:$result_unsigned);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

class Tile_IntBinaryOp<string mnemonic, dag attributes = (ins)> : Tile_PureOp<mnemonic, [SameOperandsAndResultType]> {
  let arguments = !con((ins Tile_IntValue:$lhs, Tile_IntValue:$rhs), attributes);
  let results = (outs Tile_IntValue:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

def Tile_DivOp : Tile_IntBinaryOp<"div", (ins UnitAttr:$is_unsigned)> {
  let summary = "Integer division, truncating towards zero";
  let description = [{ As C++, but total: `x / 0` is unspecified (some value, no trap) and `INT_MIN / -1` is `INT_MIN`. }];
  let hasFolder = 1;
}
def Tile_RemOp : Tile_IntBinaryOp<"rem", (ins UnitAttr:$is_unsigned)> {
  let summary = "Integer remainder, with the sign of the dividend";
  let description = [{ As C++, but total: `x % 0` is unspecified (some value, no trap) and `INT_MIN % -1` is 0. }];
  let hasFolder = 1;
}
def Tile_ShlOp : Tile_IntBinaryOp<"shl"> {
  let summary = "Shift left";
  let description = [{ The amount is taken as unsigned; amounts >= the width give 0. }];
}
def Tile_ShrOp : Tile_IntBinaryOp<"shr", (ins UnitAttr:$is_unsigned)> {
  let summary = "Shift right, arithmetic unless `is_unsigned`";
  let description = [{ The amount is taken as unsigned; amounts >= the width give 0 (`is_unsigned`) or the sign repeated. }];
}
def Tile_MulHiOp : Tile_IntBinaryOp<"mulhi", (ins UnitAttr:$is_unsigned)> {
  let summary = "Upper half of the double-width product";
}
#endif
