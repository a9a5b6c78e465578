#include "timing.h"

#include <cstdio>
#include <stdexcept>

namespace bench {

static std::string quoted(const std::string& text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string output_of(const std::vector<std::string>& command, const std::vector<std::string>& variables) {
  std::string line = "env -u OPENBLAS_CORETYPE -u OPENBLAS_L2_SIZE";
  for (const std::string& variable : variables) line += " " + quoted(variable);
  for (const std::string& word : command) line += " " + quoted(word);
  std::FILE* pipe = popen(line.c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot run " + line);
  std::string text;
  char buffer[4096];
  while (std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, got);
  if (pclose(pipe) != 0) throw std::runtime_error("failed: " + line);
  return text;
}

}  // namespace bench
