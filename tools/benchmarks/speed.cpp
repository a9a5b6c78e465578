// How fast compiled kernels run, against libraries and plain loops, interleaved in one process.
#include "cpu.h"

#include "kernels.h"
#include "timing.h"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <sstream>

extern "C" {
void openblas_set_num_threads(int);
char* openblas_get_corename();
}

namespace bench {
namespace {

template <typename T, int R>
void fill(Tensor<T, R>& tensor) {
  std::uint32_t x = 1;
  for (std::int64_t i = 0; i < tensor.size(); ++i) x = x * 1664525u + 1013904223u, tensor[i] = static_cast<float>(x >> 8) * 0x1p-23f - 1.0f;
}

/// Best times of two runs measured alternately, in milliseconds.
template <typename A, typename B>
std::pair<double, double> alternate(A&& first, B&& second, int rounds) {
  double a = 1e30, b = 1e30;
  first(), second();
  for (int i = 0; i < rounds; ++i) a = std::min(a, milliseconds(first)), b = std::min(b, milliseconds(second));
  return {a, b};
}

void print(const std::string& name, double value, const std::string& unit) { std::printf("%s|%.6g|%s\n", name.c_str(), value, unit.c_str()); }

template <MatmulConfig cfg>
void probe_matmul(std::int64_t m, std::int64_t n, std::int64_t k) {
  Tensor<float, 2> a({m, k}), b({k, n}), c({m, n}), d({m, n});
  fill(a), fill(b);
  auto [ours, blas] = alternate([&] { launch<matmul<float, cfg>>(Device::cpu(), a, b, c); },
                                [&] { cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<int>(m), static_cast<int>(n), static_cast<int>(k), 1.0f, a.data(), static_cast<int>(k),
                                                  b.data(), static_cast<int>(n), 0.0f, d.data(), static_cast<int>(n)); },
                                15);
  double worst = 0;
  for (std::int64_t i = 0; i < c.size(); ++i) worst = std::max(worst, static_cast<double>(std::fabs(c[i] - d[i])));
  if (!(worst <= 1e-6 * static_cast<double>(k))) std::fprintf(stderr, "matmul differs from OpenBLAS by %g\n", worst);
  double flops = 2e-6 * static_cast<double>(m * n * k);
  std::string name = "f32 matmul " + std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);

  std::string peer = std::string("OpenBLAS (") + openblas_get_corename() + " kernels)";
  print(name + " beside " + peer, flops / ours, "GFLOP/s");
  print(name + ", " + peer, flops / blas, "GFLOP/s");
  print(name + ", against " + peer, blas / ours, "x");
}

void probe_add() {
  const std::int64_t n = 1 << 25;
  Tensor<float, 1> x({n}, 1.0f), y({n}, 2.0f), out({n}, 0.0f), loop({n}, 0.0f);
  auto [ours, plain] = alternate([&] { launch<vector_add<4096>>(Device::cpu(), x, y, out); },
                                 [&] {
                                   for (std::int64_t i = 0; i < n; ++i) loop[i] = x[i] + y[i];
                                 },
                                 9);
  print("vector add 32 Mi f32", 12e-6 * n / ours, "GB/s");
  print("vector add 32 Mi f32, against a plain C++ loop", plain / ours, "x");
}

void probe_softmax() {
  const std::int64_t rows = 4096, cols = 4096;
  Tensor<float, 2> in({rows, cols}), out({rows, cols}, 0.0f), copy({rows, cols}, 0.0f);
  fill(in);
  auto [ours, moved] = alternate([&] { launch<softmax<float, 4096>>(Device::cpu(), in, out); }, [&] { std::memcpy(copy.data(), in.data(), sizeof(float) * rows * cols); }, 9);
  print("softmax 4096x4096 f32", 8e-6 * rows * cols / ours, "GB/s");
  print("softmax 4096x4096 f32, against memcpy", moved / ours, "x");
}

void probe_attention() {
  const std::int64_t heads = 4, n = 2048, dim = 64;
  Tensor<float, 3> q({heads, n, dim}), k({heads, n, dim}), v({heads, n, dim}), out({heads, n, dim}, 0.0f);
  fill(q), fill(k), fill(v);
  constexpr AttentionConfig cfg{64, 64, 64, false};
  double best = 1e30;
  for (int i = 0; i < 4; ++i) best = std::min(best, milliseconds([&] { launch<attention<float, cfg>>(Device::cpu(), q, k, v, out, 0.125f); }));
  print("attention f32, 4 heads, 2048x64, not causal", 4e-6 * heads * n * n * dim / best, "GFLOP/s");
}

}  // namespace

int speed_probe(const std::string& part) {
  openblas_set_num_threads(1);
  if (part == "matmul") {
    probe_matmul<MatmulConfig{}>(1024, 1024, 1024);
    probe_matmul<MatmulConfig{}>(497, 333, 501);
    return 0;
  }
  probe_add();
  probe_softmax();
  probe_attention();
  return 0;
}

static void measure_part(Report& report, const Places& places, const std::string& part, std::vector<std::string> variables) {
  variables.push_back("SECTILE_NUM_THREADS=1");
  std::istringstream text(output_of({places.program, "--speed-probe", part}, variables));
  for (std::string line; std::getline(text, line);) {
    std::string name = line.substr(0, line.find('|')), rest = line.substr(name.size() + 1), unit = rest.substr(rest.find('|') + 1);
    double value = std::stod(rest);
    if (name.starts_with("f32 matmul 1024x1024x1024, against")) report.at_least(name, value, unit, 0.5);
    else report.add(name, value, unit);
  }
}

void measure_speed(Report& report, const Places& places) {
  report.section("Speed, 1 thread (best of several runs; each ratio from runs that alternate)");
  measure_part(report, places, "matmul", {});
  // OpenBLAS does not know every processor and then falls back to its oldest kernels; compare with its widest ones too.
  if (__builtin_cpu_supports("avx512f")) measure_part(report, places, "matmul", {"OPENBLAS_CORETYPE=Cooperlake"});
  measure_part(report, places, "rows", {});
}

}  // namespace bench
