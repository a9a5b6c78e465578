// Guarded memory and comparisons for end-to-end tests. Every buffer has guard zones filled with a pattern (NaN for floats) before and behind it.
#pragma once

#include <sectile/sectile.h>

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

namespace harness {

using namespace sectile;

inline const std::int64_t sizes[] = {0, 1, 7, 17, 63, 71, 80, 96, 497};

/// `count` elements between two guard zones of 64 elements; `intact()` says whether nobody wrote to the zones.
template <typename T>
class Guarded {
 public:
  explicit Guarded(std::int64_t count) : count_(count), memory_(static_cast<std::size_t>(count) + 2 * zone) {
    std::memset(static_cast<void*>(memory_.data()), 0xff, memory_.size() * sizeof(T));  // all ones: NaN in every float format
  }
  T* data() { return memory_.data() + zone; }
  T& operator[](std::int64_t i) { return data()[i]; }
  std::int64_t size() const { return count_; }
  bool intact() const {
    for (std::size_t i = 0; i < zone; ++i)
      for (std::size_t at : {i, memory_.size() - 1 - i})
        for (std::size_t b = 0; b < sizeof(T); ++b)
          if (reinterpret_cast<const unsigned char*>(&memory_[at])[b] != 0xff) return false;
    return true;
  }
  View<T, 1> view() { return View<T, 1>(data(), {count_}); }
  View<T, 2> view(std::int64_t rows, std::int64_t cols) { return View<T, 2>(data(), {rows, cols}); }

 private:
  struct Cell {
    T value;
  };
  static constexpr std::size_t zone = 64;
  std::int64_t count_;
  struct Storage {
    explicit Storage(std::size_t n) : bytes(n * sizeof(T) + 64), n(n) {}
    T* data() { return reinterpret_cast<T*>((reinterpret_cast<std::uintptr_t>(bytes.data()) + 63) / 64 * 64); }
    const T* data() const { return const_cast<Storage*>(this)->data(); }
    std::size_t size() const { return n; }
    const T& operator[](std::size_t i) const { return data()[i]; }
    std::vector<unsigned char> bytes;
    std::size_t n;
  } memory_;
};

/// Seeded values that suit the type: floats around 0 with some special ones, integers over the whole range with corners.
template <typename T>
void fill_random(Guarded<T>& memory, unsigned seed, double scale = 4) {
  std::mt19937_64 random(seed);
  for (std::int64_t i = 0; i < memory.size(); ++i) {
    if constexpr (std::is_same_v<T, bool>) memory[i] = random() & 1;
    else if constexpr (std::is_integral_v<T>) memory[i] = static_cast<T>(random() >> (random() % 8 * 8));
    else memory[i] = T(scale * (static_cast<double>(random() >> 11) * 0x1p-52 - 1));
  }
}

/// Distance in units in the last place of T between `value` and the exact `reference`; 0 when both are NaN or equal.
template <typename T>
double ulps(T value, double reference) {
  double v = static_cast<double>(value);
  if (std::isnan(v) || std::isnan(reference)) return std::isnan(v) && std::isnan(reference) ? 0 : 1e30;
  double rounded = static_cast<double>(T(reference));
  if (v == rounded || (std::isinf(v) && v == rounded)) return 0;
  int mantissa = std::is_same_v<T, double> ? 52 : std::is_same_v<T, float> ? 23 : std::is_same_v<T, f16> ? 10 : 7;
  int lowest = std::is_same_v<T, double> ? -1022 : std::is_same_v<T, f16> ? -14 : -126;
  if (std::isinf(v) || std::isinf(reference)) return 1e30;
  int exponent = reference == 0 ? lowest : std::max(std::ilogb(reference), lowest);
  return std::fabs(v - reference) / std::ldexp(1.0, exponent - mantissa);
}

}  // namespace harness
