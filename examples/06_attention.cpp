// Attention with online softmax: three carried tiles, causal masking, scores that never leave the program.
#include "check.h"

#include <sectile/sectile.h>

using namespace sectile;

struct AttentionConfig {
  int rows = 64, keys = 64, dim = 64;
  bool causal = true;
};

template <typename T, AttentionConfig cfg>  // views are [head, position, channel]
void attention(View<const T, 3> q, View<const T, 3> k, View<const T, 3> v, View<T, 3> out, Scalar<float> scale) {
  auto [row, head] = grid(tiles(q.size(1), cfg.rows), tiles(q.size(0), 1));
  auto keys = k.size(1);
  auto shift = keys - q.size(1);  // causal: the last query sees the last key
  auto queries = load<cfg.rows, cfg.dim>(q[head], {row, 0});
  auto best = full<float, cfg.rows, 1>(-inf);
  auto norm = zeros<float, cfg.rows, 1>();
  auto acc = zeros<float, cfg.rows, cfg.dim>();
  auto last = keys;
  if constexpr (cfg.causal) last = clamp(row + cfg.rows + shift, 0, keys);
  for (auto key : range(0, last, cfg.keys)) {
    auto kt = load<cfg.keys, cfg.dim>(k[head], {key, 0});
    auto vt = load<cfg.keys, cfg.dim>(v[head], {key, 0});
    auto scores = dot(queries, trans(kt)) * (scale * log2_e);
    auto column = iota<1, cfg.keys>() + key;
    scores = where(column < keys, scores, -inf);
    if constexpr (cfg.causal) scores = where(column <= iota<cfg.rows, 1>() + row + shift, scores, -inf);
    auto next = maximum(best, max<1>(scores));
    auto base = where(next == -inf, 0.0f, next);  // a row without keys so far stays 0, not NaN
    auto p = exp2(scores - base);
    auto rescale = exp2(best - base);
    norm = norm * rescale + sum<1>(p);
    acc = acc * rescale + dot(cast<T>(p), vt);
    best = next;
  }
  store(out[head], {row, 0}, cast<T>(where(norm > 0.0f, acc / norm, 0.0f)));
}

int main() {
  const std::int64_t heads = 2, n = 300, dim = 64;
  const float scale = 0.125f;
  Tensor<float, 3> q({heads, n, dim}), k({heads, n, dim}), v({heads, n, dim}), out({heads, n, dim}), expected({heads, n, dim}, 0.0f);
  fill_values(q, 12), fill_values(k, 13), fill_values(v, 14);
  for (std::int64_t h = 0; h < heads; ++h)
    for (std::int64_t i = 0; i < n; ++i) {
      std::vector<double> p;
      double sum = 0;
      for (std::int64_t j = 0; j <= i; ++j) {
        double s = 0;
        for (std::int64_t d = 0; d < dim; ++d) s += static_cast<double>(q[(h * n + i) * dim + d]) * k[(h * n + j) * dim + d];
        p.push_back(std::exp(s * scale));
        sum += p.back();
      }
      for (std::int64_t d = 0; d < dim; ++d) {
        double o = 0;
        for (std::int64_t j = 0; j <= i; ++j) o += p[static_cast<std::size_t>(j)] / sum * v[(h * n + j) * dim + d];
        expected[(h * n + i) * dim + d] = static_cast<float>(o);
      }
    }
  double ms = best_milliseconds([&] { launch<attention<float, AttentionConfig{}>>(Device::cpu(), q, k, v, out, scale); });
  return check("attention (causal)", out, [&](std::int64_t i) { return expected[i]; }, 1e-6, 2e-6 * static_cast<double>(heads * n * n * dim) / ms, "GFLOP/s");
}
