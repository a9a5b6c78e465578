// One table per target, and the same as JSON.
#pragma once

#include <string>
#include <vector>

namespace bench {

struct Figure {
  std::string name;
  double value;
  std::string unit;
  double target;   // 0: none
  bool at_least;   // the target is a lower bound (else an upper one)
  bool ok() const { return target == 0 || (at_least ? value >= target : value <= target); }
};

/// Figures in the order they are measured; each is printed as it comes.
class Report {
 public:
  explicit Report(const std::string& title);
  void section(const std::string& text);
  void add(const std::string& name, double value, const std::string& unit);
  void at_most(const std::string& name, double value, const std::string& unit, double target);
  void at_least(const std::string& name, double value, const std::string& unit, double target);
  /// Writes an array of {name, value, unit, target, ok}; target is null where there is none. False when the file cannot be written.
  bool write_json(const std::string& path) const;

 private:
  void print(const Figure& figure);
  std::vector<Figure> figures_;
};

}  // namespace bench
