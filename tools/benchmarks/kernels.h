// The kernels that are measured; the same text is what the "four-kernel user file" compiles.
#pragma once

#include <sectile/sectile.h>

namespace bench {

using namespace sectile;

template <int Block>
void vector_add(View<const float, 1> x, View<const float, 1> y, View<float, 1> out) {
  auto [start] = grid(tiles(out.size(0), Block));
  store(out, {start}, load<Block>(x, {start}) + load<Block>(y, {start}));
}

template <typename T, int Cols>
void softmax(View<const T, 2> in, View<T, 2> out) {
  auto [row] = grid(tiles(in.size(0), 1));
  auto x = cast<float>(load<1, Cols>(in, {row, 0}, fill(-inf)));
  auto e = exp(x - max<1>(x));
  store(out, {row, 0}, cast<T>(e / sum<1>(e)));
}

struct MatmulConfig {
  int m = 128, n = 128, k = 64;
};

template <typename T, MatmulConfig cfg>
void matmul(View<const T, 2> a, View<const T, 2> b, View<T, 2> c) {
  auto [row, col] = grid(tiles(c.size(0), cfg.m), tiles(c.size(1), cfg.n));
  auto acc = zeros<float, cfg.m, cfg.n>();
  for (auto k : range(0, a.size(1), cfg.k)) {
    auto at = load<cfg.m, cfg.k>(a, {row, k});
    auto bt = load<cfg.k, cfg.n>(b, {k, col});
    acc += dot(at, bt);
  }
  store(c, {row, col}, cast<T>(acc));
}

struct AttentionConfig {
  int rows = 64, keys = 64, dim = 64;
  bool causal = true;
};

template <typename T, AttentionConfig cfg>
void attention(View<const T, 3> q, View<const T, 3> k, View<const T, 3> v, View<T, 3> out, Scalar<float> scale) {
  auto [row, head] = grid(tiles(q.size(1), cfg.rows), tiles(q.size(0), 1));
  auto keys = k.size(1);
  auto shift = keys - q.size(1);
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
    auto base = where(next == -inf, 0.0f, next);
    auto p = exp2(scores - base);
    auto rescale = exp2(best - base);
    norm = norm * rescale + sum<1>(p);
    acc = acc * rescale + dot(cast<T>(p), vt);
    best = next;
  }
  store(out[head], {row, 0}, cast<T>(where(norm > 0.0f, acc / norm, 0.0f)));
}

}  // namespace bench
