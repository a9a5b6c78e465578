// Tensors, and views of memory that comes from elsewhere.

#include "test/unit/catch.h"
#include "test/unit/runtime/kernels.h"

#include <span>
#include <vector>

using namespace sectile;
using namespace sectile::test;

TEST_CASE("a tensor owns aligned row-major memory") {
  Tensor<float, 3> tensor({3, 4, 5}, 2.5f);
  CHECK(tensor.size() == 60);
  CHECK(reinterpret_cast<std::uintptr_t>(tensor.data()) % 64 == 0);
  CHECK(tensor[59] == 2.5f);
  View<float, 3> view = tensor;
  CHECK(view.data() == tensor.data());
  CHECK(view.strides() == std::array<std::int64_t, 3>{20, 5, 1});
  View<const float, 3> constant = std::as_const(tensor);
  CHECK(constant.shape() == tensor.shape());
  Tensor<float, 3> moved = std::move(tensor);
  CHECK(moved.data() == view.data());
}

TEST_CASE("empty and impossible tensors") {
  CHECK(Tensor<f16, 2>({0, 7}).size() == 0);
  CHECK(Tensor<f16, 2>({0, std::int64_t{1} << 62}).size() == 0);
  CHECK(throws<UserError>("negative size", [] { Tensor<float, 1>({-1}); }));
  CHECK(throws<UserError>("negative size", [] { Tensor<float, 2>({-1, 0}); }));
  CHECK(throws<UserError>("negative size", [] { Tensor<float, 2>({-4, -4}); }));
  CHECK(throws<UserError>("2^48 bytes", [] { Tensor<float, 2>({std::int64_t{1} << 40, std::int64_t{1} << 40}); }));
  CHECK(throws<UserError>("2^48 bytes", [] { Tensor<double, 1>({std::int64_t{1} << 47}); }));
}

TEST_CASE("views of pointers, vectors and spans") {
  std::vector<float> memory(12);
  View<float, 2> matrix(memory.data(), {3, 4});
  CHECK(matrix.strides() == std::array<std::int64_t, 2>{4, 1});
  View<float, 1> vector = memory;
  CHECK(vector.shape()[0] == 12);
  View<const float, 1> part = std::span<const float>(memory).subspan(2, 3);
  CHECK(part.data() == memory.data() + 2);
  View<float, 2> transposed(memory.data(), {4, 3}, {1, 4});
  CHECK(View<const float, 2>(transposed).strides() == transposed.strides());
}

namespace {

struct Foreign {  // as dlpack.h spells it: an enumeration for the device
  enum Kind { cpu = 1, cuda = 2 };
  struct DLTensor {
    void* data;
    struct {
      Kind device_type;
      std::int32_t device_id;
    } device;
    std::int32_t ndim;
    dlpack::DataType dtype;
    std::int64_t* shape;
    std::int64_t* strides;
    std::uint64_t byte_offset;
  };
};

}  // namespace

TEST_CASE("DLPack tensors become views") {
  float memory[24] = {};
  std::int64_t shape[] = {4, 6}, strides[] = {1, 4};
  dlpack::ManagedTensor managed{{memory, {1, 0}, 2, {2, 32, 1}, shape, nullptr, 8}, nullptr, nullptr};
  View<float, 2> view = from_dlpack<float, 2>(managed);
  CHECK(view.data() == memory + 2);
  CHECK(view.strides() == std::array<std::int64_t, 2>{6, 1});
  managed.dl_tensor.strides = strides;
  CHECK((from_dlpack<const float, 2>(&managed).strides() == std::array<std::int64_t, 2>{1, 4}));
  Foreign::DLTensor foreign{memory, {Foreign::cpu, 0}, 2, {2, 32, 1}, shape, nullptr, 0};
  CHECK((from_dlpack<float, 2>(foreign).data() == memory));
  static_assert(sizeof(dlpack::Tensor) == 48 && sizeof(dlpack::ManagedTensor) == 64);
}

TEST_CASE("DLPack tensors that a view cannot hold are refused") {
  float memory[24] = {};
  std::int64_t shape[] = {4, 6}, negative[] = {4, -6}, none[] = {0, 6};
  dlpack::Tensor good{memory, {1, 0}, 2, {2, 32, 1}, shape, nullptr, 0}, bad = good;
  auto view = [&] { from_dlpack<float, 2>(bad); };
  bad.device.device_type = 2;
  CHECK(throws<UserError>("not in CPU memory", view));
  bad = good, bad.ndim = 3;
  CHECK(throws<UserError>("has 3 axes and the view has 2", view));
  bad = good, bad.dtype.code = 0;
  CHECK(throws<UserError>("not f32", view));
  bad = good, bad.dtype.bits = 64;
  CHECK(throws<UserError>("64 bits", view));
  bad = good, bad.dtype.lanes = 4;
  CHECK(throws<UserError>("4 lanes", view));
  bad = good, bad.shape = nullptr;
  CHECK(throws<UserError>("no shape", view));
  bad = good, bad.shape = negative;
  CHECK(throws<UserError>("size -6 on axis 1", view));
  bad = good, bad.data = nullptr;
  CHECK(throws<UserError>("null pointer", view));
  bad.shape = none, bad.byte_offset = 64;
  CHECK((from_dlpack<float, 2>(bad).data() == nullptr));
  const dlpack::Tensor* missing = nullptr;
  CHECK(throws<UserError>("null pointer", [&] { from_dlpack<float, 2>(missing); }));
}

TEST_CASE("DLPack type codes") {
  std::int64_t shape[] = {1};
  char memory[8] = {};
  auto tensor = [&](std::uint8_t code, std::uint8_t bits) { return dlpack::Tensor{memory, {1, 0}, 1, {code, bits, 1}, shape, nullptr, 0}; };
  from_dlpack<bool, 1>(tensor(6, 8));
  from_dlpack<i8, 1>(tensor(0, 8));
  from_dlpack<u32, 1>(tensor(1, 32));
  from_dlpack<i64, 1>(tensor(0, 64));
  from_dlpack<f16, 1>(tensor(2, 16));
  from_dlpack<bf16, 1>(tensor(4, 16));
  from_dlpack<f64, 1>(tensor(2, 64));
  from_dlpack<f8e4m3, 1>(tensor(10, 8));
  from_dlpack<f8e5m2, 1>(tensor(12, 8));
  CHECK(throws<UserError>("not bf16", [&] { from_dlpack<bf16, 1>(tensor(2, 16)); }));
}
