// What every example shares: input values, the comparison with a plain C++ reference, and a timer.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>

/// Reproducible values in [-1, 1).
inline float value_at(std::int64_t i, std::uint32_t seed = 1) {
  std::uint32_t x = static_cast<std::uint32_t>(i) * 2654435761u + seed * 40503u;
  x ^= x >> 15, x *= 2246822519u, x ^= x >> 13;
  return static_cast<float>(x >> 8) * 0x1p-23f - 1.0f;
}

template <typename TensorType>
void fill_values(TensorType& tensor, std::uint32_t seed) {
  for (std::int64_t i = 0; i < tensor.size(); ++i) tensor[i] = value_at(i, seed);
}

/// Milliseconds of the fastest of a few runs; the first one compiles.
template <typename F>
double best_milliseconds(F&& run, int repeats = 5) {
  double best = 1e30;
  for (int i = 0; i <= repeats; ++i) {
    auto start = std::chrono::steady_clock::now();
    run();
    double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    if (i > 0 && ms < best) best = ms;
  }
  return best;
}

/// Prints the verdict; the exit code of the example. `reference(i)` is the expected value of element i.
template <typename TensorType, typename Reference>
int check(const char* name, const TensorType& result, Reference&& reference, double tolerance, double amount, const char* unit) {
  double worst = 0;
  for (std::int64_t i = 0; i < result.size(); ++i) {
    double error = std::fabs(static_cast<double>(result[i]) - static_cast<double>(reference(i)));
    if (!(error <= worst)) worst = error;  // NaN counts as worst
  }
  bool ok = worst <= tolerance;
  std::printf("%-24s max error %.2e (allowed %.0e)  %.1f %s  %s\n", name, worst, tolerance, amount, unit, ok ? "ok" : "WRONG");
  return ok ? 0 : 1;
}
