// Operation codes of the trace format.
#pragma once

#include <cstdint>

namespace sectile::detail {

enum class OpCode : std::uint16_t {
#define SECTILE_OP(Code, Name, Operands, Results, Regions, Attributes) Code,
#include "sectile/detail/ops.def"
  count
};

}  // namespace sectile::detail
