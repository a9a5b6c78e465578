// The compiler, opened on demand.
#pragma once

#include "compiler/driver/CompilerApi.h"
#include "runtime/format/image.h"
#include "trace/trace.h"

#include <span>
#include <string>
#include <vector>

namespace sectile::runtime {

struct StageText {
  std::string name, text;
  double milliseconds;
};
struct Compilation {
  format::Image image;
  std::vector<StageText> stages;
};

/// Compiles one kernel. Throws UserError, TargetError or InternalError with the compiler's words; UserError when the compiler cannot be found.
Compilation compile(const trace::Trace& trace, std::span<const SectileParameterFacts> facts, const std::string& target, const std::string& options);

}  // namespace sectile::runtime
