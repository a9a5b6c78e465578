// Contractions, reductions, scans and sorting.
#ifndef SECTILE_TILE_REDUCTION_OPS
#define SECTILE_TILE_REDUCTION_OPS
include "TileBase.td"

def Tile_DotOp : Tile_PureOp<"dot", [AllTypesMatch<["acc", "result"]>]> {
  let summary = "Matrix product with accumulator";
  let description = [{
    `result[b, m, n] = acc[b, m, n] + sum over k of a[b, m, k] * b[b, k, n]`; the batch axis is present on all three or on none. Any M, N, K >= 1.
    Element types (a and b may be different f8 types, otherwise they are equal): f16, bf16, f8E4M3FN, f8E5M2, f32 accumulate in f32; f64 in f64; i8 (signed unless `a_unsigned` /
    `b_unsigned`) in i32, wrapping. Sums may be reassociated and contracted to fused multiply-adds; f32 products are IEEE f32 unless `tf32` is given.
    `precise`: operands below f32 keep their denormals exactly on every target.
  }];
  let arguments = (ins Tile_Tile:$a, Tile_Tile:$b, Tile_Tile:$acc, UnitAttr:$a_unsigned, UnitAttr:$b_unsigned, UnitAttr:$tf32, UnitAttr:$precise);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$a `,` $b `,` $acc attr-dict `:` type($a) `,` type($b) `->` type($result)";
  let extraClassDeclaration = [{
    /// 1 when there is no batch axis.
    int64_t getBatch();
    int64_t getM();
    int64_t getN();
    int64_t getK();
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}
// `acc` has the result's type.

def Tile_ReduceOp : Tile_Op<"reduce", [SingleBlock, RecursiveMemoryEffects, RecursivelySpeculatable]> {
  let summary = "Combine all elements along one axis";
  let description = [{
    `n` operands of one shape, `n` results with that shape but size 1 on `axis`. The region combines scalars: its arguments are `n` left and `n` right
    values, and it yields `n` values. The combination may be assumed associative and commutative; it is applied `size - 1` times and never to a neutral element.
    The region holds element-wise operations and constants only.

    ```mlir
    %s = tile.reduce(%x) axis=1 { ^bb0(%a: f32, %b: f32): %c = arith.addf %a, %b : f32  tile.yield %c : f32 } : tensor<4x8xf32> -> tensor<4x1xf32>
    ```
  }];
  let arguments = (ins Variadic<Tile_Tile>:$sources, I64Attr:$axis);
  let results = (outs Variadic<Tile_Tile>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`(` $sources `)` `axis` `` `=` `` $axis attr-dict-with-keyword $body `:` type($sources) `->` type($results)";
  let hasRegionVerifier = 1;
}

def Tile_ScanOp : Tile_Op<"scan", [SingleBlock, RecursiveMemoryEffects, RecursivelySpeculatable]> {
  let summary = "Running combination along one axis";
  let description = [{
    Results have the sources' shape: `result[i] = f(... f(f(x[0], x[1]), x[2]) ..., x[i])`; with `reverse` from the last element down:
    `result[i] = f(... f(x[n-1], x[n-2]) ..., x[i])`. The combination may be assumed associative only. Region as in `tile.reduce`.
  }];
  let arguments = (ins Variadic<Tile_Tile>:$sources, I64Attr:$axis, UnitAttr:$reverse);
  let results = (outs Variadic<Tile_Tile>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`(` $sources `)` `axis` `` `=` `` $axis (`reverse` $reverse^)? attr-dict-with-keyword $body `:` type($sources) `->` type($results)";
  let hasRegionVerifier = 1;
}

def Tile_SortOp : Tile_PureOp<"sort"> {
  let summary = "Sort along one axis";
  let description = [{
    Results: the sorted values, and the i32 index each came from. Stable (equal values keep their order, also when `descending`). NaN counts as greater than
    every number, all NaN as equal; -0.0 equals +0.0. Integers are signed unless `is_unsigned`; i1 is unsigned.
  }];
  let arguments = (ins Tile_Tile:$source, I64Attr:$axis, UnitAttr:$descending, UnitAttr:$is_unsigned);
  let results = (outs Tile_Tile:$values, Tile_Tile:$indices);
  let assemblyFormat = "$source `axis` `` `=` `` $axis attr-dict `:` type($source) `->` type($values) `,` type($indices)";
  let hasVerifier = 1;
}

def Tile_TopKOp : Tile_PureOp<"topk"> {
  let summary = "The first k elements of a sort";
  let description = [{
    Exactly the first k elements (k is the result's size on `axis`) of `tile.sort`, descending when `largest`, else ascending.
  }];
  let arguments = (ins Tile_Tile:$source, I64Attr:$axis, UnitAttr:$largest, UnitAttr:$is_unsigned);
  let results = (outs Tile_Tile:$values, Tile_Tile:$indices);
  let assemblyFormat = "$source `axis` `` `=` `` $axis attr-dict `:` type($source) `->` type($values) `,` type($indices)";
  let hasVerifier = 1;
}
#endif
