// Counter-based random numbers: Philox 4x32-10. The same (seed, offset) gives the same number on every target.
#pragma once

#include "sectile/ops_math.h"

namespace sectile {
namespace detail {

template <typename S>
struct Philox {
  using Word = TileOf<u32, S>;
  Word c0, c1, c2, c3;
};

/// Ten rounds on the counter (offset, 0, 0) with key `seed`.
template <int... D>
Philox<Shape<D...>> philox(const Scalar<u64>& seed, const Tile<u64, D...>& offset) {
  auto low = [](const auto& x) { return cast<u32>(x & 0xffffffffu); };
  auto high = [](const auto& x) { return cast<u32>(x >> 32); };
  auto k0 = low(seed), k1 = high(seed);
  Philox<Shape<D...>> c{low(offset), high(offset), cast<u32>(offset & 0), cast<u32>(offset & 0)};
  for (int round = 0; round < 10; ++round) {
    auto h0 = mulhi(c.c0, 0xD2511F53u), l0 = c.c0 * 0xD2511F53u;
    auto h1 = mulhi(c.c2, 0xCD9E8D57u), l1 = c.c2 * 0xCD9E8D57u;
    c = {h1 ^ c.c1 ^ k0, l1, h0 ^ c.c3 ^ k1, l0};
    k0 = k0 + 0x9E3779B9u, k1 = k1 + 0xBB67AE85u;
  }
  return c;
}

}  // namespace detail

/// Uniform 32-bit integers. `offset` numbers the elements; different offsets give independent numbers.
template <typename T, int... D>
Tile<u32, D...> randint(const Scalar<u64>& seed, const Tile<T, D...>& offset, detail::Where where = detail::Where::current()) {
  detail::Located located(where);
  return detail::philox(seed, cast<u64>(offset)).c0;
}
/// Uniform floats in [0, 1), multiples of 2^-24.
template <typename T, int... D>
Tile<float, D...> rand(const Scalar<u64>& seed, const Tile<T, D...>& offset, detail::Where where = detail::Where::current()) {
  detail::Located located(where);
  return cast<float>(randint(seed, offset) >> 8) * 0x1p-24f;
}
/// Normal floats, mean 0 and deviation 1 (Box-Muller).
template <typename T, int... D>
Tile<float, D...> randn(const Scalar<u64>& seed, const Tile<T, D...>& offset, detail::Where where = detail::Where::current()) {
  detail::Located located(where);
  auto words = detail::philox(seed, cast<u64>(offset));
  auto radius = (cast<float>(words.c0 >> 8) + 1.0f) * 0x1p-24f;  // in (0, 1]
  auto angle = cast<float>(words.c1 >> 8) * 0x1p-24f;
  return sqrt(log(radius) * -2.0f) * cos(angle * (2.0f * 3.14159265358979f));
}

}  // namespace sectile
