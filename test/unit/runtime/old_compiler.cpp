// A compiler library of another version.

#include "compiler/driver/CompilerApi.h"

extern "C" const SectileCompilerApi* sectileCompilerApi() {
  static const SectileCompilerApi api{SectileCompilerApiVersion + 1, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};
  return &api;
}
