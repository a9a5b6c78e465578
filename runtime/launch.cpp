// Launching: argument checks, the variant for the arguments' facts, and its launch recipe.

#include "runtime/variants.h"
#include "sectile/error.h"

#include <algorithm>

namespace sectile::detail {
namespace {

constexpr std::size_t most_slots = 128;
constexpr std::int64_t most_programs = std::int64_t{1} << 62;

/// Runs the checks and the extents of the recipe and launches. `slots` have been checked.
void run(Compiled& compiled, const std::int64_t* slots, int count) {
  std::int64_t all[most_slots];
  std::size_t user = static_cast<std::size_t>(count), rank = compiled.recipe.extents.size();
  if (user + rank > most_slots)
    throw UserError(compiled.name + " has too many parameters for a launch; a view takes 1 + 2 * rank words, a scalar one, and " +
                        std::to_string(most_slots - rank) + " are the limit",
                    "");
  std::copy(slots, slots + count, all);
  std::span<const std::int64_t> arguments(all, user);
  for (const format::Check& check : compiled.recipe.checks) {
    format::Evaluated result = format::evaluate(check.expression, arguments);
    if (!result.ok || !result.value) throw UserError("launch of " + compiled.name + ": " + check.message, "");
  }
  std::int64_t total = 1;
  bool empty = false, too_many = false;
  for (std::size_t i = 0; i < rank; ++i) {
    format::Evaluated extent = format::evaluate(compiled.recipe.extents[i], arguments);
    if (!extent.ok)
      throw UserError("launch of " + compiled.name + ": the number of programs on grid axis " + std::to_string(i) +
                          " has no value for these arguments; the step of tiles(extent, step) must be positive",
                      "");
    all[user + i] = extent.value;
    empty = empty || extent.value <= 0;
    too_many = too_many || __builtin_mul_overflow(total, extent.value, &total) || total > most_programs;
  }
  if (empty) return;
  if (too_many) throw UserError("launch of " + compiled.name + ": the grid has more than 2^62 programs; check the sizes of the arguments", "");
  compiled.device->driver->launch(*compiled.module, {all, user + rank}, {all + user, rank});
}

}  // namespace

void launch(const KernelInfo& kernel, const Device& device, const std::int64_t* slots, int count) {
  runtime::Facts facts = runtime::gather_facts(kernel, slots);
  run(find_variant(kernel, device.state(), facts), slots, count);
}

void launch_compiled(Compiled& compiled, const KernelInfo& kernel, const std::int64_t* slots, int count) {
  if (!compiled.device) throw UserError(compiled.name + " was compiled for a target, not for a device; compile it for a Device to launch it", "");
  runtime::gather_facts(kernel, slots);
  run(compiled, slots, count);
}

namespace {

Compiled* referenced(std::shared_ptr<Compiled> compiled) {
  compiled->references = 1;
  compiled->self = compiled;
  return compiled.get();
}

std::string with_stages(const char* options) { return std::string("stages=1;") + (options ? options : ""); }

}  // namespace

Compiled* compile(const KernelInfo& kernel, const Device& device, const char* options) {
  return referenced(build(kernel, device.state().target, &device.state(), nullptr, with_stages(options)));
}

Compiled* compile(const KernelInfo& kernel, const char* target, const char* options) {
  return referenced(build(kernel, target ? target : "", nullptr, nullptr, with_stages(options)));
}

void retain(Compiled* compiled) { compiled->references.fetch_add(1); }

void release(Compiled* compiled) {
  if (compiled->references.fetch_sub(1) == 1) std::shared_ptr<Compiled>(std::move(compiled->self));
}

const char* name_of(const Compiled& compiled) { return compiled.name.c_str(); }
const std::vector<Stage>& stages_of(const Compiled& compiled) { return compiled.stages; }
const std::string& trace_of(const Compiled& compiled) { return compiled.trace; }
std::uint64_t arena_bytes_of(const Compiled& compiled) { return compiled.arena_bytes; }

void print_stages(const Compiled& compiled, std::FILE* file) {
  std::fprintf(file, "// ---- %s: trace\n%s", compiled.name.c_str(), compiled.trace.c_str());
  for (const Stage& stage : compiled.stages) std::fprintf(file, "// ---- %s (%.2f ms)\n%s\n", stage.name.c_str(), stage.milliseconds, stage.text.c_str());
}

}  // namespace sectile::detail
