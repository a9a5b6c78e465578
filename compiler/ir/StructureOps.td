// Kernels, grids and assumptions.
#ifndef SECTILE_TILE_STRUCTURE_OPS
#define SECTILE_TILE_STRUCTURE_OPS
include "TileBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/RegionKindInterface.td"

def Tile_KernelOp : Tile_Op<"kernel", [FunctionOpInterface, IsolatedFromAbove, Symbol, SingleBlock]> {
  let summary = "A kernel";
  let description = [{
    A function over views and scalars without results, run once per program of its grid. The body holds exactly one `tile.grid`, at its top
    level and before any memory effect, and ends with `tile.return`.

    Facts that hold for every launch are attributes of the arguments: `tile.unit_axis` (i64, the axis of stride 1), `tile.alignment`
    (i64, bytes) and `tile.disjoint` (unit: the memory behind this view overlaps no written argument, and if this one is written, no
    other argument). Hints of the user are the dictionary `hints` (`warps`, `stages`, `fast_math`, ...).

    ```mlir
    tile.kernel @add(%x: !tile.view<1 x f32, readonly>, %y: !tile.view<1 x f32>) {
      ...
      tile.return
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type, OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs, OptionalAttr<DictionaryAttr>:$hints);
  let regions = (region SizedRegion<1>:$body);
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type)>];
  let extraClassDeclaration = [{
    ::mlir::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::mlir::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    /// The kernel's only grid, or null in a malformed kernel.
    ::sectile::tile::GridOp getGrid();
  }];
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
}

def Tile_ReturnOp : Tile_PureOp<"return", [Terminator, ReturnLike, HasParent<"KernelOp">]> {
  let summary = "End of a kernel";
  let assemblyFormat = "attr-dict";
}

def Tile_YieldOp : Tile_PureOp<"yield", [Terminator, ReturnLike]> {
  let summary = "Result of a combine region";
  let arguments = (ins Variadic<Tile_Scalar>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

def Tile_GridOp : Tile_Op<"grid", [SameVariadicOperandSize, MemoryEffects<[MemWrite]>]> {
  let summary = "Declare the grid and give this program's element offsets";
  let description = [{
    Axis `i` has `ceil(extents[i] / steps[i])` programs (0 when the extent is <= 0); result `i` is the element offset
    `program_id(i) * steps[i]`. One to four axes. Extents and steps are computed from scalar parameters and view sizes only, so that they can be
    evaluated on the host. `in_order`: programs start in increasing linear order (last axis fastest), so that a program may wait for earlier ones.

    ```mlir
    %row, %col = tile.grid extents(%m, %n) steps(%c128, %c64) : index, index
    ```
  }];
  let arguments = (ins Variadic<Index>:$extents, Variadic<Index>:$steps, UnitAttr:$in_order);
  let results = (outs Variadic<Index>:$offsets);
  let extraClassDeclaration = [{ int64_t getRank() { return getExtents().size(); } }];
  let hasVerifier = 1;
  let assemblyFormat = "`extents` `(` $extents `)` `steps` `(` $steps `)` attr-dict `:` type($offsets)";
}

def Tile_ProgramIdOp : Tile_PureOp<"program_id"> {
  let summary = "Coordinate of this program on one axis of the grid";
  let arguments = (ins I64Attr:$axis);
  let results = (outs Index:$id);
  let assemblyFormat = "$axis attr-dict";
}

def Tile_NumProgramsOp : Tile_PureOp<"num_programs"> {
  let summary = "Number of programs on one axis of the grid";
  let arguments = (ins I64Attr:$axis);
  let results = (outs Index:$count);
  let assemblyFormat = "$axis attr-dict";
}

def Tile_AssumeOp : Tile_Op<"assume", [MemoryEffects<[MemWrite]>]> {
  let summary = "Promise that a condition holds";
  let description = [{ If the condition is false, the meaning of the program is unspecified (it never touches memory outside its views). }];
  let arguments = (ins I1:$condition);
  let assemblyFormat = "$condition attr-dict";
}
#endif
