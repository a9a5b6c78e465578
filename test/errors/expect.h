// Launches that must fail: the kind of error, its words, the user's line, and that the process goes on.
#pragma once

#include <sectile/sectile.h>

#include <catch2/catch.hpp>

#include <string>

namespace expect {

using namespace sectile;

/// The line on which the kernel makes its mistake; kernels set it while they are recorded.
inline int mistake_line = 0;
inline void mistake_below(int line) { mistake_line = line + 1; }

inline void healthy(View<float, 1> out) {
  auto [i] = grid(tiles(out.size(0), 4));
  store(out, {i}, full<float, 4>(7.0f));
}
/// A kernel that is right still works.
inline void still_alive() {
  Tensor<float, 1> out({5}, 0.0f);
  launch<healthy>(Device::cpu(), out);
  REQUIRE(out[4] == 7.0f);
}

inline bool contains(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

/// The launch throws an E that says `words` and, when the kernel marked one, names the line of the mistake.
template <auto Kernel, typename E = UserError, typename... A>
void fails(const std::string& words, A&&... arguments) {
  mistake_line = 0;
  std::string message;
  try {
    launch<Kernel>(Device::cpu(), arguments...);
    FAIL("no error; expected: " + words);
  } catch (const E& error) {
    message = error.what();
  }
  INFO(message);
  CHECK(contains(message, words));
  if (mistake_line) CHECK(contains(message, ".cpp:" + std::to_string(mistake_line) + ":"));
  still_alive();
}

}  // namespace expect
