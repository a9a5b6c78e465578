// The `tile` dialect: base classes, types and constraints. Operations live in one file per group.
#ifndef SECTILE_TILE_BASE
#define SECTILE_TILE_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def TileDialect : Dialect {
  let name = "tile";
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let summary = "Kernels over tiles";
  let description = [{
    A kernel is a function over *views* (pointer, run-time shape and strides) and scalars. It runs once per *program* of a grid. Tiles are
    builtin ranked tensors with static shape and rank >= 1; a tile of rank 0 is a plain scalar. Element-wise arithmetic is upstream
    `arith` and `math` on tensors and scalars; control flow is `scf`. This dialect adds the rest.

    Element types: i1, i8, i16, i32, i64 (signless; signedness is a property of operations), index (a signed 64-bit integer), f16, bf16,
    f32, f64, f8E4M3FN and f8E5M2. The two f8 types are storage only: `tile.cast`, memory and data movement take them, arithmetic does not
    (`tile.dot` does).

    Numbers. Floating-point arithmetic is IEEE 754, rounded once per operation to the type of the result. Integer addition, subtraction
    and multiplication wrap. Nothing is undefined: see `tile.div`, `tile.shl`, `tile.cast`.

    The attribute `tile.stages` (i64, at least 1) on `scf.for` or `scf.while` is the user's choice of how many iterations of that loop a
    pipeline keeps in flight.
  }];
  let cppNamespace = "::sectile::tile";
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = "void registerOperations();";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect"];
}

class Tile_Type<string name, string mnemonicText> : TypeDef<TileDialect, name> { let mnemonic = mnemonicText; }

def Tile_ViewType : Tile_Type<"View", "view"> {
  let summary = "A structured view of memory";
  let description = [{
    A pointer with a run-time shape and strides (in elements, any sign, 0 for a broadcast axis). Rank 1 to 5. `readonly` views are never
    written through.

    Examples: `!tile.view<2 x f32>`, `!tile.view<3 x bf16, readonly>`.
  }];
  let parameters = (ins "int64_t":$rank, "::mlir::Type":$elementType, "bool":$readonly);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Tile_Float : AnyTypeOf<[F16, BF16, F32, F64, F8E4M3FN, F8E5M2], "float">;
def Tile_Int : AnyTypeOf<[I1, I8, I16, I32, I64, Index], "integer">;
def Tile_Scalar : AnyTypeOf<[I1, I8, I16, I32, I64, Index, F16, BF16, F32, F64, F8E4M3FN, F8E5M2], "scalar">;
/// A tile of rank >= 1 with static shape.
def Tile_Tile : Type<CPred<"::sectile::tile::isTile($_self)">, "tile (ranked tensor of static shape, every axis >= 1)",
                               "::mlir::RankedTensorType">;
/// A tile or a scalar.
def Tile_Value : Type<Or<[Tile_Tile.predicate, Tile_Scalar.predicate]>, "tile or scalar">;
def Tile_IntValue : Type<CPred<"::sectile::tile::isTileOrScalarOf($_self, [](::mlir::Type t) { return t.isIntOrIndex(); })">,
                                   "integer tile or scalar">;
def Tile_IndexValue : Type<CPred<"::sectile::tile::isTileOrScalarOf($_self, [](::mlir::Type t) { return t.isIndex(); })">,
                                     "index tile or scalar">;
def Tile_BoolValue : Type<CPred<"::sectile::tile::isTileOrScalarOf($_self, [](::mlir::Type t) { return t.isInteger(1); })">,
                                    "i1 tile or scalar">;

class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<TileDialect, mnemonic, traits>;
class Tile_PureOp<string mnemonic, list<Trait> traits = []> : Tile_Op<mnemonic, !listconcat([Pure], traits)>;

#endif
