// Checks and facts of launch arguments.
#pragma once

#include "compiler/driver/CompilerApi.h"
#include "sectile/kernel_info.h"

#include <array>
#include <cstdint>
#include <vector>

namespace sectile::runtime {

/// What is assumed of every view of a launch: unit axis, alignment and disjointness, packed a byte per parameter (8 parameters a word).
struct Facts {
  std::array<std::uint64_t, 4> words{};  // 32 parameters; later ones get no facts
  bool operator==(const Facts&) const = default;
  std::vector<SectileParameterFacts> list(const detail::KernelInfo& kernel) const;
};

/// Checks pointers, sizes and alignment of every view, and collects facts. `slots` as in runtime/format/recipe.h. Throws UserError naming the
/// parameter, the value and the remedy. No allocation on the way to success.
Facts gather_facts(const detail::KernelInfo& kernel, const std::int64_t* slots);

}  // namespace sectile::runtime
