// The `tile` dialect: types, operations and small helpers on tile types. Include this, not the generated files.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace sectile::tile {

/// Names of the argument attributes that hold facts about a parameter (see tile.kernel).
inline constexpr llvm::StringLiteral kUnitAxis = "tile.unit_axis";
inline constexpr llvm::StringLiteral kAlignment = "tile.alignment";
inline constexpr llvm::StringLiteral kDisjoint = "tile.disjoint";

/// Name of the attribute of a loop that holds the user's number of pipeline stages.
inline constexpr llvm::StringLiteral kStages = "tile.stages";

/// True for one of the dialect's element types.
bool isElementType(mlir::Type type);
/// A tile has fewer elements than this.
inline constexpr int64_t kMostElements = int64_t{1} << 31;
/// True for a ranked tensor of static shape with every axis >= 1, rank >= 1, fewer than 2^31 elements and an element type of the dialect.
bool isTile(mlir::Type type);
/// True for a tile or scalar whose element type satisfies `element`.
bool isTileOrScalarOf(mlir::Type type, llvm::function_ref<bool(mlir::Type)> element);
/// Element type of a tile; a scalar is its own.
mlir::Type elementType(mlir::Type type);
/// Shape of a tile; empty for a scalar.
llvm::ArrayRef<int64_t> shapeOf(mlir::Type type);
/// A tile type, or the scalar when `shape` is empty.
mlir::Type tileType(llvm::ArrayRef<int64_t> shape, mlir::Type element);
int64_t elementCount(mlir::Type type);
inline bool isFloat8(mlir::Type type) { return llvm::isa<mlir::Float8E4M3FNType, mlir::Float8E5M2Type>(type); }

/// "file:line:column" of the innermost user location, or empty.
std::string locationText(mlir::Location loc);

}  // namespace sectile::tile

#include "compiler/ir/TileDialect.h.inc"
#define GET_TYPEDEF_CLASSES
#include "compiler/ir/TileTypes.h.inc"
#define GET_OP_CLASSES
#include "compiler/ir/TileOps.h.inc"
