// Runs kernels given as MLIR text: compiles for a level of x86-64, loads the object, and calls it on tensors with guard zones.
#pragma once

#include "runtime/format/cpu_abi.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace sectile::test {

/// A tensor inside a block of memory filled with a pattern, so that stray writes show. Elements are row-major, `pad` apart per row (last axis)
/// and `step` apart within one.
template <typename T>
class Tensor {
 public:
  explicit Tensor(std::vector<int64_t> shape, int64_t pad = 0, int64_t step = 1) : shape(std::move(shape)) {
    strides.resize(this->shape.size());
    int64_t stride = step;
    for (size_t axis = this->shape.size(); axis-- > 0;) {
      strides[axis] = stride;
      stride *= this->shape[axis];
      if (axis + 1 == this->shape.size()) stride += pad;
    }
    bytes.assign((2 * guard + stride + 1) * sizeof(T), pattern);
    data = reinterpret_cast<T *>(bytes.data()) + guard;
    used.assign(2 * guard + stride + 1, false);
    forEach([&](const std::vector<int64_t> &index) { used[guard + offset(index)] = true; });
  }
  Tensor(const Tensor &) = delete;

  int64_t offset(const std::vector<int64_t> &index) const {
    int64_t result = 0;
    for (size_t axis = 0; axis < index.size(); ++axis) result += index[axis] * strides[axis];
    return result;
  }
  T &at(const std::vector<int64_t> &index) { return data[offset(index)]; }
  bool inside(const std::vector<int64_t> &index) const {
    for (size_t axis = 0; axis < index.size(); ++axis)
      if (index[axis] < 0 || index[axis] >= shape[axis]) return false;
    return true;
  }
  T get(const std::vector<int64_t> &index, T fill = T(0)) { return inside(index) ? at(index) : fill; }

  void forEach(const std::function<void(const std::vector<int64_t> &)> &body) const {
    std::vector<int64_t> index(shape.size(), 0);
    for (int64_t size : shape)
      if (size == 0) return;
    while (true) {
      body(index);
      size_t axis = shape.size();
      while (axis > 0 && ++index[axis - 1] == shape[axis - 1]) index[--axis] = 0;
      if (axis == 0) return;
    }
  }
  template <typename F>
  void fill(F &&value) {
    forEach([&](const std::vector<int64_t> &index) { at(index) = value(index); });
  }
  bool guardsIntact() const {
    for (size_t i = 0; i < used.size(); ++i)
      if (!used[i])
        for (size_t byte = 0; byte < sizeof(T); ++byte)
          if (bytes[i * sizeof(T) + byte] != pattern) return false;
    return true;
  }
  void appendSlots(std::vector<int64_t> &slots) const {
    slots.push_back(reinterpret_cast<int64_t>(data));
    slots.insert(slots.end(), shape.begin(), shape.end());
    slots.insert(slots.end(), strides.begin(), strides.end());
  }

  std::vector<int64_t> shape, strides;
  T *data;

 private:
  static constexpr int64_t guard = 128;
  static constexpr uint8_t pattern = 0xFF;  // a NaN for every float type
  std::vector<uint8_t> bytes;
  std::vector<bool> used;
};

class Kernel {
 public:
  /// Compiles the only tile.kernel of `text`; on failure `error` is set.
  Kernel(const std::string &text, const std::string &level);
  ~Kernel();
  /// Runs all programs of a grid with these extents.
  void run(std::vector<int64_t> slots, const std::vector<int64_t> &counts, const sectile_host *host = nullptr);

  std::string error;
  int64_t arenaBytes = 0;
  size_t objectBytes = 0;
  double milliseconds = 0;

 private:
  void *library = nullptr;
  sectile_cpu_kernel entry = nullptr;
};

/// Levels this machine can run.
std::vector<std::string> levels();

inline int failures = 0, checks = 0;
inline void check(bool ok, const std::string &what) {
  ++checks;
  if (ok) return;
  if (++failures <= 60) std::printf("FAILED: %s\n", what.c_str());
}

}  // namespace sectile::test
