// What a person sees while a kernel runs.
#ifndef SECTILE_TILE_DEBUG_OPS
#define SECTILE_TILE_DEBUG_OPS
include "TileBase.td"

def Tile_PrintOp : Tile_Op<"print", [MemoryEffects<[MemWrite]>]> {
  let summary = "Print a text and values from the running kernel";
  let arguments = (ins StrAttr:$text, Variadic<Tile_Value>:$values, OptionalAttr<StrAttr>:$formats);
  let assemblyFormat = "$text ($values^ `:` type($values))? attr-dict";
}

def Tile_AssertOp : Tile_Op<"assert", [MemoryEffects<[MemWrite]>]> {
  let summary = "Report when a condition is false for any element";
  let description = [{ The launch fails with `text`, the source location and the program's coordinates; memory is still only touched inside views. }];
  let arguments = (ins Tile_BoolValue:$condition, StrAttr:$text);
  let assemblyFormat = "$condition `,` $text attr-dict `:` type($condition)";
  let hasCanonicalizeMethod = 1;
}
#endif
