// Loads, stores, gathers, scatters, atomics and fences. Elements outside a view are never touched.
#ifndef SECTILE_TILE_MEMORY_OPS
#define SECTILE_TILE_MEMORY_OPS
include "TileBase.td"

def Tile_LoadOp : Tile_Op<"load", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>]> {
  let summary = "Load a tile at element offsets";
  let description = [{
    `result[i, j, ...] = view[offset0 + i, offset1 + j, ...]` where that is inside the view, else `fill` (0 when absent). Offsets may be negative or
    beyond the end. One offset per axis; a scalar result loads one element. Memory outside the view is never touched.

    ```mlir
    %t = tile.load %v[%row, %k] : !tile.view<2 x f32> -> tensor<128x32xf32>
    %u = tile.load %v[%row, %k] fill(%x) : !tile.view<2 x f32>, f32 -> tensor<128x32xf32>
    ```
  }];
  let arguments = (ins Tile_ViewType:$view, Variadic<Index>:$offsets, Optional<Tile_Scalar>:$fill);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = "$view `[` $offsets `]` (`fill` `(` $fill^ `)`)? attr-dict `:` type($view) (`,` type($fill)^)? `->` type($result)";
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_Op<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "Store a tile at element offsets";
  let description = [{ `view[offset0 + i, ...] = value[i, ...]` where that is inside the view; other elements are dropped. }];
  let arguments = (ins Tile_ViewType:$view, Variadic<Index>:$offsets, Tile_Value:$value);
  let assemblyFormat = "$value `,` $view `[` $offsets `]` attr-dict `:` type($value) `,` type($view)";
  let hasVerifier = 1;
}

def Tile_GatherOp : Tile_Op<"gather", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>]> {
  let summary = "Load elements at computed indices";
  let description = [{
    `result[p] = view[indices0[p], indices1[p], ...]` where `mask[p]` is true (or absent) and the index is inside the view, else `fill` (0 when absent).
    Indices (one per axis), mask and result have one shape, or are all scalars.
  }];
  let arguments = (ins Tile_ViewType:$view, Variadic<Tile_IndexValue>:$indices, Optional<Tile_BoolValue>:$mask, Optional<Tile_Scalar>:$fill);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = [{$view `[` $indices `]` (`mask` `(` $mask^ `:` type($mask) `)`)? (`fill` `(` $fill^ `:` type($fill) `)`)? attr-dict `:` type($view)
                         `,` type($indices) `->` type($result)}];
  let hasVerifier = 1;
}

def Tile_ScatterOp : Tile_Op<"scatter", [AttrSizedOperandSegments, MemoryEffects<[MemWrite]>]> {
  let summary = "Store elements at computed indices";
  let description = [{
    `view[indices0[p], ...] = value[p]` where `mask[p]` is true (or absent) and the index is inside the view. Of several values with one
    target, an unspecified one remains.
  }];
  let arguments = (ins Tile_ViewType:$view, Variadic<Tile_IndexValue>:$indices, Tile_Value:$value, Optional<Tile_BoolValue>:$mask);
  let assemblyFormat = [{$value `,` $view `[` $indices `]` (`mask` `(` $mask^ `:` type($mask) `)`)? attr-dict `:` type($value) `,` type($view)
                         `,` type($indices)}];
  let hasVerifier = 1;
}

def Tile_AtomicRmwOp : Tile_Op<"atomic_rmw", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Atomic read-modify-write of elements at computed indices";
  let description = [{
    For each `p` with `mask[p]` true (or absent) and the index inside the view, once: `old[p] = view[...]; view[...] = kind(old[p], value[p])`, atomically.
    Elsewhere `old[p]` is 0. Kinds: add, min, max, umin, umax (unsigned), and, or, xor, exchange. `min` and `max` of floats propagate NaN.
    Orders: relaxed, acquire, release, acq_rel, seq_cst. Scopes: program, cluster, device, system. Element types: 8- to 64-bit integers, f16, bf16, f32, f64.
    Elements of one tile that name the same target are applied one after the other in an unspecified order.
  }];
  let arguments = (ins Tile_ViewType:$view, Variadic<Tile_IndexValue>:$indices, Tile_Value:$value, Optional<Tile_BoolValue>:$mask, StrAttr:$kind,
                       DefaultValuedAttr<StrAttr, "\"relaxed\"">:$order, DefaultValuedAttr<StrAttr, "\"device\"">:$scope);
  let results = (outs Tile_Value:$old);
  let assemblyFormat = [{$kind $value `,` $view `[` $indices `]` (`mask` `(` $mask^ `:` type($mask) `)`)? attr-dict `:` type($value) `,` type($view)
                         `,` type($indices) `->` type($old)}];
  let hasVerifier = 1;
}

def Tile_AtomicCasOp : Tile_Op<"atomic_cas", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Atomic compare-and-swap of elements at computed indices";
  let description = [{
    For each active element, atomically: `old[p] = view[...]; if (old[p] == expected[p]) view[...] = desired[p]`. Bits are compared (so -0.0 differs
    from 0.0, and a NaN equals itself). Otherwise like `tile.atomic_rmw`.
  }];
  let arguments = (ins Tile_ViewType:$view, Variadic<Tile_IndexValue>:$indices, Tile_Value:$expected, Tile_Value:$desired, Optional<Tile_BoolValue>:$mask,
                       DefaultValuedAttr<StrAttr, "\"relaxed\"">:$order, DefaultValuedAttr<StrAttr, "\"device\"">:$scope);
  let results = (outs Tile_Value:$old);
  let assemblyFormat = [{$expected `,` $desired `,` $view `[` $indices `]` (`mask` `(` $mask^ `:` type($mask) `)`)? attr-dict `:` type($expected) `,`
                         type($desired) `,` type($view) `,` type($indices) `->` type($old)}];
  let hasVerifier = 1;
}

def Tile_FenceOp : Tile_Op<"fence", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Order all memory effects of this program";
  let arguments = (ins DefaultValuedAttr<StrAttr, "\"seq_cst\"">:$order, DefaultValuedAttr<StrAttr, "\"device\"">:$scope);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}
#endif
