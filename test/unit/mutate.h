// Seeded damage to byte strings, for readers that must survive anything.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace sectile::test {

/// One to four changes: a flipped bit, a byte replaced, removed or inserted, the end cut off, a stretch repeated.
inline std::vector<std::uint8_t> damaged(std::vector<std::uint8_t> bytes, std::mt19937_64& random) {
  auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
  for (std::size_t change = 1 + below(4); change-- > 0 && !bytes.empty();) {
    std::size_t at = below(bytes.size());
    auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    switch (below(6)) {
      case 0: *place ^= static_cast<std::uint8_t>(1u << below(8)); break;
      case 1: *place = static_cast<std::uint8_t>(random()); break;
      case 2: bytes.erase(place); break;
      case 3: bytes.insert(place, static_cast<std::uint8_t>(random())); break;
      case 4: bytes.resize(at); break;
      default: {
        std::vector<std::uint8_t> stretch(place, bytes.begin() + static_cast<std::ptrdiff_t>(std::min(bytes.size(), at + 1 + below(16))));
        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(below(bytes.size())), stretch.begin(), stretch.end());
      }
    }
  }
  return bytes;
}

}  // namespace sectile::test
