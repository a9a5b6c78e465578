// Devices, tensors and launches.
//
//   sectile::launch<vector_add<256>>(Device::cpu(), x, y, out);
//
// compiles the kernel at first use (by opening libsectile-compiler.so), keeps it in memory, and runs it. CPU launches are synchronous.
// Errors are exceptions of sectile/error.h; nothing aborts the process.
#pragma once

#include "sectile/error.h"
#include "sectile/kernel.h"

#include <cstdio>
#include <cstring>
#include <new>
#include <vector>

namespace sectile {

namespace detail {
struct DeviceState;
struct Compiled;
}  // namespace detail

/// A device: a small handle, cheap to copy.
class Device {
 public:
  /// The host CPU. `level`: "native", "x86-64-v2", "x86-64-v3" or "x86-64-v4". Throws UserError for another level, or one that this machine lacks.
  static Device cpu(const char* level = "native");
  /// For instance "cpu:native".
  const char* name() const;
  /// Waits until everything launched on the device is done.
  void synchronize() const;
  detail::DeviceState& state() const { return *state_; }
  explicit Device(detail::DeviceState& state) : state_(&state) {}

 private:
  detail::DeviceState* state_;
};

/// Work on one device, in order. CPU streams run each launch to its end.
class Stream {
 public:
  explicit Stream(Device device) : device_(device) {}
  Device device() const { return device_; }
  /// Waits until everything launched on the stream is done; throws ExecutionError for its failures.
  void synchronize() const { device_.synchronize(); }

 private:
  Device device_;
};

namespace detail {
inline Device device_of(const Device& device) { return device; }
inline Device device_of(const Stream& stream) { return stream.device(); }
void* allocate_aligned(std::int64_t count, std::size_t element_size);
void free_aligned(void* pointer);
}  // namespace detail

/// Owns row-major host memory of a run-time shape, 64-byte aligned.
template <typename T, int R>
class Tensor {
 public:
  /// Uninitialised. Throws UserError for a negative or overflowing shape or when memory runs out.
  explicit Tensor(std::array<std::int64_t, R> shape) : shape_(shape) {
    bool bad = false;
    for (std::int64_t size : shape) bad = bad || size < 0 || __builtin_mul_overflow(count_, size, &count_);
    if (bad) count_ = -1;
    data_ = static_cast<T*>(detail::allocate_aligned(count_, sizeof(T)));
  }
  Tensor(std::array<std::int64_t, R> shape, T value) : Tensor(shape) {
    for (std::int64_t i = 0; i < count_; ++i) data_[i] = value;
  }
  ~Tensor() { detail::free_aligned(data_); }
  /// Moves the memory; `other` becomes empty.
  Tensor(Tensor&& other) noexcept
      : shape_(std::exchange(other.shape_, {})), count_(std::exchange(other.count_, 0)), data_(std::exchange(other.data_, nullptr)) {}
  Tensor& operator=(Tensor&& other) noexcept {
    std::swap(shape_, other.shape_), std::swap(count_, other.count_), std::swap(data_, other.data_);
    return *this;
  }
  T* data() { return data_; }
  const T* data() const { return data_; }
  std::int64_t size() const { return count_; }
  const std::array<std::int64_t, R>& shape() const { return shape_; }
  T& operator[](std::int64_t i) { return data_[i]; }
  const T& operator[](std::int64_t i) const { return data_[i]; }
  View<T, R> view() { return View<T, R>(data(), shape_); }
  View<const T, R> view() const { return View<const T, R>(data(), shape_); }
  operator View<T, R>() { return view(); }
  operator View<const T, R>() const { return view(); }

 private:
  std::array<std::int64_t, R> shape_;
  std::int64_t count_ = 1;
  T* data_ = nullptr;
};

/// The part of the DLPack ABI that views need (structures of the public DLPack specification).
namespace dlpack {
struct Device {
  std::int32_t device_type;  ///< 1 is the CPU
  std::int32_t device_id;
};
struct DataType {
  std::uint8_t code;  ///< 0 int, 1 uint, 2 float, 4 bfloat, 6 bool, 10 f8e4m3fn, 12 f8e5m2
  std::uint8_t bits;
  std::uint16_t lanes;
};
struct Tensor {
  void* data;
  Device device;
  std::int32_t ndim;
  DataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;  ///< in elements; null means row-major
  std::uint64_t byte_offset;
};
struct ManagedTensor {
  Tensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(ManagedTensor*);
};
}  // namespace dlpack

namespace detail {
/// Throws UserError when the tensor is not on the CPU or has another rank or element type, or a negative size.
void check_dlpack(const dlpack::Tensor& tensor, ScalarType element, int rank);

/// From any structure with the members of a DLPack tensor, such as DLTensor of dlpack.h.
template <typename Any>
dlpack::Tensor dlpack_tensor(const Any& tensor) {
  if constexpr (requires { tensor.dl_tensor; }) {
    return dlpack_tensor(tensor.dl_tensor);
  } else {
    return {tensor.data,  {static_cast<std::int32_t>(tensor.device.device_type), tensor.device.device_id},
            tensor.ndim,  {tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes},
            tensor.shape, tensor.strides,
            tensor.byte_offset};
  }
}
}  // namespace detail

/// A view of the memory of a DLPack tensor (dlpack::Tensor, dlpack::ManagedTensor, or DLTensor, DLManagedTensor of dlpack.h), which must outlive
/// it; ownership stays with the caller. Throws UserError when device, rank or element type differ.
template <typename T, int R, typename Any>
View<T, R> from_dlpack(const Any& any) {
  if constexpr (std::is_pointer_v<Any>) {
    if (!any) throw UserError("the DLPack tensor is a null pointer; pass a tensor", "");
    return from_dlpack<T, R>(*any);
  } else {
    dlpack::Tensor tensor = detail::dlpack_tensor(any);
    detail::check_dlpack(tensor, scalar_type_of<T>, R);
    std::array<std::int64_t, R> shape, strides;
    for (int i = 0; i < R; ++i) shape[static_cast<std::size_t>(i)] = tensor.shape[i];
    T* data = tensor.data ? reinterpret_cast<T*>(static_cast<char*>(tensor.data) + tensor.byte_offset) : nullptr;
    if (!tensor.strides) return View<T, R>(data, shape);
    for (int i = 0; i < R; ++i) strides[static_cast<std::size_t>(i)] = tensor.strides[i];
    return View<T, R>(data, shape, strides);
  }
}

namespace detail {

[[noreturn]] void inexact_scalar(const char* value, ScalarType type);

/// Writes a number in decimal; `text` takes 24 characters.
inline const char* decimal(unsigned long long magnitude, bool negative, char* text) {
  char* at = text + 23;
  for (*at = 0; magnitude || !*at; magnitude /= 10) *--at = static_cast<char>('0' + magnitude % 10);
  if (negative) *--at = '-';
  return at;
}
template <typename A>
[[noreturn]] void inexact_integer(A value, ScalarType type) {
  char text[24];
  bool negative = value < A{};
  auto magnitude = static_cast<unsigned long long>(value);
  inexact_scalar(decimal(negative ? 0 - magnitude : magnitude, negative, text), type);
}
template <typename V, typename A>
V exact_integer(A value, ScalarType type) {
  V converted = static_cast<V>(value);
  if (static_cast<A>(converted) != value || (converted < V{}) != (value < A{})) inexact_integer(value, type);
  return converted;
}
/// An integer as a float, when the float holds it exactly.
template <typename V, typename A>
V exact_float(A value, ScalarType type) {
  V converted(static_cast<double>(value));
  double back = static_cast<double>(converted);
  if (!(back > -9.3e18 && back < 1.85e19) || back != static_cast<double>(value) || (sizeof(A) == 8 && static_cast<double>(value) != static_cast<long double>(value)))
    inexact_integer(value, type);
  return converted;
}

template <typename P>
struct SlotWriter {
  static_assert(!std::is_same_v<P, P>, "a kernel parameter is a View<T, R>, a Scalar<T> or an Index; host values come in as template parameters");
};
template <typename T, int R>
struct SlotWriter<View<T, R>> {
  static constexpr int slots = 1 + 2 * R;
  static void write(std::int64_t* out, const View<T, R>& view) {
    out[0] = reinterpret_cast<std::int64_t>(view.data());
    for (int i = 0; i < R; ++i) out[1 + i] = view.shape()[static_cast<std::size_t>(i)], out[1 + R + i] = view.strides()[static_cast<std::size_t>(i)];
  }
  template <typename A>
  static View<T, R> convert(A&& argument) {
    static_assert(std::is_convertible_v<A&&, View<T, R>>, "this argument does not convert to the kernel's View<T, R> parameter; pass a Tensor or View of the same element type and rank");
    return static_cast<View<T, R>>(argument);
  }
};
template <typename T>
struct SlotWriter<Tile<T>> {
  using Value = std::conditional_t<is_index_element<T>, std::int64_t, T>;
  static constexpr int slots = 1;
  static void write(std::int64_t* out, Value value) {
    if constexpr (std::is_integral_v<Value>) {
      *out = static_cast<std::int64_t>(value);
    } else {
      *out = 0;
      std::memcpy(out, &value, sizeof value);
    }
  }
  template <typename A>
  static Value convert(const A& argument) {
    constexpr bool number = std::is_arithmetic_v<A> || std::is_same_v<A, Value>;
    static_assert(number || std::is_convertible_v<const A&, Value>, "this argument does not convert to the kernel's Scalar<T> parameter; pass a number");
    static_assert(!(std::is_floating_point_v<A> && std::is_integral_v<Value>),
                  "this argument is a floating-point number and the kernel's parameter an integer Scalar<T>; convert it first");
    if constexpr (std::is_integral_v<A> && std::is_integral_v<Value>) return exact_integer<Value>(argument, scalar_type_of<T>);
    else if constexpr (std::is_integral_v<A>) return exact_float<Value>(argument, scalar_type_of<T>);
    else if constexpr (std::is_arithmetic_v<A> && !std::is_arithmetic_v<Value>) return Value(static_cast<double>(argument));
    else return static_cast<Value>(argument);
  }
};

template <typename F>
struct LaunchTraits {  // kernel_info says what is wrong
  static constexpr int slots = 0;
  template <typename... A>
  static void write(std::int64_t*, A&&...) {}
};
template <typename... P>
struct LaunchTraits<void (*)(P...)> {
  static constexpr int slots = (SlotWriter<std::remove_cvref_t<P>>::slots + ... + 0);
  template <typename... A>
  static void write(std::int64_t* out, A&&... arguments) {
    static_assert(sizeof...(A) == sizeof...(P), "the launch has another number of arguments than the kernel has parameters");
    if constexpr (sizeof...(A) == sizeof...(P)) {
      ((SlotWriter<std::remove_cvref_t<P>>::write(out, SlotWriter<std::remove_cvref_t<P>>::convert(std::forward<A>(arguments))),
        out += SlotWriter<std::remove_cvref_t<P>>::slots),
       ...);
    }
  }
};

/// Checks the arguments, finds or compiles the variant, runs it.
void launch(const KernelInfo& kernel, const Device& device, const std::int64_t* slots, int count);
/// Both return one reference for the caller to release.
Compiled* compile(const KernelInfo& kernel, const Device& device, const char* options);
Compiled* compile(const KernelInfo& kernel, const char* target, const char* options);
void retain(Compiled* compiled);
void release(Compiled* compiled);
void launch_compiled(Compiled& compiled, const KernelInfo& kernel, const std::int64_t* slots, int count);

}  // namespace detail

/// Runs Kernel on a device or stream. Views come from tensors, views or anything that converts to the kernel's View; scalars from numbers.
/// Throws UserError (bad arguments or kernel), TargetError, InternalError, or ExecutionError (a device assertion failed).
template <auto Kernel, typename Where, typename... A>
void launch(const Where& where, A&&... arguments) {
  using Traits = detail::LaunchTraits<decltype(Kernel)>;
  std::int64_t slots[Traits::slots + 1];
  Traits::write(slots, std::forward<A>(arguments)...);
  detail::launch(detail::kernel_info<Kernel>(), detail::device_of(where), slots, Traits::slots);
}

/// One step of a compilation: name, IR text and time.
struct Stage {
  std::string name, text;
  double milliseconds;
};

namespace detail {
const char* name_of(const Compiled& compiled);
const std::vector<Stage>& stages_of(const Compiled& compiled);
const std::string& trace_of(const Compiled& compiled);
std::uint64_t arena_bytes_of(const Compiled& compiled);
void print_stages(const Compiled& compiled, std::FILE* file);
}  // namespace detail

/// A kernel compiled without facts about its arguments, with the text of every stage. Cheap to copy.
template <auto Kernel>
class CompiledKernel {
 public:
  /// Takes over one reference.
  explicit CompiledKernel(detail::Compiled* compiled) : compiled_(compiled) {}
  CompiledKernel(const CompiledKernel& other) : compiled_(other.compiled_) { detail::retain(compiled_); }
  CompiledKernel& operator=(const CompiledKernel& other) {
    detail::retain(other.compiled_);
    detail::release(std::exchange(compiled_, other.compiled_));
    return *this;
  }
  ~CompiledKernel() { detail::release(compiled_); }
  /// For instance "vector_add<256>".
  const char* name() const { return detail::name_of(*compiled_); }
  const std::vector<Stage>& stages() const { return detail::stages_of(*compiled_); }
  /// The recorded trace as text.
  const std::string& trace() const { return detail::trace_of(*compiled_); }
  /// Scratch memory that each running program uses.
  std::uint64_t arena_bytes() const { return detail::arena_bytes_of(*compiled_); }
  /// Prints the trace and every stage with its time.
  void print(std::FILE* file = stdout) const { detail::print_stages(*compiled_, file); }
  /// Launches on the device it was compiled for, as `launch` does. Throws UserError when it was compiled for a target only.
  template <typename... A>
  void operator()(A&&... arguments) const {
    using Traits = detail::LaunchTraits<decltype(Kernel)>;
    std::int64_t slots[Traits::slots + 1];
    Traits::write(slots, std::forward<A>(arguments)...);
    detail::launch_compiled(*compiled_, detail::kernel_info<Kernel>(), slots, Traits::slots);
  }

 private:
  detail::Compiled* compiled_;
};

/// Compiles Kernel now for a device or stream. `options`: "opt=0..3", "disable=pass,…", separated by ';'.
template <auto Kernel, typename Where>
  requires(std::is_same_v<Where, Device> || std::is_same_v<Where, Stream>)
CompiledKernel<Kernel> compile(const Where& where, const char* options = "") {
  return CompiledKernel<Kernel>(detail::compile(detail::kernel_info<Kernel>(), detail::device_of(where), options));
}
/// Compiles Kernel for a target such as "cpu:x86-64-v4", which this machine need not be able to run.
template <auto Kernel>
CompiledKernel<Kernel> compile(const char* target, const char* options = "") {
  return CompiledKernel<Kernel>(detail::compile(detail::kernel_info<Kernel>(), target, options));
}

}  // namespace sectile
