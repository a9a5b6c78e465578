// Emission: MLIR to LLVM IR, LLVM's optimiser and code generator, and lld, all in process.

#include "targets/cpu/Emit.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"

#include "compiler/passes/Passes.h"
#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

using namespace mlir;

namespace sectile::cpu {

void addLlvmPasses(OpPassManager &passes, const CpuTarget &target) {
  passes.addPass(createCSEPass());
  passes.addPass(passes::createExpandMath({target.fma}));
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createConvertVectorToLLVMPass());
  passes.addPass(createConvertMathToLLVMPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createConvertFuncToLLVMPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
  passes.addPass(createCSEPass());
}

static llvm::Error fail(const llvm::Twine &message) { return llvm::createStringError(llvm::inconvertibleErrorCode(), message); }

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createMachine(const CpuTarget &target, int level) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
  llvm::Triple triple("x86_64-unknown-linux-gnu");
  std::string error;
  const llvm::Target *description = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!description) return fail(error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  auto codeLevel = level == 0 ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default;
  return std::unique_ptr<llvm::TargetMachine>(
      description->createTargetMachine(triple, target.cpu, target.features, options, llvm::Reloc::PIC_, std::nullopt, codeLevel));
}

/// Attributes of every kernel: the machine's features, and no library functions, since the object must stand alone.
static void decorate(llvm::Module &module, const CpuTarget &target) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr("target-cpu", target.cpu);
    if (!target.features.empty()) function.addFnAttr("target-features", target.features);
    function.addFnAttr("no-builtins");
    function.addFnAttr("prefer-vector-width", std::to_string(8 * target.vectorBytes));
    function.addFnAttr(llvm::Attribute::NoUnwind);
    if (function.arg_size() == 5)
      for (unsigned i : {0u, 3u, 4u}) function.addParamAttr(i, llvm::Attribute::NoAlias);
    if (function.arg_size() == 5) function.addParamAttr(0, llvm::Attribute::ReadOnly);
  }
}

static void optimise(llvm::Module &module, llvm::TargetMachine &machine, int level) {
  llvm::PipelineTuningOptions tuning;
  // Loops are vectors and register blocks already: vectorising their tails or unrolling them costs compile time, and spills in products.
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  tuning.LoopUnrolling = false;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::TargetLibraryInfoImpl library(module.getTargetTriple());
  library.disableAllFunctions();
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  auto optimisation = level == 0 ? llvm::OptimizationLevel::O0 : level == 1 ? llvm::OptimizationLevel::O1 : level == 2 ? llvm::OptimizationLevel::O2 : llvm::OptimizationLevel::O3;
  llvm::ModulePassManager passes = level == 0 ? builder.buildO0DefaultPipeline(optimisation) : builder.buildPerModuleDefaultPipeline(optimisation);
  passes.run(module, modules);
}

static llvm::Expected<llvm::SmallVector<char, 0>> assemble(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile)) return fail("the code generator cannot emit objects");
  passes.run(module);
  return object;
}

/// Links one object to a shared object. lld keeps global state: one link at a time.
static llvm::Expected<std::vector<uint8_t>> link(llvm::ArrayRef<char> object) {
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  int input = memfd_create("sectile-object", MFD_CLOEXEC);
  if (input < 0) return fail("cannot create an in-memory file for the object");
  llvm::scope_exit closeInput([&] { close(input); });
  llvm::raw_fd_ostream out(input, /*shouldClose=*/false);
  out.write(object.data(), object.size());
  out.flush();
  llvm::SmallString<128> output;
  if (std::error_code error = llvm::sys::fs::createTemporaryFile("sectile", "so", output)) return fail("cannot create a temporary file: " + error.message());
  llvm::scope_exit removeOutput([&] { llvm::sys::fs::remove(output); });
  std::string inputPath = "/proc/self/fd/" + std::to_string(input), messages;
  llvm::raw_string_ostream stream(messages);
  const char *arguments[] = {"ld.lld", "-shared", "--no-undefined", "--hash-style=sysv", "--build-id=none", "--threads=1", inputPath.c_str(), "-o", output.c_str()};
  lld::Result result = lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0) return fail("lld: " + messages);
  auto buffer = llvm::MemoryBuffer::getFile(output, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer) return fail("cannot read the linked object: " + buffer.getError().message());
  llvm::StringRef bytes = (*buffer)->getBuffer();
  return std::vector<uint8_t>(bytes.begin(), bytes.end());
}

static llvm::Expected<std::vector<uint8_t>> emit(ModuleOp module, const CpuTarget &target, int level, const StageObserver &observe) {
  llvm::LLVMContext context;
  registerBuiltinDialectTranslation(*module.getContext());
  registerLLVMDialectTranslation(*module.getContext());
  std::unique_ptr<llvm::Module> llvmModule = translateModuleToLLVMIR(module, context);
  if (!llvmModule) return fail("the module does not translate to LLVM IR");
  auto machine = createMachine(target, level);
  if (!machine) return machine.takeError();
  llvmModule->setDataLayout((*machine)->createDataLayout());
  llvmModule->setTargetTriple((*machine)->getTargetTriple());
  decorate(*llvmModule, target);
  observe("llvm-ir", [&](llvm::raw_ostream &out) { llvmModule->print(out, nullptr); });
  optimise(*llvmModule, **machine, level);
  observe("llvm-optimised", [&](llvm::raw_ostream &out) { llvmModule->print(out, nullptr); });
  auto object = assemble(*llvmModule, **machine);
  if (!object) return object.takeError();
  observe("object", [&](llvm::raw_ostream &out) { out << object->size() << " bytes\n"; });
  auto shared = link(*object);
  if (shared) observe("link", [&](llvm::raw_ostream &out) { out << shared->size() << " bytes\n"; });
  return shared;
}

llvm::Expected<std::vector<uint8_t>> emitSharedObject(ModuleOp module, const CpuTarget &target, int level, const StageObserver &observe) {
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext recovery;
  std::optional<llvm::Expected<std::vector<uint8_t>>> result;
  if (!recovery.RunSafely([&] { result.emplace(emit(module, target, level, observe)); })) {
    if (result) llvm::consumeError(result->takeError());
    return fail("LLVM's code generator crashed on this kernel");
  }
  return std::move(*result);
}

}  // namespace sectile::cpu
