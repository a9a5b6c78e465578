#include "report.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <fstream>

namespace bench {

Report::Report(const std::string& title) { std::printf("%s\n%-58s %10s %-9s %10s\n", title.c_str(), "", "measured", "", "target"); }

void Report::section(const std::string& text) { std::printf("\n%s\n", text.c_str()); }

void Report::print(const Figure& figure) {
  figures_.push_back(figure);
  std::printf("  %-56s %10.3f %-9s", figure.name.c_str(), figure.value, figure.unit.c_str());
  if (figure.target != 0) std::printf(" %s%8.3f  %s", figure.at_least ? ">=" : "<=", figure.target, figure.ok() ? "ok" : "MISSED");
  std::printf("\n");
  std::fflush(stdout);
}

void Report::add(const std::string& name, double value, const std::string& unit) { print({name, value, unit, 0, false}); }
void Report::at_most(const std::string& name, double value, const std::string& unit, double target) { print({name, value, unit, target, false}); }
void Report::at_least(const std::string& name, double value, const std::string& unit, double target) { print({name, value, unit, target, true}); }

bool Report::write_json(const std::string& path) const {
  auto array = nlohmann::json::array();
  for (const Figure& figure : figures_) {
    nlohmann::json target = figure.target != 0 ? nlohmann::json(figure.target) : nlohmann::json();
    array.push_back({{"name", figure.name}, {"value", figure.value}, {"unit", figure.unit}, {"target", target}, {"ok", figure.ok()}});
  }
  std::ofstream file(path);
  file << array.dump(2) << "\n";
  return file.good();
}

}  // namespace bench
