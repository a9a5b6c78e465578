// Table of x86-64 levels, and detection of the machine at hand.

#include "targets/cpu/Target.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

using namespace sectile::cpu;

static CpuTarget describe(llvm::StringRef level, llvm::StringRef cpu, int64_t vectorBytes, bool hasV3) {
  CpuTarget target;
  target.level = level.str();
  target.cpu = cpu.str();
  target.vectorBytes = vectorBytes;
  target.vectorRegisters = vectorBytes == 64 ? 32 : 16;
  target.fma = hasV3;
  target.numeric.f16c = hasV3;
  if (vectorBytes == 64) target.features = "-prefer-256-bit";
  return target;
}

std::optional<CpuTarget> CpuTarget::get(llvm::StringRef level) {
  if (level == "x86-64-v2") return describe(level, "x86-64-v2", 16, false);
  if (level == "x86-64-v3") return describe(level, "x86-64-v3", 32, true);
  if (level == "x86-64-v4") return describe(level, "x86-64-v4", 64, true);
  if (level != "native") return std::nullopt;
  llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  bool v3 = host.lookup("avx2") && host.lookup("fma") && host.lookup("f16c");
  bool v4 = v3 && host.lookup("avx512f") && host.lookup("avx512bw") && host.lookup("avx512dq") && host.lookup("avx512vl");
  CpuTarget target = describe(level, llvm::sys::getHostCPUName(), v4 ? 64 : v3 ? 32 : 16, v3);
  // The name alone may promise more than a virtual machine offers: say every feature.
  std::string features;
  for (auto &entry : host) features += (features.empty() ? "" : ",") + std::string(entry.second ? "+" : "-") + entry.first().str();
  if (v4) features += ",-prefer-256-bit";
  target.features = features;
  return target;
}
