// fuzz-bytes: damaged traces and damaged .mlir text must give an error or a kernel, never a crash. Runs in child processes.

#include "Child.h"

#include "compiler/driver/Compile.h"
#include "compiler/driver/Dialects.h"
#include "targets/cpu/lower/LowerToCpu.h"
#include "test/fuzz/traces.h"
#include "test/unit/mutate.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"

#include <random>

using namespace sectile;
using namespace sectile::fuzz;

namespace {

using Bytes = std::vector<uint8_t>;

/// Damage that keeps words whole: two words exchanged, or one replaced by another.
std::string damagedText(const std::string &text, std::mt19937_64 &random) {
  std::vector<std::string> words;
  for (char c : text) {
    bool letter = isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '%';
    if (words.empty() || !letter || !isalnum(static_cast<unsigned char>(words.back().back()))) words.emplace_back();
    words.back() += c;
  }
  for (uint64_t times = 1 + random() % 2; times > 0; --times) {
    size_t a = random() % words.size(), b = random() % words.size();
    if (random() % 2) std::swap(words[a], words[b]);
    else words[a] = words[b];
  }
  std::string result;
  for (const std::string &word : words) result += word;
  return result;
}

void compileTrace(const Bytes &bytes) {
  SectileKernel kernel{{bytes.data(), bytes.size()}, {nullptr, 0}, nullptr, 0};
  SectileRequest request{&kernel, 1, "cpu:x86-64-v3", "opt=0"};
  driver::compile(request);
}

void compileText(const std::string &text) {
  auto context = driver::makeContext();
  mlir::ScopedDiagnosticHandler handler(context.get(), [](mlir::Diagnostic &) {});
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, context.get());
  if (!module) return;
  mlir::PassManager passes(context.get());
  passes.addPass(mlir::createCanonicalizerPass());
  passes.addPass(cpu::createLowerToCpu({"x86-64-v3"}));
  (void)passes.run(*module);
}

void tryOne(uint64_t seed, const std::vector<Bytes> &traces, const std::vector<std::string> &texts) {
  std::mt19937_64 random(seed);
  if (seed % 2 || texts.empty()) compileTrace(test::damaged(traces[random() % traces.size()], random));
  else compileText(damagedText(texts[random() % texts.size()], random));
}

/// The parts of a file that lit splits.
std::vector<std::string> partsOf(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  std::vector<std::string> parts;
  if (!buffer) return parts;
  llvm::SmallVector<llvm::StringRef> pieces;
  (*buffer)->getBuffer().split(pieces, "// -----");
  for (llvm::StringRef piece : pieces) parts.push_back(piece.str());
  return parts;
}

}  // namespace

int main(int argc, char **argv) {
  namespace cl = llvm::cl;
  cl::OptionCategory category("Options");
  cl::opt<uint64_t> first("seed", cl::desc("first seed"), cl::init(1), cl::cat(category)), count("count", cl::desc("number of damages"), cl::init(4000), cl::cat(category));
  cl::list<std::string> files(cl::Positional, cl::desc("files of kernels"), cl::cat(category));
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Damaged traces and damaged text\n");
  std::vector<Bytes> traces = recordedTraces();
  std::vector<std::string> texts;
  for (const std::string &file : files)
    for (std::string &part : partsOf(file)) texts.push_back(std::move(part));
  std::printf("seeds %llu to %llu, %zu traces, %zu texts\n", static_cast<unsigned long long>(first), static_cast<unsigned long long>(first + count - 1), traces.size(), texts.size());
  constexpr uint64_t batch = 100;
  uint64_t failures = 0;
  for (uint64_t start = first; start < first + count; start += batch) {
    uint64_t end = std::min<uint64_t>(start + batch, first + count);
    auto all = [&](uint64_t from, uint64_t to) {
      return inChild([&] {
        for (uint64_t seed = from; seed < to; ++seed) tryOne(seed, traces, texts);
        return std::string();
      });
    };
    if (all(start, end).empty()) continue;
    for (uint64_t seed = start; seed < end; ++seed) {
      std::string problem = all(seed, seed + 1);
      if (problem.empty()) continue;
      ++failures;
      std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), problem.c_str());
      std::mt19937_64 random(seed);
      if (seed % 2 == 0 && failures <= 5) std::printf("%s\n", damagedText(texts[random() % texts.size()], random).c_str());
    }
  }
  std::printf(failures ? "%llu crashes\n" : "no crash\n", static_cast<unsigned long long>(failures));
  return failures != 0;
}
