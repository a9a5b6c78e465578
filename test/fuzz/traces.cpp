// Records kernels that use most kinds of operations.

#include "traces.h"

#include "dsl/src/record.h"
#include "tools/benchmarks/kernels.h"

namespace sectile::fuzz {
namespace {

void mixture(View<const float, 2> in, View<i32, 1> counts, View<float, 2> out, Scalar<float> scale) {
  auto [row, col] = grid(tiles(out.size(0), 4), tiles(out.size(1), 8), in_order);
  auto x = load<4, 8>(in.transposed(), {row, col}, fill(-inf)) * scale;
  auto total = zeros<float, 4, 8>();
  for (auto i : range(0, in.size(0), 3, hint{.stages = 2})) {
    break_if(i > 20);
    when(i % 2 == 0, [&] { total += x; }).otherwise([&] { total -= exp(x); });
  }
  auto [values, places] = sort<1>(total);
  auto best = argmax<1>(values);
  auto running = scan<0>(values, [](auto a, auto b) { return maximum(a, b); }, true);
  atomic_add(counts, indices(cast<i32>(total) & 7), places);
  auto n = cast<i64>(best);
  loop_while([&] { return at(n, {0, 0}) > 0; }, [&] { break_if(at(n, {1, 0}) == 7), n = n - 1; });
  device_assert(running == running, "no NaN");
  store(out, {row, col}, cat<1>(extract<4, 4>(running, {0, 2}), extract<4, 4>(flip<0>(values), {col, 0})) + cast<float>(n));
}

template <auto Kernel>
std::vector<std::uint8_t> bytesOf() {
  return trace::serialize(record(detail::kernel_info<Kernel>()));
}

}  // namespace

std::vector<std::vector<std::uint8_t>> recordedTraces() {
  using namespace bench;
  return {bytesOf<vector_add<17>>(), bytesOf<softmax<f16, 48>>(), bytesOf<matmul<float, MatmulConfig{16, 16, 8}>>(), bytesOf<attention<float, AttentionConfig{8, 8, 8}>>(), bytesOf<mixture>()};
}

}  // namespace sectile::fuzz
