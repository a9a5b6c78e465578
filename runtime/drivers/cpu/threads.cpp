// How many threads a CPU launch uses.

#include "runtime/drivers/cpu/threads.h"

#include "sectile/error.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <thread>

namespace sectile::drivers {

int parse_thread_count(const char* text) {
  if (!text || !*text) return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const char* end = text + std::strlen(text);
  int value = 0;
  auto [stop, problem] = std::from_chars(text, end, value);
  if (problem != std::errc() || stop != end || value < 1 || value > 4096)
    throw UserError("SECTILE_NUM_THREADS is '" + std::string(text) + "'; set it to a number from 1 to 4096, or unset it", "");
  return value;
}

}  // namespace sectile::drivers
