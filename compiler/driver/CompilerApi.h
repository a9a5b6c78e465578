// The C interface of libsectile-compiler.so, which the runtime opens on demand. No MLIR or LLVM type crosses it, and no exception.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

/// Facts about one parameter that hold for every launch of the compiled variant. They are part of every cache key.
struct SectileParameterFacts {
  std::int32_t unitAxis;     // axis whose stride is 1, or -1; scalars: -1
  std::uint32_t alignment;   // guaranteed alignment of the pointer in bytes (>= element size); scalars: 0
  std::uint32_t disjoint;    // 1: written through no other argument and overlaps no written argument
};

struct SectileBytes {
  const std::uint8_t *data;
  std::size_t size;
};

/// One kernel to compile: canonical trace, its locations (may be empty), and facts per parameter (null: nothing is known).
struct SectileKernel {
  SectileBytes trace;
  SectileBytes locations;
  const SectileParameterFacts *facts;
  std::size_t factCount;
};

/// Several kernels of one request are compiled into one module and share one shared object.
struct SectileRequest {
  const SectileKernel *kernels;
  std::size_t kernelCount;
  const char *target;   // "cpu:native", "cpu:x86-64-v2", "cpu:x86-64-v3", "cpu:x86-64-v4"
  const char *options;  // "key=value" pairs separated by ';': "stages=1" keeps stage dumps, "disable=pass-a,pass-b", "opt=0..3"
};

enum SectileStatus {
  SectileOk = 0,
  SectileUserError = 1,      // the kernel is at fault: what, where, what to do
  SectileTargetError = 2,    // a limit of the target
  SectileInternalError = 3,  // the compiler is at fault; the message names a reproducer
};

struct SectileResult;  // opaque

struct SectileCompilerApi {
  std::uint32_t version;  // = SectileCompilerApiVersion
  const char *(*buildId)();
  SectileResult *(*compile)(const SectileRequest *request);  // never null
  SectileStatus (*status)(const SectileResult *);
  const char *(*message)(const SectileResult *);                      // diagnostics; empty on success without remarks
  SectileBytes (*image)(const SectileResult *, std::size_t kernel);   // bytes of format::Image
  std::size_t (*stageCount)(const SectileResult *);
  const char *(*stageName)(const SectileResult *, std::size_t stage);
  const char *(*stageText)(const SectileResult *, std::size_t stage);  // empty unless "stages=1"
  double (*stageMilliseconds)(const SectileResult *, std::size_t stage);
  void (*release)(SectileResult *);
};

enum { SectileCompilerApiVersion = 1 };

// The only exported function: const SectileCompilerApi *sectileCompilerApi().
}
