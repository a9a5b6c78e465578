// Kernels for the runtime's tests. The fake compiler goes by their names; their bodies only have to trace.
#pragma once

#include "sectile/sectile.h"

#include <string>

namespace sectile::test {

using Out = View<i32, 1>;
using N = Scalar<i64>;

/// The smallest body: a grid of n programs.
inline void body(const Out&, const N& n) { grid(tiles(n, 1)); }

/// Whether `f` throws an E whose message holds `part`; any other exception passes through.
template <typename E, typename F>
bool throws(const std::string& part, F&& f) {
  try {
    f();
  } catch (const E& error) {
    return std::string(error.what()).find(part) != std::string::npos;
  }
  return false;
}

}  // namespace sectile::test
