// Argument checks: nothing that a caller passes may make a kernel touch memory it should not.

#include "runtime/arguments.h"

#include "sectile/error.h"
#include "sectile/runtime.h"

#include <cstdlib>
#include <string>

namespace sectile::runtime {
namespace {

struct Range {
  std::int64_t first = 0, last = 0;  // bytes [first, last); empty when equal
  bool written = false;
};

[[noreturn]] void bad(int parameter, const std::string& what) { throw UserError("argument " + std::to_string(parameter + 1) + " of the launch: " + what, ""); }

/// Byte range of a view, after checking it.
Range check_view(const detail::ParameterInfo& info, int parameter, const std::int64_t* slots) {
  const std::int64_t pointer = slots[0], *sizes = slots + 1, *strides = slots + 1 + info.rank;
  std::int64_t bytes = storage_bits(info.element) / 8;
  bool empty = false;
  for (int axis = 0; axis < info.rank; ++axis) {
    if (sizes[axis] < 0) bad(parameter, "the view has size " + std::to_string(sizes[axis]) + " on axis " + std::to_string(axis) + "; sizes are 0 or more");
    empty = empty || sizes[axis] == 0;
  }
  if (empty) return {};
  if (pointer == 0) bad(parameter, "the view has elements but a null pointer; pass memory for them");
  if (pointer % bytes != 0)
    bad(parameter, "the pointer is not aligned to the " + std::to_string(bytes) + " bytes of an element of type " + std::string(name(info.element)) + "; align the memory");
  std::int64_t low = 0, high = bytes;
  for (int axis = 0; axis < info.rank; ++axis) {
    std::int64_t reach;
    bool overflow = __builtin_mul_overflow(sizes[axis] - 1, strides[axis], &reach) || __builtin_mul_overflow(reach, bytes, &reach);
    overflow = overflow || __builtin_add_overflow(reach < 0 ? low : high, reach, reach < 0 ? &low : &high);
    if (overflow) bad(parameter, "sizes times strides overflow 64-bit addresses; check the shape");
  }
  Range range{0, 0, !info.readonly};
  if (__builtin_add_overflow(pointer, low, &range.first) || __builtin_add_overflow(pointer, high, &range.last))
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

}  // namespace

// A byte per parameter: unit axis + 1 in bits 0-2, log2 of the alignment in bits 3-5, disjoint in bit 6.
Facts gather_facts(const detail::KernelInfo& kernel, const std::int64_t* slots) {
  constexpr int most = 32;
  Facts facts;
  Range ranges[most];
  const std::int64_t* starts[most];
  const std::int64_t* at = slots;
  for (int i = 0; i < kernel.parameter_count; ++i) {
    const detail::ParameterInfo& info = kernel.parameters[i];
    Range range;
    if (info.is_view) range = check_view(info, i, at);
    if (i < most) ranges[i] = range, starts[i] = at;
    at += info.is_view ? 1 + 2 * info.rank : 1;
  }
  int known = kernel.parameter_count < most ? kernel.parameter_count : most;
  for (int i = 0; i < known; ++i) {
    const detail::ParameterInfo& info = kernel.parameters[i];
    if (!info.is_view) continue;
    bool disjoint = kernel.parameter_count <= most;
    for (int j = 0; j < known; ++j) {
      if (i == j || !kernel.parameters[j].is_view || !(ranges[i].written || ranges[j].written)) continue;
      disjoint = disjoint && (ranges[i].last <= ranges[j].first || ranges[j].last <= ranges[i].first);
    }
    int alignment = 0;
    while (alignment < 6 && (starts[i][0] & ((std::int64_t{2} << alignment) - 1)) == 0) ++alignment;
    std::uint64_t byte = static_cast<std::uint64_t>(unit_axis(info, starts[i]) + 1) | static_cast<std::uint64_t>(alignment) << 3 |
                         static_cast<std::uint64_t>(disjoint) << 6;
    facts.words[static_cast<std::size_t>(i / 8)] |= byte << (8 * (i % 8));
  }
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

namespace sectile::detail {

void* allocate_aligned(std::int64_t count, std::size_t element_size) {
  std::int64_t bytes;
  if (count < 0 || __builtin_mul_overflow(count, static_cast<std::int64_t>(element_size), &bytes) || bytes > (std::int64_t{1} << 48))
    throw UserError("a tensor's shape is negative or too large", "");
  void* memory = std::aligned_alloc(64, (static_cast<std::size_t>(bytes) + 127) / 64 * 64);
  if (!memory) throw UserError("no memory for a tensor of " + std::to_string(bytes) + " bytes", "");
  return memory;
}

void free_aligned(void* pointer) { std::free(pointer); }

void check_dlpack(const DLTensor& tensor, ScalarType element, int rank) {
  auto fail = [](const std::string& what) { throw UserError("the DLPack tensor " + what, ""); };
  if (tensor.device.device_type != 1) fail("is not in CPU memory (device type " + std::to_string(tensor.device.device_type) + "); copy it to the host first");
  if (tensor.ndim != rank) fail("has " + std::to_string(tensor.ndim) + " axes; the view has " + std::to_string(rank));
  int code = element == ScalarType::boolean ? 6 : element == ScalarType::bf16 ? 4 : is_float(element) ? 2 : is_unsigned_integer(element) ? 1 : 0;
  if (tensor.dtype.code != code || tensor.dtype.bits != storage_bits(element) || tensor.dtype.lanes != 1)
    fail("has another element type than " + std::string(name(element)) + "; ask for a view of its own type");
  if (!tensor.shape && rank > 0) fail("has no shape");
}

}  // namespace sectile::detail
