// The pipeline: parse and import the traces, verify, canonicalise, lower for the target, emit, and pack the images.

#include "compiler/driver/Compile.h"

#include "compiler/driver/Dialects.h"
#include "compiler/ir/ExtractRecipe.h"
#include "compiler/ir/Import.h"
#include "runtime/format/image.h"
#include "targets/cpu/Emit.h"
#include "targets/cpu/lower/LowerToCpu.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Transforms/Passes.h"

#include <chrono>

using namespace mlir;
using namespace sectile;

namespace sectile::driver {
namespace {

/// Scratch of one program, in bytes. Tiles that need more are mistakes: they cannot stay in any cache.
constexpr int64_t mostArenaBytes = int64_t{1} << 30;

struct Options {
  bool stages = false;
  int level = 2;
  std::string error;
};

Options parseOptions(StringRef text) {
  Options options;
  SmallVector<StringRef> parts;
  text.split(parts, ';', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    auto [key, value] = part.split('=');
    if (key == "stages") options.stages = value == "1";
    else if (key == "opt" && !value.getAsInteger(10, options.level) && options.level >= 0 && options.level <= 3) continue;
    else options.error = ("unknown compiler option '" + part + "'; known are stages=0|1 and opt=0..3").str();
  }
  return options;
}

class Compilation {
 public:
  explicit Compilation(const SectileRequest &request) : request(request), context(makeContext()) {}

  Result run() {
    options = parseOptions(request.options ? request.options : "");
    if (!options.error.empty()) return error(SectileUserError, options.error);
    StringRef name = request.target ? request.target : "";
    if (!name.consume_front("cpu:") || !(target = cpu::CpuTarget::get(name)))
      return error(SectileUserError, ("unknown target '" + StringRef(request.target ? request.target : "") +
                                      "'; known are cpu:native, cpu:x86-64-v2, cpu:x86-64-v3 and cpu:x86-64-v4").str());
    if (request.kernelCount == 0) return error(SectileUserError, "nothing to compile");
    ScopedDiagnosticHandler handler(context.get(), [this](Diagnostic &diagnostic) { note(diagnostic); });
    started = std::chrono::steady_clock::now();
    if (!import() || !optimise() || !lower() || !emit()) return std::move(result);
    pack();
    return std::move(result);
  }

 private:
  Result error(SectileStatus status, std::string message) {
    result.status = status;
    result.message = std::move(message);
    return std::move(result);
  }

  bool fail(SectileStatus status, StringRef otherwise) {
    result.status = status;
    result.message = messages.empty() ? otherwise.str() : messages;
    return false;
  }

  void note(Diagnostic &diagnostic) {
    auto append = [&](Diagnostic &one, StringRef prefix) {
      std::string where = tile::locationText(one.getLocation());
      messages += (messages.empty() ? "" : "\n") + (where.empty() ? "" : where + ": ") + prefix.str() + one.str();
    };
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error) return;
    append(diagnostic, "");
    for (Diagnostic &attached : diagnostic.getNotes()) append(attached, "note: ");
  }

  void stage(StringRef name, llvm::function_ref<void(llvm::raw_ostream &)> print) {
    auto now = std::chrono::steady_clock::now();
    Stage entry;
    entry.name = name.str();
    entry.milliseconds = std::chrono::duration<double, std::milli>(now - started).count();
    if (options.stages) {
      llvm::raw_string_ostream out(entry.text);
      print(out);
    }
    result.stages.push_back(std::move(entry));
    started = std::chrono::steady_clock::now();
  }
  void stage(StringRef name) {
    stage(name, [&](llvm::raw_ostream &out) { module->print(out); });
  }

  bool import() {
    module = ModuleOp::create(UnknownLoc::get(context.get()));
    for (size_t i = 0; i < request.kernelCount; ++i) {
      const SectileKernel &kernel = request.kernels[i];
      trace::ParseResult parsed = trace::parse({kernel.trace.data, kernel.trace.size}, {kernel.locations.data, kernel.locations.size});
      if (!parsed.error.empty()) return fail(SectileUserError, parsed.error);
      // Names come from users and may repeat; symbols in one module may not.
      parsed.trace.name = "kernel" + std::to_string(i) + "_" + parsed.trace.name;
      if (kernel.factCount != 0 && kernel.factCount != parsed.trace.parameters.size())
        return fail(SectileUserError, "facts are given for another number of parameters than the kernel has");
      auto imported = tile::importTrace(parsed.trace, ArrayRef(kernel.facts, kernel.factCount), *module);
      if (failed(imported)) return fail(SectileUserError, "the trace cannot be imported");
      symbols.push_back(parsed.trace.name);
      parameters.emplace_back();
      for (const trace::Type &type : parsed.trace.parameter_types)
        parameters.back().push_back({type.kind == trace::Type::Kind::view, type.readonly, type.element, type.rank});
    }
    if (failed(verify(*module))) return fail(SectileUserError, "the trace is not a valid kernel");
    stage("import");
    return true;
  }

  bool optimise() {
    PassManager passes(context.get());
    passes.enableVerifier(false);
    passes.addPass(createCanonicalizerPass());
    passes.addPass(createCSEPass());
    if (failed(passes.run(*module))) return fail(SectileInternalError, "simplification failed");
    for (auto kernel : module->getOps<tile::KernelOp>()) {
      auto recipe = tile::extractRecipe(kernel);
      if (failed(recipe)) return fail(SectileUserError, "the grid cannot be computed on the host");
      recipes.push_back(*recipe);
    }
    stage("tile");
    return true;
  }

  bool lower() {
    PassManager passes(context.get());
    passes.enableVerifier(false);
    passes.addPass(cpu::createLowerToCpu({target->level}));
    if (failed(passes.run(*module))) return fail(SectileTargetError, "lowering failed");
    stage("loops");
    for (auto function : module->getOps<func::FuncOp>()) {
      arenas.push_back(function->getAttrOfType<IntegerAttr>(cpu::kArenaBytes).getInt());
      if (arenas.back() > mostArenaBytes)
        return fail(SectileTargetError, symbols[arenas.size() - 1] + " needs " + std::to_string(arenas.back()) +
                                            " bytes of scratch per program for its tiles; the limit is " + std::to_string(mostArenaBytes) + "; use smaller tiles");
      sites.push_back(readSites(function->getAttrOfType<ArrayAttr>(cpu::kSites)));
      function->removeAttr(cpu::kArenaBytes);
      function->removeAttr(cpu::kSites);
    }
    PassManager toLlvm(context.get());
    toLlvm.enableVerifier(false);
    cpu::addLlvmPasses(toLlvm, *target);
    if (failed(toLlvm.run(*module))) return fail(SectileInternalError, "conversion to LLVM failed");
    stage("llvm-dialect");
    return true;
  }

  static ScalarType siteType(Type type) {
    if (type.isF32()) return ScalarType::f32;
    if (type.isF64()) return ScalarType::f64;
    switch (type.getIntOrFloatBitWidth()) {
      case 1: return ScalarType::boolean;
      case 8: return ScalarType::i8;
      case 16: return ScalarType::i16;
      case 32: return ScalarType::i32;
      default: return ScalarType::i64;
    }
  }

  static std::vector<format::Site> readSites(ArrayAttr array) {
    std::vector<format::Site> sites;
    for (auto entry : array.getAsRange<DictionaryAttr>()) {
      format::Site site;
      site.kind = entry.getAs<StringAttr>("kind").getValue() == "print" ? format::Site::Kind::print : format::Site::Kind::assertion;
      site.text = entry.getAs<StringAttr>("text").str();
      site.location = entry.getAs<StringAttr>("location").str();
      for (auto type : entry.getAs<ArrayAttr>("values").getAsRange<TypeAttr>()) {
        ArrayRef<int64_t> shape = tile::shapeOf(type.getValue());
        site.values.push_back({siteType(tile::elementType(type.getValue())), {shape.begin(), shape.end()}});
      }
      sites.push_back(std::move(site));
    }
    return sites;
  }

  bool emit() {
    auto object = cpu::emitSharedObject(*module, *target, options.level, [this](StringRef name, llvm::function_ref<void(llvm::raw_ostream &)> print) { stage(name, print); });
    if (!object) {
      messages = llvm::toString(object.takeError());
      return fail(SectileInternalError, "code generation failed");
    }
    code = std::move(*object);
    return true;
  }

  void pack() {
    for (size_t i = 0; i < symbols.size(); ++i) {
      format::Image image;
      image.symbol = symbols[i];
      image.target = request.target;
      image.parameters = parameters[i];
      image.recipe = recipes[i];
      image.arena_bytes = arenas[i];
      image.sites = sites[i];
      image.code = code;
      result.images.push_back(format::serialize(image));
    }
  }

  const SectileRequest &request;
  std::unique_ptr<MLIRContext> context;
  Options options;
  std::optional<cpu::CpuTarget> target;
  OwningOpRef<ModuleOp> module;
  std::vector<std::string> symbols;
  std::vector<std::vector<format::Parameter>> parameters;
  std::vector<format::Recipe> recipes;
  std::vector<int64_t> arenas;
  std::vector<std::vector<format::Site>> sites;
  std::vector<uint8_t> code;
  std::string messages;
  std::chrono::steady_clock::time_point started;
  Result result;
};

}  // namespace

Result compile(const SectileRequest &request) { return Compilation(request).run(); }

}  // namespace sectile::driver
