// How many threads a CPU launch uses.
#pragma once

namespace sectile::drivers {

/// The number that `text` (the value of SECTILE_NUM_THREADS, or null) asks for: 1 to 4096; null or empty gives the number of hardware
/// threads. Throws UserError for anything else.
int parse_thread_count(const char* text);

}  // namespace sectile::drivers
