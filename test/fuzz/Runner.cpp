// Compilation, memory and comparison of random programs.

#include "Runner.h"

#include "compiler/evaluator/Evaluator.h"
#include "compiler/evaluator/Number.h"
#include "targets/cpu/Emit.h"
#include "targets/cpu/lower/LowerToCpu.h"

#include <cmath>
#include <cstdlib>
#include <dlfcn.h>
#include <random>
#include <unistd.h>

using namespace mlir;

namespace sectile::fuzz {

static llvm::Error failure(const llvm::Twine &message) { return llvm::createStringError(message); }

Batch::~Batch() {
  if (library) dlclose(library);
}

llvm::Error Batch::compile(ModuleOp module, const std::string &level) {
  std::string messages;
  ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &diagnostic) { messages += diagnostic.str() + "\n"; });
  auto target = *cpu::CpuTarget::get(level);
  PassManager passes(module.getContext());
  passes.enableVerifier(false);
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(cpu::createLowerToCpu({target.level}));
  if (failed(passes.run(module))) return failure("lowering failed: " + messages);
  for (auto function : module.getOps<func::FuncOp>()) {
    arenas.emplace_back(function.getName().str(), function->getAttrOfType<IntegerAttr>(cpu::kArenaBytes).getInt());
    function->removeAttr(cpu::kArenaBytes), function->removeAttr(cpu::kSites);
  }
  PassManager toLlvm(module.getContext());
  toLlvm.enableVerifier(false);
  cpu::addLlvmPasses(toLlvm, target);
  if (failed(toLlvm.run(module))) return failure("conversion to LLVM failed: " + messages);
  auto object = cpu::emitSharedObject(module, target, 2, [](StringRef, llvm::function_ref<void(llvm::raw_ostream &)>) {});
  if (!object) return object.takeError();
  // The loader recognises libraries by path: every batch needs one of its own.
  char path[] = "/tmp/sectile-fuzz-XXXXXX";
  int file = mkstemp(path);
  bool written = file >= 0 && write(file, object->data(), object->size()) == static_cast<ssize_t>(object->size());
  if (written) library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (file >= 0) close(file), unlink(path);
  return library ? llvm::Error::success() : failure("cannot load the object");
}

llvm::Expected<Batch::Kernel> Batch::find(const std::string &name) const {
  for (auto &[known, bytes] : arenas)
    if (known == name) return Kernel{reinterpret_cast<sectile_cpu_kernel>(dlsym(library, name.c_str())), bytes};
  return failure("no kernel " + name);
}

static size_t bytesOf(Type element) { return (evaluator::widthOf(element) + 7) / 8; }

/// Small numbers mostly; sometimes anything, and for floats NaN, infinities and signed zeros.
static uint64_t randomElement(Type element, std::mt19937_64 &random, bool wild) {
  if (element.isInteger(1)) return random() & 1;
  if (!isa<FloatType>(element)) return evaluator::masked(wild && random() % 2 ? random() : random() % 16 - 4, element);
  if (wild && random() % 4 == 0) return evaluator::masked(random(), element);
  if (wild && random() % 8 == 0) {
    const evaluator::Real special[] = {NAN, INFINITY, -INFINITY, -0.0, 0.0, 1e-40, 65504, 448};
    return evaluator::bitsOf(special[random() % 8], element);
  }
  return evaluator::bitsOf(static_cast<evaluator::Real>(static_cast<int64_t>(random() % 33) - 16) / 2, element);
}

template <typename F>
static void forEachElement(const Parameter &view, F &&body) {
  SmallVector<int64_t> at(view.shape.size(), 0);
  if (llvm::is_contained(view.shape, 0)) return;
  while (true) {
    int64_t offset = 0;
    for (auto [i, stride] : llvm::zip_equal(at, view.strides)) offset += i * stride;
    body(offset);
    size_t axis = at.size();
    while (axis > 0 && ++at[axis - 1] == view.shape[axis - 1]) at[--axis] = 0;
    if (axis == 0) return;
  }
}

Memory::Memory(const Program &program) {
  for (const Parameter &what : program.parameters) {
    std::mt19937_64 random(what.seed);
    storage.emplace_back();
    scalars.push_back(0);
    if (!what.isView) {
      scalars.back() = randomElement(what.element, random, false);
      continue;
    }
    size_t size = bytesOf(what.element);
    storage.back().assign(2 * guardBytes + static_cast<size_t>(what.span) * size, static_cast<char>(0xff));
    bool wild = what.seed % 3 == 0;
    forEachElement(what, [&](int64_t offset) {
      uint64_t bits = randomElement(what.element, random, wild);
      std::memcpy(storage.back().data() + guardBytes + offset * static_cast<int64_t>(size), &bits, size);
    });
  }
}

std::vector<int64_t> Memory::slots(const Program &program) const {
  std::vector<int64_t> slots;
  for (auto [i, what] : llvm::enumerate(program.parameters)) {
    if (!what.isView) {
      slots.push_back(static_cast<int64_t>(scalars[i]));
      continue;
    }
    slots.push_back(reinterpret_cast<int64_t>(storage[i].data() + guardBytes));
    slots.insert(slots.end(), what.shape.begin(), what.shape.end());
    slots.insert(slots.end(), what.strides.begin(), what.strides.end());
  }
  return slots;
}

static bool equal(uint64_t a, uint64_t b, Type element, bool approximate) {
  if (a == b) return true;
  if (!isa<FloatType>(element)) return false;
  evaluator::Real x = evaluator::realOf(a, element), y = evaluator::realOf(b, element);
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
  if (!approximate) return false;
  auto ordered = [&](uint64_t bits) { return bits >> (evaluator::widthOf(element) - 1) ? -static_cast<int64_t>(evaluator::masked(bits << 1, element) >> 1) : static_cast<int64_t>(bits); };
  return std::abs(ordered(a) - ordered(b)) <= 4;
}

std::optional<std::string> Memory::difference(const Program &program, Memory &other) {
  for (auto [i, what] : llvm::enumerate(program.parameters)) {
    if (!what.isView || storage[i] == other.storage[i]) continue;
    size_t size = bytesOf(what.element);
    std::string text;
    std::vector<bool> isElement(static_cast<size_t>(what.span), false);
    forEachElement(what, [&](int64_t offset) {
      isElement[static_cast<size_t>(offset)] = true;
      uint64_t a = 0, b = 0;
      std::memcpy(&a, data(i) + offset * static_cast<int64_t>(size), size), std::memcpy(&b, other.data(i) + offset * static_cast<int64_t>(size), size);
      if (text.empty() && !equal(a, b, what.element, what.approximate))
        text = llvm::formatv("parameter {0}, element at offset {1}: compiled {2:x}, evaluated {3:x}", i, offset, a, b).str();
    });
    if (!text.empty()) return text;
    for (size_t byte = 0; byte < storage[i].size(); ++byte) {
      int64_t position = static_cast<int64_t>(byte) - static_cast<int64_t>(guardBytes);
      bool inside = position >= 0 && position < what.span * static_cast<int64_t>(size) && isElement[static_cast<size_t>(position) / size];
      if (!inside && storage[i][byte] != other.storage[i][byte]) return llvm::formatv("parameter {0}: a byte that belongs to no element was written", i).str();
    }
  }
  return std::nullopt;
}

llvm::Error evaluated(const Program &program, Memory &memory) {
  std::vector<evaluator::Argument> arguments;
  for (auto [i, what] : llvm::enumerate(program.parameters)) {
    evaluator::Argument argument;
    argument.bits = memory.scalars[i];
    if (what.isView) argument.memory = memory.data(i), argument.shape = what.shape, argument.strides = what.strides;
    arguments.push_back(argument);
  }
  evaluator::Options options;
  options.limit = 200'000'000;
  return evaluator::evaluate(program.kernel, arguments, options);
}

std::vector<int64_t> gridOf(tile::KernelOp kernel) {
  std::vector<int64_t> counts;
  auto number = [](Value value) { return cast<IntegerAttr>(cast<arith::ConstantOp>(value.getDefiningOp()).getValue()).getInt(); };
  tile::GridOp grid = kernel.getGrid();
  for (auto [extent, step] : llvm::zip_equal(grid.getExtents(), grid.getSteps())) counts.push_back((number(extent) + number(step) - 1) / number(step));
  return counts;
}

}  // namespace sectile::fuzz
