// Clocks and child processes.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace bench {

template <typename F>
double milliseconds(F&& run) {
  auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// Runs a program and returns what it printed; `variables` are "NAME=value" added to the environment. Throws std::runtime_error when it fails.
std::string output_of(const std::vector<std::string>& command, const std::vector<std::string>& variables = {});

}  // namespace bench
