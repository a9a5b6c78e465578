// Making and rearranging tiles.
#ifndef SECTILE_TILE_SHAPE_OPS
#define SECTILE_TILE_SHAPE_OPS
include "TileBase.td"

def Tile_IotaOp : Tile_PureOp<"iota"> {
  let summary = "The index along one axis";
  let description = [{ `result[..., i, ...] = i` with `i` the index on `axis`. Element type index. }];
  let arguments = (ins I64Attr:$axis);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_SplatOp : Tile_PureOp<"splat"> {
  let summary = "A tile with every element equal to a scalar";
  let arguments = (ins Tile_Scalar:$value);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_BroadcastOp : Tile_PureOp<"broadcast"> {
  let summary = "Repeat axes of size 1";
  let description = [{ Same rank; each axis of the source equals the result's or is 1. }];
  let arguments = (ins Tile_Tile:$source);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ReshapeOp : Tile_PureOp<"reshape"> {
  let summary = "Another shape of the same elements in row-major order";
  let description = [{ Element counts are equal. A tile of one element may become a scalar and the reverse. }];
  let arguments = (ins Tile_Value:$source);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_TransposeOp : Tile_PureOp<"transpose"> {
  let summary = "Permute axes";
  let description = [{ Axis `i` of the result is axis `permutation[i]` of the source. }];
  let arguments = (ins Tile_Tile:$source, DenseI64ArrayAttr:$permutation);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source $permutation attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_JoinOp : Tile_PureOp<"join"> {
  let summary = "Stack two tiles along a new last axis of size 2";
  let description = [{ `result[..., 0] = lhs[...]`, `result[..., 1] = rhs[...]`. Scalars give a tile of shape 2. }];
  let arguments = (ins Tile_Value:$lhs, Tile_Value:$rhs);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_SplitOp : Tile_PureOp<"split"> {
  let summary = "Undo join: the two halves of a last axis of size 2";
  let arguments = (ins Tile_Tile:$source);
  let results = (outs Tile_Value:$first, Tile_Value:$second);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($first) `,` type($second)";
  let hasVerifier = 1;
}

def Tile_CatOp : Tile_PureOp<"cat"> {
  let summary = "Concatenate tiles along an axis";
  let arguments = (ins Variadic<Tile_Tile>:$sources, I64Attr:$axis);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$sources `axis` `` `=` `` $axis attr-dict `:` type($sources) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ExtractOp : Tile_PureOp<"extract"> {
  let summary = "A part of a tile at run-time offsets";
  let description = [{ `result[i, ...] = source[offset0 + i, ...]`, 0 outside the source. A scalar result is one element. One offset per axis. }];
  let arguments = (ins Tile_Tile:$source, Variadic<Index>:$offsets);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = "$source `[` $offsets `]` attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_GatherAlongOp : Tile_PureOp<"gather_along"> {
  let summary = "Pick elements of a tile along one axis by index";
  let description = [{
    `result[.., i, ..] = source[.., indices[.., i, ..], ..]` on `axis`, 0 where the index is outside. Indices (any integer type, taken as signed) and result
    have one shape, which equals the source's on all other axes.
  }];
  let arguments = (ins Tile_Tile:$source, Tile_Tile:$indices, I64Attr:$axis);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source `[` $indices `]` `axis` `` `=` `` $axis attr-dict `:` type($source) `,` type($indices) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_HistogramOp : Tile_PureOp<"histogram"> {
  let summary = "Count values";
  let description = [{
    `result[b]` is the number of elements equal to `b` (taken as signed, i1 as 0 or 1), with `mask` true where given. Values outside 0 ... bins-1 are not counted. Result: tensor<bins x i32>.
  }];
  let arguments = (ins Tile_Tile:$source, Optional<Tile_Tile>:$mask);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source (`mask` `(` $mask^ `:` type($mask) `)`)? attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_FlipOp : Tile_PureOp<"flip", [SameOperandsAndResultType]> {
  let summary = "Reverse one axis";
  let arguments = (ins Tile_Tile:$source, I64Attr:$axis);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source `axis` `` `=` `` $axis attr-dict `:` type($source)";
  let hasVerifier = 1;
}
#endif
