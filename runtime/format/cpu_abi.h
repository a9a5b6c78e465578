// The C interface between CPU kernels and whoever runs them (the JIT runtime or an ahead-of-time wrapper).
#pragma once

#include <cstdint>

extern "C" {

/// Callbacks of a running kernel. Any member may be null: prints are dropped, failed assertions are ignored.
struct sectile_host {
  void* self;
  /// `values[i]` points at the i-th value of the site, row-major, in its storage type (bool: one byte each).
  void (*print)(void* self, std::int64_t site, const void* const* values, const std::int64_t* program);
  /// Called when an assertion fails; returns normally, and the kernel goes on to its next program-visible effect.
  void (*assertion_failed)(void* self, std::int64_t site, const std::int64_t* program);
};

/// Runs programs first … last-1 (linear ids, last grid axis fastest) one after the other on the calling thread.
///   slots  the launch arguments as described in recipe.h, hidden arguments behind them
///   arena  scratch of Image::arena_bytes, 64-byte aligned; contents need not be kept between calls
using sectile_cpu_kernel = void (*)(const std::int64_t* slots, std::int64_t first, std::int64_t last, char* arena,
                                    const sectile_host* host);
}
