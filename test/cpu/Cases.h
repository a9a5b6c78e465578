// Groups of kernel cases; each compiles its kernels for one level and compares with plain C++.
#pragma once

#include "Harness.h"

#include <cmath>
#include <random>

namespace sectile::test {

void memoryCases(const std::string &level);
void shapeCases(const std::string &level);
void reductionCases(const std::string &level);
void controlCases(const std::string &level);
void effectCases(const std::string &level);

inline std::string facts(bool known, int unitAxis) {
  return known ? " {tile.unit_axis = " + std::to_string(unitAxis) + " : i64, tile.disjoint}" : "";
}
inline std::string str(int64_t value) { return std::to_string(value); }
/// "2x3x" + element
inline std::string tensor(const std::vector<int64_t> &shape, const std::string &element) {
  std::string text = "tensor<";
  for (int64_t size : shape) text += str(size) + "x";
  return text + element + ">";
}
/// Replaces every `$name` by its text.
inline std::string format(std::string text, const std::vector<std::pair<std::string, std::string>> &values) {
  for (auto &[name, value] : values)
    for (size_t at; (at = text.find("$" + name)) != std::string::npos;) text.replace(at, name.size() + 1, value);
  return text;
}

template <typename... Args>
std::vector<int64_t> slots(const Args &...args) {
  std::vector<int64_t> result;
  auto one = [&](const auto &arg) {
    if constexpr (std::is_integral_v<std::decay_t<decltype(arg)>>) result.push_back(arg);
    else arg.appendSlots(result);
  };
  (one(args), ...);
  return result;
}

inline bool close(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (a == b) return true;
  return std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
}

/// Compares a tensor with a function of the index.
template <typename T, typename F>
void expect(Tensor<T> &tensor, F &&expected, double tolerance, const std::string &what) {
  int64_t wrong = 0;
  std::string first;
  tensor.forEach([&](const std::vector<int64_t> &index) {
    double got = static_cast<double>(tensor.at(index)), want = static_cast<double>(expected(index));
    if (close(got, want, tolerance)) return;
    if (wrong++ == 0) {
      first = " at [";
      for (int64_t i : index) first += str(i) + " ";
      first += "] got " + std::to_string(got) + " want " + std::to_string(want);
    }
  });
  check(wrong == 0, what + first + " (" + str(wrong) + " wrong)");
  check(tensor.guardsIntact(), what + ": guard zone overwritten");
}

inline bool compiled(const Kernel &kernel, const std::string &what) {
  if (std::getenv("SECTILE_TEST_VERBOSE")) std::printf("%s: %.0f ms, %zu bytes, arena %ld\n", what.c_str(), kernel.milliseconds, kernel.objectBytes, long(kernel.arenaBytes));
  check(kernel.error.empty(), what + ": " + kernel.error);
  return kernel.error.empty();
}

}  // namespace sectile::test
