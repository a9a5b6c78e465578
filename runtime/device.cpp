// The devices of this machine.

#include "runtime/device_state.h"
#include "sectile/error.h"
#include "sectile/runtime.h"

#include <mutex>

namespace sectile {
namespace {

constexpr const char* levels[] = {"native", "x86-64-v2", "x86-64-v3", "x86-64-v4"};

/// Whether this machine runs code of levels[i].
bool runs(int level) {
#if defined(__x86_64__)
  switch (level) {
    case 1: return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("popcnt");
    case 2: return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    case 3:
      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd");
    default: return true;
  }
#else
  return level == 0;
#endif
}

}  // namespace

Device Device::cpu(const char* level) {
  static detail::DeviceState* states[4] = {};
  static std::mutex mutex;
  std::string wanted = level ? level : "";
  for (int i = 0; i < 4; ++i) {
    if (wanted != levels[i]) continue;
    if (!runs(i)) throw UserError("this machine does not run " + wanted + " code; use Device::cpu() for what it has", "");
    std::lock_guard<std::mutex> lock(mutex);
    if (!states[i]) states[i] = new detail::DeviceState{"cpu:" + wanted, drivers::make_cpu_driver()};
    return Device(*states[i]);
  }
  throw UserError("unknown CPU level '" + wanted + "'; use native, x86-64-v2, x86-64-v3 or x86-64-v4", "");
}

const char* Device::name() const { return state_->target.c_str(); }
void Device::synchronize() const { state_->driver->synchronize(); }

}  // namespace sectile
