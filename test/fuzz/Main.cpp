// fuzz-programs: random kernels, compiled for the CPU against the evaluator. Batches run in child processes, so that a crash is a finding like any other.
// A failing program is reduced by leaving out steps while it still fails, and printed.

#include "Child.h"
#include "Runner.h"

#include "compiler/driver/Dialects.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/CrashRecoveryContext.h"

#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>

using namespace sectile;
using namespace sectile::fuzz;

namespace {

struct Settings {
  uint64_t seed = 1, count = 1000, batch = 40, jobs = 2;
  std::string level = "native";
  bool print = false;
};

/// Runs the programs of these seeds in one module; what is wrong with each, or nothing.
std::vector<std::string> runBatch(const std::vector<uint64_t> &seeds, const std::set<uint64_t> &leftOut, const std::string &level) {
  auto context = driver::makeContext();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(mlir::UnknownLoc::get(context.get()));
  std::vector<Program> programs;
  std::vector<Memory> evaluatedMemory;
  std::vector<std::string> problems(seeds.size());
  std::vector<std::vector<int64_t>> grids;
  std::string messages;
  mlir::ScopedDiagnosticHandler handler(context.get(), [&](mlir::Diagnostic &diagnostic) { messages += diagnostic.str() + "\n"; });
  for (size_t i = 0; i < seeds.size(); ++i) {
    programs.push_back(generate(*module, "k" + std::to_string(i), seeds[i], leftOut));
    evaluatedMemory.emplace_back(programs[i]);
    grids.push_back(gridOf(programs[i].kernel));
    if (failed(mlir::verify(programs[i].kernel))) problems[i] = "the generator made an invalid kernel: " + messages;
    else if (llvm::Error error = evaluated(programs[i], evaluatedMemory[i])) problems[i] = "evaluation failed: " + llvm::toString(std::move(error));
    if (!problems[i].empty()) programs[i].kernel.erase();
  }
  Batch batch;
  if (llvm::Error error = batch.compile(*module, level)) {
    std::string text = llvm::toString(std::move(error));
    for (std::string &problem : problems) problem = problem.empty() ? text : problem;
    return problems;
  }
  llvm::CrashRecoveryContext::Disable();  // its signal handlers are not for crashes of the compiled code
  for (size_t i = 0; i < seeds.size(); ++i) {
    if (!problems[i].empty()) continue;
    auto kernel = batch.find("k" + std::to_string(i));
    if (!kernel) {
      problems[i] = llvm::toString(kernel.takeError());
      continue;
    }
    Memory memory(programs[i]);
    std::vector<int64_t> slots = memory.slots(programs[i]);
    int64_t total = 1;
    for (int64_t size : grids[i]) slots.push_back(size), total *= size;
    size_t bytes = (static_cast<size_t>(kernel->arenaBytes) + 127) / 64 * 64;
    char *arena = static_cast<char *>(std::aligned_alloc(64, bytes));
    std::memset(arena, 0xff, bytes);
    sectile_host host{};
    kernel->entry(slots.data(), 0, total, arena, &host);
    std::free(arena);
    if (auto difference = memory.difference(programs[i], evaluatedMemory[i])) problems[i] = *difference;
  }
  return problems;
}

std::string problemOf(uint64_t seed, const std::set<uint64_t> &leftOut, const std::string &level) {
  return inChild([&] { return runBatch({seed}, leftOut, level)[0]; });
}

std::string textOf(uint64_t seed, const std::set<uint64_t> &leftOut) {
  auto context = driver::makeContext();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(mlir::UnknownLoc::get(context.get()));
  Program program = generate(*module, "k", seed, leftOut);
  std::string text;
  llvm::raw_string_ostream out(text);
  program.kernel.print(out);
  for (auto [i, what] : llvm::enumerate(program.parameters)) {
    out << "\n// parameter " << i << ": " << what.element;
    if (!what.isView) continue;
    out << " view, shape [";
    llvm::interleaveComma(what.shape, out);
    out << "], strides [";
    llvm::interleaveComma(what.strides, out);
    out << "]";
  }
  return text + "\n";
}

/// Leaves out steps one by one while the program still fails.
void report(uint64_t seed, const std::string &problem, const std::string &level) {
  std::set<uint64_t> leftOut;
  bool smaller = true;
  while (smaller) {
    smaller = false;
    auto context = driver::makeContext();
    mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(mlir::UnknownLoc::get(context.get()));
    std::vector<uint64_t> steps = generate(*module, "k", seed, leftOut).steps;
    for (uint64_t step : steps) {
      std::set<uint64_t> tried = leftOut;
      tried.insert(step);
      std::string now = problemOf(seed, tried, level);
      if (now.empty() || now.find("invalid kernel") != std::string::npos) continue;
      leftOut = tried, smaller = true;
    }
  }
  std::printf("seed %llu fails (%s); reduced: %s\n%s\n", static_cast<unsigned long long>(seed), problem.c_str(), problemOf(seed, leftOut, level).c_str(), textOf(seed, leftOut).c_str());
  std::fflush(stdout);
}

/// Tests the seeds of one job; prints what fails. The number of failing seeds.
uint64_t runJob(const Settings &settings, uint64_t job) {
  uint64_t failures = 0;
  for (uint64_t first = job * settings.batch; first < settings.count; first += settings.jobs * settings.batch) {
    std::vector<uint64_t> seeds;
    for (uint64_t i = first; i < std::min(first + settings.batch, settings.count); ++i) seeds.push_back(settings.seed + i);
    std::string found = inChild([&] {
      std::string failing;
      std::vector<std::string> problems = runBatch(seeds, {}, settings.level);
      for (size_t i = 0; i < seeds.size(); ++i)
        if (!problems[i].empty()) failing += std::to_string(seeds[i]) + " ";
      return failing;
    });
    if (found.empty()) continue;
    for (uint64_t seed : seeds) {
      std::string problem = problemOf(seed, {}, settings.level);
      if (problem.empty()) continue;
      if (++failures <= 5) report(seed, problem, settings.level);
      else std::printf("seed %llu fails (%s)\n", static_cast<unsigned long long>(seed), problem.c_str());
    }
  }
  return failures;
}

}  // namespace

int main(int argc, char **argv) {
  namespace cl = llvm::cl;
  cl::OptionCategory category("Options");
  Settings settings;
  auto number = [&](llvm::StringRef name, const char *text, uint64_t &place) {
    return std::make_unique<cl::opt<uint64_t, true>>(name, cl::desc(text), cl::location(place), cl::cat(category));
  };
  auto seed = number("seed", "first seed", settings.seed), count = number("count", "number of programs", settings.count), batch = number("batch", "programs per module", settings.batch),
       jobs = number("jobs", "processes", settings.jobs);
  cl::opt<std::string, true> level("level", cl::desc("native, x86-64-v2, x86-64-v3 or x86-64-v4"), cl::location(settings.level), cl::cat(category));
  cl::opt<bool, true> print("print", cl::desc("only print the programs"), cl::location(settings.print), cl::cat(category));
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Random kernels: the CPU target against the evaluator\n");
  if (settings.print) {
    for (uint64_t i = 0; i < settings.count; ++i) std::printf("// seed %llu\n%s\n", static_cast<unsigned long long>(settings.seed + i), textOf(settings.seed + i, {}).c_str());
    return 0;
  }
  std::printf("seeds %llu to %llu, %s\n", static_cast<unsigned long long>(settings.seed), static_cast<unsigned long long>(settings.seed + settings.count - 1), settings.level.c_str());
  std::vector<pid_t> children;
  for (uint64_t job = 0; job < settings.jobs; ++job) {
    std::fflush(stdout);
    pid_t child = fork();
    if (child == 0) std::exit(runJob(settings, job) != 0);
    children.push_back(child);
  }
  bool good = true;
  for (pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    good = good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  std::printf("%s\n", good ? "all programs agree" : "there are differences");
  return good ? 0 : 1;
}
