// Traces of real kernels, as bytes.
#pragma once

#include <cstdint>
#include <vector>

namespace sectile::fuzz {

std::vector<std::vector<std::uint8_t>> recordedTraces();

}  // namespace sectile::fuzz
