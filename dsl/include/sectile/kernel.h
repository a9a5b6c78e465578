// From a kernel function to its KernelInfo: parameters deduced from the function's type.
#pragma once

#include "sectile/kernel_info.h"
#include "sectile/view.h"

#include <utility>

namespace sectile::detail {

template <typename P>
struct ParameterTraits {
  static_assert(!std::is_same_v<P, P>, "a kernel parameter is a View<T, R>, a Scalar<T> or an Index; host values come in as template parameters");
};
template <typename T, int R>
struct ParameterTraits<View<T, R>> {
  static constexpr ParameterInfo info{true, std::is_const_v<T>, scalar_type_of<T>, R};
};
template <typename T>
struct ParameterTraits<Tile<T>> {
  static constexpr ParameterInfo info{false, false, scalar_type_of<T>, 0};
};

template <typename F>
struct KernelTraits {
  static_assert(!std::is_same_v<F, F>, "a kernel is a function that returns void and takes View<T, R>, Scalar<T> and Index parameters");
  static constexpr int count = 0;
  static constexpr ParameterInfo parameters[1] = {};
  template <auto>
  static void invoke() {}
};
template <typename... P>
struct KernelTraits<void (*)(P...)> {
  static constexpr int count = sizeof...(P);
  static constexpr ParameterInfo parameters[sizeof...(P) + 1] = {ParameterTraits<std::remove_cvref_t<P>>::info..., ParameterInfo{}};

  template <auto Kernel, std::size_t... I>
  static void run(std::index_sequence<I...>) {
    Kernel(std::remove_cvref_t<P>(FromSlot{}, parameter_slot(static_cast<int>(I)))...);
  }
  template <auto Kernel>
  static void invoke() {
    run<Kernel>(std::make_index_sequence<sizeof...(P)>{});
  }
};

template <auto Kernel>
const char* kernel_name() {
  return __PRETTY_FUNCTION__;
}

/// The description of a kernel specialisation, such as kernel_info<vector_add<256>>().
template <auto Kernel>
const KernelInfo& kernel_info() {
  using Traits = KernelTraits<decltype(Kernel)>;
  static const KernelInfo info{reinterpret_cast<const void*>(Kernel), &Traits::template invoke<Kernel>, Traits::parameters, Traits::count, kernel_name<Kernel>()};
  return info;
}

}  // namespace sectile::detail
