// Compilation and loading for the CPU kernel tests.

#include "Harness.h"

#include "compiler/driver/Dialects.h"
#include "compiler/ir/Dialect.h"
#include "targets/cpu/Emit.h"
#include "targets/cpu/lower/LowerToCpu.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <unistd.h>

using namespace mlir;

namespace sectile::test {

std::vector<std::string> levels() {
  std::vector<std::string> result{"x86-64-v2"};
  if (__builtin_cpu_supports("x86-64-v3")) result.push_back("x86-64-v3");
  if (__builtin_cpu_supports("x86-64-v4")) result.push_back("x86-64-v4");
  if (const char *only = std::getenv("SECTILE_TEST_LEVEL")) result = {only};
  return result;
}

Kernel::Kernel(const std::string &text, const std::string &level) {
  std::unique_ptr<MLIRContext> context = driver::makeContext();
  std::string name;
  ScopedDiagnosticHandler handler(context.get(), [&](Diagnostic &diagnostic) { error += diagnostic.str() + "\n"; });
  auto module = parseSourceString<ModuleOp>(text, context.get());
  if (!module) return;
  for (auto kernel : module->getOps<tile::KernelOp>()) name = kernel.getName().str();
  auto target = *cpu::CpuTarget::get(level);
  auto start = std::chrono::steady_clock::now();
  PassManager passes(context.get());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(cpu::createLowerToCpu({target.level}));
  if (failed(passes.run(*module))) {
    error += "lowering failed";
    return;
  }
  for (auto function : module->getOps<func::FuncOp>()) arenaBytes = function->getAttrOfType<IntegerAttr>(cpu::kArenaBytes).getInt();
  module->walk([&](func::FuncOp function) { function->removeAttr(cpu::kArenaBytes), function->removeAttr(cpu::kSites); });
  PassManager toLlvm(context.get());
  cpu::addLlvmPasses(toLlvm, target);
  if (failed(toLlvm.run(*module))) {
    error += "conversion to LLVM failed";
    return;
  }
  const char *wanted = std::getenv("SECTILE_TEST_DUMP");
  auto object = cpu::emitSharedObject(*module, target, 2, [&](StringRef stage, llvm::function_ref<void(llvm::raw_ostream &)> print) {
    if (wanted && stage == wanted) print(llvm::errs());
  });
  if (!object) {
    error += llvm::toString(object.takeError());
    return;
  }
  milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  objectBytes = object->size();
  // The loader recognises libraries by path: every kernel needs one of its own.
  char path[] = "/tmp/sectile-test-XXXXXX";
  int file = mkstemp(path);
  if (file < 0 || write(file, object->data(), object->size()) != static_cast<ssize_t>(object->size())) error = "cannot write the object";
  library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  close(file);
  unlink(path);
  if (library) entry = reinterpret_cast<sectile_cpu_kernel>(dlsym(library, name.c_str()));
  if (!entry) error += std::string("cannot load the object: ") + dlerror();
  else error.clear();
}

Kernel::~Kernel() {
  if (library) dlclose(library);
}

void Kernel::run(std::vector<int64_t> slots, const std::vector<int64_t> &counts, const sectile_host *host) {
  if (std::getenv("SECTILE_TEST_VERBOSE")) std::printf("run"); 
  sectile_host none{};
  int64_t programs = 1;
  for (int64_t count : counts) slots.push_back(count), programs *= count;
  // The arena's contents are not defined; NaN patterns show reads of what was not written.
  size_t size = (arenaBytes + 127) / 64 * 64;
  char *arena = static_cast<char *>(std::aligned_alloc(64, size));
  std::memset(arena, 0xFF, size);
  entry(slots.data(), 0, programs, arena, host ? host : &none);
  for (size_t i = arenaBytes; i < size; ++i) check(arena[i] == char(0xFF), "arena overrun");
  std::free(arena);
  if (std::getenv("SECTILE_TEST_VERBOSE")) std::printf(" done\n");
}

}  // namespace sectile::test
