// Pass `lower-to-cpu`: every tile.kernel becomes a func.func of loops over native vectors.
//
// The function has the signature of runtime/format/cpu_abi.h; `tile.arena_bytes` (i64) and `tile.sites` (array) are attributes of it.
#pragma once

#include "targets/cpu/Target.h"

#include "mlir/Pass/Pass.h"

namespace sectile::cpu {

inline constexpr llvm::StringLiteral kArenaBytes = "tile.arena_bytes";
inline constexpr llvm::StringLiteral kSites = "tile.sites";

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "targets/cpu/Passes.h.inc"

}  // namespace sectile::cpu
