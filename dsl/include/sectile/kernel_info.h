// Static description of one kernel specialisation: what the runtime needs to record and launch it. Made by `kernel_info<kernel>()`.
#pragma once

#include "sectile/scalar_type.h"

namespace sectile::detail {

struct ParameterInfo {
  bool is_view;
  bool readonly;        ///< View<const T, R>
  ScalarType element;
  int rank;             ///< views only, 1 … 5
};

struct KernelInfo {
  const void* address;                 ///< of the kernel function: its identity within the process
  void (*invoke)();                    ///< makes the parameters and runs the kernel function under the active recorder
  const ParameterInfo* parameters;
  int parameter_count;
  const char* name;                    ///< readable, for messages; not an identity
};

}  // namespace sectile::detail
