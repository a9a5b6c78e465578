// Operations that make and rearrange tiles, and products of narrow types.

#include "Cases.h"

namespace sectile::test {

/// One kernel with many rearrangements of one tile, each stored to its own view.
static void rearrangeCases(const std::string &level) {
  for (auto [m, n] : std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {3, 7}, {16, 4}, {5, 34}, {48, 1}}) {
    std::string what = level + " rearrange " + str(m) + "x" + str(n);
    Kernel kernel(format(R"(tile.kernel @k(%x: !tile.view<2 x f32, readonly>$f, %p: !tile.view<3 x f32>$f3, %q: !tile.view<1 x f32>, %r: !tile.view<2 x f32>$f, %s: !tile.view<2 x f32>,
                                         %u: !tile.view<2 x f32>, %v: !tile.view<2 x f32>, %w: !tile.view<2 x i32>, %off: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %cn = arith.constant $n : index
      %g = tile.grid extents(%c1) steps(%c1) : index
      %t = tile.load %x[%c0, %c0] : !tile.view<2 x f32, readonly> -> $t
      %neg = arith.negf %t : $t
      %j = tile.join %t, %neg : $t, $t -> $j
      tile.store %j, %p[%c0, %c0, %c0] : $j, !tile.view<3 x f32>
      %a, %b = tile.split %j : $j -> $t, $t
      %d = arith.subf %a, %b : $t
      %flat = tile.reshape %d : $t -> $1
      %fl = tile.flip %flat axis=0 : $1
      tile.store %fl, %q[%c0] : $1, !tile.view<1 x f32>
      %cat = tile.cat %t, %neg, %t axis=1 : $t, $t, $t -> $c
      tile.store %cat, %r[%c0, %c0] : $c, !tile.view<2 x f32>
      %ex = tile.extract %cat[%c0, %off] : $c -> $t
      tile.store %ex, %s[%c0, %c0] : $t, !tile.view<2 x f32>
      %i = tile.iota 1 : $i
      %o = tile.splat %off : index -> $i
      %io = arith.addi %i, %o : $i
      %ga = tile.gather_along %t[%io] axis=1 : $t, $i -> $t
      tile.store %ga, %u[%c0, %c0] : $t, !tile.view<2 x f32>
      %one = tile.extract %t[%c0, %off] : $t -> f32
      %sp = tile.splat %one : f32 -> $t
      %tt = tile.transpose %sp [1, 0] : $t -> $y
      %tf = tile.transpose %t [1, 0] : $t -> $y
      %tu = arith.addf %tt, %tf : $y
      tile.store %tu, %v[%c0, %c0] : $y, !tile.view<2 x f32>
      %k = tile.cast %t : $t -> $k
      %h = tile.histogram %k : $k -> tensor<12xi32>
      %h2 = tile.reshape %h : tensor<12xi32> -> tensor<3x4xi32>
      tile.store %h2, %w[%c0, %c0] : tensor<3x4xi32>, !tile.view<2 x i32>
      tile.return })",
      {{"f3", facts(true, 2)}, {"f", facts(true, 1)}, {"n", str(n)}, {"t", tensor({m, n}, "f32")}, {"j", tensor({m, n, 2}, "f32")}, {"1", tensor({m * n}, "f32")},
       {"c", tensor({m, 3 * n}, "f32")}, {"i", tensor({m, n}, "index")}, {"y", tensor({n, m}, "f32")}, {"k", tensor({m, n}, "i32")}}), level);
    if (!compiled(kernel, what)) continue;
    for (int64_t off : {int64_t(0), int64_t(1), n - 1, int64_t(-2), 3 * n}) {
      Tensor<float> x({m, n}, 2), p({m, n, 2}), q({m * n}), r({m, 3 * n}, 1), s({m, n}), u({m, n}), v({n, m});
      Tensor<int32_t> w({3, 4});
      x.fill([](auto &i) { return float((i[0] * 5 + i[1] * 3) % 13); });
      kernel.run(slots(x, p, q, r, s, u, v, w, off), {1});
      auto cat = [&](int64_t i, int64_t j) { return j < 0 || j >= 3 * n ? 0.0f : (j / n == 1 ? -1 : 1) * x.at({i, j % n}); };
      expect(p, [&](auto &i) { return (i[2] ? -1 : 1) * x.at({i[0], i[1]}); }, 0, what + " join");
      expect(q, [&](auto &i) { int64_t l = m * n - 1 - i[0]; return 2 * x.at({l / n, l % n}); }, 0, what + " split, reshape, flip");
      expect(r, [&](auto &i) { return cat(i[0], i[1]); }, 0, what + " cat");
      expect(s, [&](auto &i) { return cat(i[0], i[1] + off); }, 0, what + " extract");
      expect(u, [&](auto &i) { return x.get({i[0], i[1] + off}); }, 0, what + " gather_along");
      expect(v, [&](auto &i) { return x.get({0, off}) + x.at({i[1], i[0]}); }, 0, what + " transpose");
      expect(w, [&](auto &i) { int c = 0; x.forEach([&](auto &j) { c += x.at(j) == float(4 * i[0] + i[1]); }); return c; }, 0, what + " histogram");
    }
  }
}

template <typename T, typename C>
static void batchedDot(const std::string &level, const std::string &element, const std::string &result, std::function<T(int)> encode, const std::string &attributes = "") {
  for (auto [m, n, k] : std::vector<std::array<int64_t, 3>>{{1, 1, 1}, {3, 5, 2}, {17, 40, 9}}) {
    std::string what = level + " batched dot of " + element;
    Kernel kernel(format(R"(tile.kernel @k(%a: !tile.view<3 x $e, readonly>, %b: !tile.view<3 x $e, readonly>, %c: !tile.view<3 x $o>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %g = tile.grid extents(%c1) steps(%c1) : index
      %ta = tile.load %a[%c0, %c0, %c0] : !tile.view<3 x $e, readonly> -> $ta
      %tb = tile.load %b[%c0, %c0, %c0] : !tile.view<3 x $e, readonly> -> $tb
      %tc = tile.load %c[%c0, %c0, %c0] : !tile.view<3 x $o> -> $tc
      %d = tile.dot %ta, %tb, %tc $x : $ta, $tb -> $tc
      tile.store %d, %c[%c0, %c0, %c0] : $tc, !tile.view<3 x $o>
      tile.return })",
      {{"ta", tensor({2, m, k}, element)}, {"tb", tensor({2, k, n}, element)}, {"tc", tensor({2, m, n}, result)}, {"e", element}, {"o", result}, {"x", attributes}}), level);
    if (!compiled(kernel, what)) continue;
    Tensor<T> a({2, m, k}), b({2, k, n});
    Tensor<C> c({2, m, n}, 1);
    auto av = [](const auto &i) { return int(i[0] + 3 * i[1] + 5 * i[2]) % 7 - 3; };
    auto bv = [](const auto &i) { return int(i[0] + 2 * i[1] + 3 * i[2]) % 5 - 2; };
    a.fill([&](auto &i) { return encode(av(i)); });
    b.fill([&](auto &i) { return encode(bv(i)); });
    c.fill([](auto &i) { return C(i[1]); });
    kernel.run(slots(a, b, c), {1});
    auto shown = [&](int v) { return attributes.empty() || v >= 0 ? v : v + 256; };
    expect(c, [&, k = k](auto &i) {
      double s = double(i[1]);
      for (int64_t p = 0; p < k; ++p) s += double(shown(av(std::vector<int64_t>{i[0], i[1], p}))) * shown(bv(std::vector<int64_t>{i[0], p, i[2]}));
      return s;
    }, 0, what);
  }
}

static uint16_t bf16(int v) { float f = float(v); uint32_t b; std::memcpy(&b, &f, 4); return b >> 16; }
static uint16_t f16(int v) { _Float16 h = _Float16(v); uint16_t b; std::memcpy(&b, &h, 2); return b; }
static uint8_t e4m3(int v) {
  int m = std::abs(v);
  uint8_t bits = m == 0 ? 0 : m == 1 ? 0x38 : m == 2 ? 0x40 : 0x44;
  return bits | (v < 0 ? 0x80 : 0);
}

void shapeCases(const std::string &level) {
  rearrangeCases(level);
  batchedDot<float, float>(level, "f32", "f32", [](int v) { return float(v); });
  batchedDot<double, double>(level, "f64", "f64", [](int v) { return double(v); });
  batchedDot<uint16_t, float>(level, "bf16", "f32", bf16);
  batchedDot<uint16_t, float>(level, "f16", "f32", f16);
  batchedDot<int8_t, int32_t>(level, "i8", "i32", [](int v) { return int8_t(v); });
  batchedDot<int8_t, int32_t>(level, "i8", "i32", [](int v) { return int8_t(v); }, "{a_unsigned, b_unsigned}");
  batchedDot<uint8_t, float>(level, "f8E4M3FN", "f32", e4m3);
}

}  // namespace sectile::test
