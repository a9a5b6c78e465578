// The measurements of `tools/bench cpu`.
#pragma once

#include "report.h"

#include <string>

namespace bench {

struct Places {
  std::string program;  // this executable, for child processes
  std::string source;   // top of the repository
};

int compile_probe(const std::string& name);
void measure_compile_time(Report& report, const Places& places);

/// In a process of its own, so that the environment counts. `part`: matmul or rows. Prints "name|value|unit" lines.
int speed_probe(const std::string& part);
void measure_speed(Report& report, const Places& places);

}  // namespace bench
