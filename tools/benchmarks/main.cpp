// `tools/bench cpu [--json FILE]`: prints one table; exits 0 whatever the values.
#include "cpu.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>

static std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(": ") + 2);
  return "unknown processor";
}

int main(int argc, char** argv) {
  CLI::App app("Measures what the project promises");
  std::string target, json, probe, speed;
  app.add_option("target", target, "what to measure: cpu");
  app.add_option("--json", json, "also write the figures to this file");
  app.add_option("--compile-probe", probe)->group("");
  app.add_option("--speed-probe", speed)->group("");
  CLI11_PARSE(app, argc, argv);
  try {
    if (!probe.empty()) return bench::compile_probe(probe);
    if (!speed.empty()) return bench::speed_probe(speed);
    if (target != "cpu") {
      std::fprintf(stderr, "unknown target '%s'; known is cpu\n", target.c_str());
      return 2;
    }
    bench::Places places{std::filesystem::read_symlink("/proc/self/exe"), SECTILE_SOURCE_DIR};
    bench::Report report("sectile on " + processor());
    bench::measure_compile_time(report, places);
    bench::measure_speed(report, places);
    if (!json.empty() && !report.write_json(json)) {
      std::fprintf(stderr, "cannot write %s\n", json.c_str());
      return 1;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
