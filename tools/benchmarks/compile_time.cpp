// How long compiling takes: the user's file through the host compiler, kernels through ours.
#include "cpu.h"

#include "kernels.h"
#include "timing.h"

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <utility>

namespace bench {
namespace {

/// First launch of a kernel on one-element tensors: compiling it is nearly all of the time.
template <auto Kernel, typename... A>
double first_launch(A&&... arguments) {
  return milliseconds([&] { launch<Kernel>(Device::cpu(), arguments...); });
}
template <auto Kernel>
double first_launch_1d() {
  Tensor<float, 1> x({1}, 1.0f), y({1}, 1.0f), out({1}, 0.0f);
  return first_launch<Kernel>(x, y, out);
}
template <auto Kernel>
double first_launch_rows() {
  Tensor<float, 2> in({1, 1}, 1.0f), out({1, 1}, 0.0f);
  return first_launch<Kernel>(in, out);
}
template <auto Kernel>
double first_launch_2d() {
  Tensor<float, 2> a({1, 1}, 1.0f), b({1, 1}, 1.0f), c({1, 1}, 0.0f);
  return first_launch<Kernel>(a, b, c);
}
template <auto Kernel>
double first_launch_attention() {
  Tensor<float, 3> q({1, 1, 1}, 1.0f), k({1, 1, 1}, 1.0f), v({1, 1, 1}, 1.0f), out({1, 1, 1}, 0.0f);
  return first_launch<Kernel>(q, k, v, out, 0.125f);
}

/// Element-wise kernels of one tile shape under several names, so that each launch compiles.
template <int Rows, int Cols, int Variant>
void scaled_add(View<const float, 2> x, View<const float, 2> y, View<float, 2> out) {
  auto [row, col] = grid(tiles(out.size(0), Rows), tiles(out.size(1), Cols));
  store(out, {row, col}, load<Rows, Cols>(x, {row, col}) * load<Rows, Cols>(y, {row, col}) + static_cast<float>(Variant));
}
template <int Rows, int Cols, int... Variant>
std::vector<double> first_launches(std::integer_sequence<int, Variant...>) {
  return {first_launch_2d<scaled_add<Rows, Cols, Variant + 2>>()...};
}

}  // namespace

/// In a fresh process: the first kernel (which opens the compiler), then a second one of the same kind. Prints both times.
int compile_probe(const std::string& name) {
  double first = 0, second = 0;
  if (name == "vector add") first = first_launch_1d<vector_add<1024>>(), second = first_launch_1d<vector_add<512>>();
  if (name == "softmax") first = first_launch_rows<softmax<float, 1024>>(), second = first_launch_rows<softmax<float, 512>>();
  if (name == "matmul") first = first_launch_2d<matmul<float, MatmulConfig{}>>(), second = first_launch_2d<matmul<float, MatmulConfig{96, 64, 64}>>();
  if (name == "attention")
    first = first_launch_attention<attention<float, AttentionConfig{}>>(), second = first_launch_attention<attention<float, AttentionConfig{64, 32, 64, true}>>();
  std::printf("%f %f\n", first, second);
  return first == 0;
}

static void measure_host_compiler(Report& report, const Places& places) {
  report.section("User's file with four kernels through the host compiler, -O0 (best of 3)");
  for (std::string compiler : {"g++", "/usr/lib/llvm-22/bin/clang++"}) {
    double best = 1e30;
    std::vector<std::string> command = {compiler, "-std=c++20", "-O0", "-I" + places.source + "/dsl/include", "-I" + places.source + "/runtime/include",
                                        "-c", places.source + "/tools/benchmarks/four_kernels.cpp", "-o", "/dev/null"};
    for (int i = 0; i < 3; ++i) best = std::min(best, milliseconds([&] { output_of(command); }));
    if (compiler == "g++") report.at_most("four kernels, g++ -O0", best / 1000, "s", 1);
    else report.add("four kernels, clang++ -O0", best / 1000, "s");
  }
}

static void measure_kernels(Report& report, const Places& places) {
  report.section("First launch of a kernel: fresh process, then a second kernel in it (medians of 5 processes)");
  struct Bound {
    std::string name;
    double cold, second;
  };
  for (const Bound& bound : {Bound{"vector add", 220, 30}, {"softmax", 0, 0}, {"matmul", 500, 250}, {"attention", 600, 350}}) {
    std::vector<double> cold, second;
    for (int i = 0; i < 5; ++i) {
      std::istringstream text(output_of({places.program, "--compile-probe", bound.name}));
      double a = 0, b = 0;
      text >> a >> b;
      cold.push_back(a), second.push_back(b);
    }
    std::sort(cold.begin(), cold.end()), std::sort(second.begin(), second.end());
    report.at_most(bound.name + ", fresh process", cold[2], "ms", bound.cold);
    report.at_most(bound.name + ", second kernel", second[2], "ms", bound.second);
  }
}

static void measure_tile_size(Report& report) {
  report.section("Compile time by tile size, element-wise (medians of 5 kernels each)");
  constexpr auto variants = std::make_integer_sequence<int, 5>();
  first_launches<4, 512>(variants);
  std::vector<double> small = first_launches<4, 256>(variants), large = first_launches<4, 65536>(variants);
  std::sort(small.begin(), small.end()), std::sort(large.begin(), large.end());
  report.add("4x256", small[2], "ms");
  report.add("4x65536", large[2], "ms");
  report.at_most("4x65536 against 4x256", large[2] / small[2], "x", 1.2);
}

void measure_compile_time(Report& report, const Places& places) {
  measure_host_compiler(report, places);
  measure_kernels(report, places);
  measure_tile_size(report);
}

}  // namespace bench
