// Views: structured windows on memory. None of these operations touches memory.
#ifndef SECTILE_TILE_VIEW_OPS
#define SECTILE_TILE_VIEW_OPS
include "TileBase.td"

def Tile_ViewSizeOp : Tile_PureOp<"view_size"> {
  let summary = "Extent of a view on one axis, in elements";
  let arguments = (ins Tile_ViewType:$view, I64Attr:$axis);
  let results = (outs Index:$size);
  let assemblyFormat = "$view $axis attr-dict `:` type($view)";
  let hasVerifier = 1;
}

def Tile_ViewStrideOp : Tile_PureOp<"view_stride"> {
  let summary = "Stride of a view on one axis, in elements";
  let arguments = (ins Tile_ViewType:$view, I64Attr:$axis);
  let results = (outs Index:$stride);
  let assemblyFormat = "$view $axis attr-dict `:` type($view)";
  let hasVerifier = 1;
}

def Tile_ViewSliceOp : Tile_PureOp<"view_slice"> {
  let summary = "Fix the index of one axis";
  let description = [{
    The result lacks `axis`; its origin is the source's element `index` on that axis. An index outside the axis gives an empty view (every
    extent 0), so that loads read the fill value and stores drop. The source has rank >= 2.
  }];
  let arguments = (ins Tile_ViewType:$view, Index:$index, I64Attr:$axis);
  let results = (outs Tile_ViewType:$result);
  let assemblyFormat = "$view $axis `[` $index `]` attr-dict `:` type($view) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ViewTransposeOp : Tile_PureOp<"view_transpose"> {
  let summary = "Permute the axes of a view";
  let description = [{ Axis `i` of the result is axis `permutation[i]` of the source. }];
  let arguments = (ins Tile_ViewType:$view, DenseI64ArrayAttr:$permutation);
  let results = (outs Tile_ViewType:$result);
  let assemblyFormat = "$view $permutation attr-dict `:` type($view) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_SubviewOp : Tile_PureOp<"subview", [SameVariadicOperandSize]> {
  let summary = "A window of a view, possibly strided";
  let description = [{
    Element `i` of an axis of the result is element `offset + i * step` of the source. The extent is `size` clipped so that the window
    stays inside the source: with `offset < 0`, `step <= 0` or nothing left it is 0. One offset, size and step per axis.
  }];
  let arguments = (ins Tile_ViewType:$view, Variadic<Index>:$offsets, Variadic<Index>:$sizes, Variadic<Index>:$steps);
  let results = (outs Tile_ViewType:$result);
  let assemblyFormat = "$view `[` $offsets `]` `[` $sizes `]` `[` $steps `]` attr-dict `:` type($view) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ViewBroadcastOp : Tile_PureOp<"view_broadcast"> {
  let summary = "Add or stretch axes with stride 0";
  let description = [{
    Result axis `i` is source axis `dimensions[i]`, or a new axis of stride 0 where that is -1. Every source axis appears once, in order.
    `sizes[i]` is the extent of result axis `i`: for a source axis of extent 1 it becomes the extent with stride 0; for any other source axis the
    source's extent and stride are kept and `sizes[i]` is ignored.
  }];
  let arguments = (ins Tile_ViewType:$view, Variadic<Index>:$sizes, DenseI64ArrayAttr:$dimensions);
  let results = (outs Tile_ViewType:$result);
  let assemblyFormat = "$view `[` $sizes `]` $dimensions attr-dict `:` type($view) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ViewReshapeOp : Tile_PureOp<"view_reshape"> {
  let summary = "Another shape over the same contiguous elements";
  let description = [{
    The source is taken as row-major and contiguous (strides other than those of a packed row-major array give an empty view); the result is
    row-major with extents `sizes`. When the products of the extents differ, the result is empty.
  }];
  let arguments = (ins Tile_ViewType:$view, Variadic<Index>:$sizes);
  let results = (outs Tile_ViewType:$result);
  let assemblyFormat = "$view `[` $sizes `]` attr-dict `:` type($view) `->` type($result)";
  let hasVerifier = 1;
}
#endif
