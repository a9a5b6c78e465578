// Memory of tensors, and checks of tensors and numbers that come from elsewhere.

#include "sectile/error.h"
#include "sectile/runtime.h"

#include <cstdlib>
#include <string>

namespace sectile::detail {

void* allocate_aligned(std::int64_t count, std::size_t element_size) {
  constexpr std::int64_t most = std::int64_t{1} << 48;
  std::int64_t bytes;
  if (count < 0 || __builtin_mul_overflow(count, static_cast<std::int64_t>(element_size), &bytes) || bytes > most)
    throw UserError("a tensor's shape has a negative size or more than 2^48 bytes; check the shape", "");
  void* memory = std::aligned_alloc(64, (static_cast<std::size_t>(bytes) + 127) / 64 * 64);
  if (!memory) throw UserError("no memory for a tensor of " + std::to_string(bytes) + " bytes; use a smaller shape", "");
  return memory;
}

void free_aligned(void* pointer) { std::free(pointer); }

namespace {

/// The type code of the DLPack specification.
int dlpack_code(ScalarType element) {
  switch (element) {
    case ScalarType::boolean: return 6;
    case ScalarType::bf16: return 4;
    case ScalarType::f8e4m3: return 10;
    case ScalarType::f8e5m2: return 12;
    default: return is_float(element) ? 2 : is_unsigned_integer(element) ? 1 : 0;
  }
}

}  // namespace

void check_dlpack(const dlpack::Tensor& tensor, ScalarType element, int rank) {
  auto fail = [](const std::string& what) { throw UserError("the DLPack tensor " + what, ""); };
  if (tensor.device.device_type != 1)
    fail("is not in CPU memory (device type " + std::to_string(tensor.device.device_type) + "); copy it to the host first");
  if (tensor.ndim != rank) fail("has " + std::to_string(tensor.ndim) + " axes and the view has " + std::to_string(rank) + "; ask for a view of its rank");
  if (tensor.dtype.code != dlpack_code(element) || tensor.dtype.bits != storage_bits(element) || tensor.dtype.lanes != 1)
    fail("has elements of type code " + std::to_string(tensor.dtype.code) + " with " + std::to_string(tensor.dtype.bits) + " bits and " +
         std::to_string(tensor.dtype.lanes) + " lanes, which is not " + std::string(name(element)) + "; ask for a view of its own type");
  if (!tensor.shape) fail("has no shape; its producer must fill it in");
  std::int64_t count = 1;
  for (int i = 0; i < rank; ++i) {
    if (tensor.shape[i] < 0) fail("has size " + std::to_string(tensor.shape[i]) + " on axis " + std::to_string(i) + "; sizes are 0 or more");
    count = tensor.shape[i] == 0 ? 0 : count;
  }
  if (!tensor.data && count != 0) fail("has elements but a null pointer; its producer must fill it in");
}

void inexact_scalar(const char* value, ScalarType type) {
  throw UserError("the number " + std::string(value) + " is not a value of the kernel's Scalar<" + std::string(name(type)) +
                      "> parameter; pass a number that fits or widen the parameter",
                  "");
}

}  // namespace sectile::detail
