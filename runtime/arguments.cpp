// Argument checks: nothing that a caller passes may make a kernel touch memory it should not.

#include "runtime/arguments.h"

#include "sectile/error.h"

#include <cstdio>
#include <string>

namespace sectile::runtime {
namespace {

struct Range {
  std::int64_t first, last;  // bytes [first, last)
  bool written, empty;       // empty: no elements
};

/// Larger sizes leave no room for a tile that hangs over the end of the view.
constexpr std::int64_t most_elements = std::int64_t{1} << 61;

[[noreturn]] void bad(int parameter, const std::string& what) { throw UserError("argument " + std::to_string(parameter + 1) + " of the launch: " + what, ""); }

std::string hexadecimal(std::int64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

/// Byte range of a view, after checking it.
Range check_view(const detail::ParameterInfo& info, int parameter, const std::int64_t* slots) {
  const std::int64_t pointer = slots[0], *sizes = slots + 1, *strides = slots + 1 + info.rank;
  std::int64_t bytes = storage_bits(info.element) / 8;
  bool empty = false;
  for (int axis = 0; axis < info.rank; ++axis) {
    if (sizes[axis] < 0) bad(parameter, "the view has size " + std::to_string(sizes[axis]) + " on axis " + std::to_string(axis) + "; sizes are 0 or more");
    if (sizes[axis] > most_elements) bad(parameter, "the view has size " + std::to_string(sizes[axis]) + " on axis " + std::to_string(axis) + "; sizes are at most 2^61");
    empty = empty || sizes[axis] == 0;
  }
  if (empty) return {0, 0, false, true};
  if (pointer == 0) bad(parameter, "the view has elements but a null pointer; pass memory for them");
  if (pointer % bytes != 0)
    bad(parameter, "the pointer " + hexadecimal(pointer) + " is not aligned to the " + std::to_string(bytes) + " bytes of an element of type " + std::string(name(info.element)) + "; align the memory");
  std::int64_t low = 0, high = bytes;
  for (int axis = 0; axis < info.rank; ++axis) {
    std::int64_t reach;
    bool overflow = __builtin_mul_overflow(sizes[axis] - 1, strides[axis], &reach) || __builtin_mul_overflow(reach, bytes, &reach);
    overflow = overflow || __builtin_add_overflow(reach < 0 ? low : high, reach, reach < 0 ? &low : &high);
    if (overflow) bad(parameter, "size " + std::to_string(sizes[axis]) + " times stride " + std::to_string(strides[axis]) + " on axis " + std::to_string(axis) + " overflows 64-bit addresses; check the shape and the strides");
  }
  Range range{0, 0, !info.readonly, false};
  if (__builtin_add_overflow(pointer, low, &range.first) || __builtin_add_overflow(pointer, high, &range.last) || range.first <= 0)
    bad(parameter, "the view reaches beyond the address space; check the shape and the strides");
  return range;
}

int unit_axis(const detail::ParameterInfo& info, const std::int64_t* slots) {
  const std::int64_t *sizes = slots + 1, *strides = slots + 1 + info.rank;
  if (strides[info.rank - 1] == 1 || sizes[info.rank - 1] <= 1) return info.rank - 1;
  for (int axis = info.rank - 2; axis >= 0; --axis)
    if (strides[axis] == 1) return axis;
  return -1;
}

/// One view of a launch with its byte range.
struct Seen {
  Range range;
  const detail::ParameterInfo* info;
  const std::int64_t* slots;
};

/// A byte: unit axis + 1 in bits 0-2, log2 of the alignment in bits 3-5, disjoint in bit 6. A view without elements is never accessed and gets
/// the facts of ordinary memory, so that it needs no variant of its own.
std::uint64_t pack(const Seen* seen, int count, int i) {
  const Range& range = seen[i].range;
  bool disjoint = true;
  for (int j = 0; j < count && !range.empty; ++j) {
    const Range& other = seen[j].range;
    if (i == j || other.empty || !(range.written || other.written)) continue;
    disjoint = disjoint && (range.last <= other.first || other.last <= range.first);
  }
  int alignment = range.empty ? 6 : 0;
  while (alignment < 6 && (seen[i].slots[0] & ((std::int64_t{2} << alignment) - 1)) == 0) ++alignment;
  int unit = range.empty ? seen[i].info->rank - 1 : unit_axis(*seen[i].info, seen[i].slots);
  return static_cast<std::uint64_t>(unit + 1) | static_cast<std::uint64_t>(alignment) << 3 | static_cast<std::uint64_t>(disjoint) << 6;
}

}  // namespace

Facts gather_facts(const detail::KernelInfo& kernel, const std::int64_t* slots) {
  constexpr int most = 32;  // views beyond get no facts, and then no view is known to be disjoint from all others
  Facts facts;
  Seen seen[most];
  int position[most], views = 0;
  for (int i = 0; i < kernel.parameter_count; ++i) {
    const detail::ParameterInfo& info = kernel.parameters[i];
    if (info.is_view) {
      Range range = check_view(info, i, slots);
      if (i < most) seen[views] = {range, &info, slots}, position[views++] = i;
    }
    slots += info.is_view ? 1 + 2 * info.rank : 1;
  }
  std::uint64_t keep = kernel.parameter_count <= most ? 0x7f : 0x3f;
  for (int i = 0; i < views; ++i) facts.words[static_cast<std::size_t>(position[i] / 8)] |= (pack(seen, views, i) & keep) << (8 * (position[i] % 8));
  return facts;
}

std::vector<SectileParameterFacts> Facts::list(const detail::KernelInfo& kernel) const {
  std::vector<SectileParameterFacts> result;
  for (int i = 0; i < kernel.parameter_count; ++i) {
    std::uint64_t byte = i < 32 ? words[static_cast<std::size_t>(i / 8)] >> (8 * (i % 8)) & 0xff : 0;
    bool view = kernel.parameters[i].is_view && i < 32;
    result.push_back({view ? static_cast<std::int32_t>(byte & 7) - 1 : -1, view ? 1u << (byte >> 3 & 7) : 0u, view ? static_cast<std::uint32_t>(byte >> 6 & 1) : 0u});
  }
  return result;
}

}  // namespace sectile::runtime
