// One compilation: traces in, kernel images out.
#pragma once

#include "compiler/driver/CompilerApi.h"

#include <string>
#include <vector>

namespace sectile::driver {

struct Stage {
  std::string name;
  std::string text;  // empty unless asked for
  double milliseconds = 0;
};

struct Result {
  SectileStatus status = SectileOk;
  std::string message;
  std::vector<std::vector<uint8_t>> images;  // bytes of format::Image, one per kernel
  std::vector<Stage> stages;
};

Result compile(const SectileRequest &request);

}  // namespace sectile::driver
