// Recording a kernel: the entry point that the runtime and the tests use. Not for users' programs.
#pragma once

#include "sectile/kernel_info.h"
#include "trace/trace.h"

namespace sectile {

/// Runs the kernel function once under a recorder and returns its trace.
/// Throws UserError when the kernel is at fault (several diagnostics are joined by newlines); an exception thrown inside the kernel
/// function closes the recorder and propagates as it is. Re-entrant per thread: each thread records its own kernel.
trace::Trace record(const detail::KernelInfo& kernel);

}  // namespace sectile
