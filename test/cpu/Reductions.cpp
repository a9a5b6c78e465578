// Reductions, scans, sorts and products.

#include "Cases.h"

#include <algorithm>

namespace sectile::test {

static void reduceCases(const std::string &level) {
  const std::vector<std::vector<int64_t>> shapes = {{1, 1}, {3, 1}, {1, 7}, {5, 17}, {2, 96}, {48, 3}, {3, 63}, {4, 200}};
  for (auto &shape : shapes)
    for (int64_t axis : {0, 1}) {
      std::vector<int64_t> reduced = shape;
      reduced[axis] = 1;
      std::string what = level + " reduce " + tensor(shape, "f32") + " axis " + str(axis);
      Kernel kernel(format(R"(tile.kernel @k(%x: !tile.view<2 x f32, readonly>$f, %y: !tile.view<2 x f32>$f, %z: !tile.view<2 x i64>$f, %w: !tile.view<2 x f32>$f) {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %g = tile.grid extents(%c1) steps(%c1) : index
        %fill = arith.constant -1.0 : f32
        %t = tile.load %x[%c0, %c0] fill(%fill) : !tile.view<2 x f32, readonly>, f32 -> $t
        %s = tile.reduce(%t) axis=$a { ^bb0(%a: f32, %b: f32): %c = arith.addf %a, %b : f32  tile.yield %c : f32 } : $t -> $r
        tile.store %s, %y[%c0, %c0] : $r, !tile.view<2 x f32>
        %i0 = tile.iota $a : $ti
        %i = tile.cast %i0 : $ti -> $tl
        %m, %mi = tile.reduce(%t, %i) axis=$a { ^bb0(%a: f32, %ai: i64, %b: f32, %bi: i64):
           %gt = arith.cmpf ogt, %a, %b : f32
           %eq = arith.cmpf oeq, %a, %b : f32
           %lt = arith.cmpi slt, %ai, %bi : i64
           %tie = arith.andi %eq, %lt : i1
           %left = arith.ori %gt, %tie : i1
           %v = arith.select %left, %a, %b : f32
           %vi = arith.select %left, %ai, %bi : i64
           tile.yield %v, %vi : f32, i64 } : $t, $tl -> $r, $rl
        tile.store %mi, %z[%c0, %c0] : $rl, !tile.view<2 x i64>
        %cum = tile.scan(%t) axis=$a reverse { ^bb0(%a: f32, %b: f32): %two = arith.constant 0.5 : f32 %h = arith.mulf %a, %two : f32 %c = arith.addf %h, %b : f32  tile.yield %c : f32 } : $t -> $t
        tile.store %cum, %w[%c0, %c0] : $t, !tile.view<2 x f32>
        tile.return })",
        {{"f", facts(true, 1)}, {"a", str(axis)}, {"tl", tensor(shape, "i64")}, {"ti", tensor(shape, "index")}, {"t", tensor(shape, "f32")},
         {"rl", tensor(reduced, "i64")}, {"r", tensor(reduced, "f32")}}), level);
      if (!compiled(kernel, what)) continue;
      for (int64_t less : {0, 1}) {
        Tensor<float> x({shape[0], shape[1] - less}, 1), y(reduced), w(shape, 2);
        Tensor<int64_t> z(reduced, 1);
        x.fill([&](auto &i) { return float((i[0] * 7 + i[1] * 13) % 11); });
        kernel.run(slots(x, y, z, w), {1});
        auto at = [&](const std::vector<int64_t> &i, int64_t k) {
          std::vector<int64_t> j = i;
          j[axis] = k;
          return x.get(j, -1);
        };
        expect(y, [&](auto &i) { double s = 0; for (int64_t k = 0; k < shape[axis]; ++k) s += at(i, k); return s; }, 1e-6, what);
        expect(z, [&](auto &i) { int64_t b = 0; for (int64_t k = 1; k < shape[axis]; ++k) if (at(i, k) > at(i, b)) b = k; return b; }, 0, what + " argmax");
        expect(w, [&](auto &i) { float s = at(i, shape[axis] - 1); for (int64_t k = shape[axis] - 2; k >= i[axis]; --k) s = s * 0.5f + at(i, k); return s; }, 1e-5, what + " scan");
      }
    }
}

static void sortCases(const std::string &level) {
  for (auto shape : std::vector<std::vector<int64_t>>{{1, 1}, {3, 7}, {5, 17}, {2, 80}, {17, 4}})
    for (int64_t axis : {0, 1})
      for (bool descending : {false, true}) {
        int64_t k = (shape[axis] + 1) / 2;
        std::vector<int64_t> top = shape;
        top[axis] = k;
        std::string what = level + " sort " + tensor(shape, "f32") + " axis " + str(axis) + (descending ? " descending" : "");
        Kernel kernel(format(R"(tile.kernel @k(%x: !tile.view<2 x f32, readonly>$f, %y: !tile.view<2 x f32>$f, %z: !tile.view<2 x i32>$f, %w: !tile.view<2 x i32>$f) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %g = tile.grid extents(%c1) steps(%c1) : index
          %t = tile.load %x[%c0, %c0] : !tile.view<2 x f32, readonly> -> $t
          %v, %i = tile.sort %t axis=$a $d : $t -> $t, $ti
          tile.store %v, %y[%c0, %c0] : $t, !tile.view<2 x f32>
          tile.store %i, %z[%c0, %c0] : $ti, !tile.view<2 x i32>
          %u, %j = tile.topk %t axis=$a $l : $t -> $r, $ri
          tile.store %j, %w[%c0, %c0] : $ri, !tile.view<2 x i32>
          tile.return })",
          {{"f", facts(true, 1)}, {"a", str(axis)}, {"d", descending ? "{descending}" : ""}, {"l", descending ? "{largest}" : ""}, {"ti", tensor(shape, "i32")},
           {"t", tensor(shape, "f32")}, {"ri", tensor(top, "i32")}, {"r", tensor(top, "f32")}}), level);
        if (!compiled(kernel, what)) continue;
        Tensor<float> x(shape), y(shape);
        Tensor<int32_t> z(shape), w(top);
        int64_t n = 0;
        x.fill([&](auto &) { ++n; return n % 9 == 0 ? NAN : n % 5 == 0 ? -0.0f : n % 5 == 1 ? 0.0f : float((n * 37) % 23 - 11); });
        kernel.run(slots(x, y, z, w), {1});
        auto order = [&](std::vector<int64_t> i) {
          std::vector<int> places(shape[axis]);
          for (int64_t j = 0; j < shape[axis]; ++j) places[j] = j;
          auto key = [&](int j) { i[axis] = j; float v = x.at(i); return std::isnan(v) ? 1e30f : v; };
          std::stable_sort(places.begin(), places.end(), [&](int a, int b) { return descending ? key(a) > key(b) : key(a) < key(b); });
          return places;
        };
        expect(z, [&](auto &i) { return order(i)[i[axis]]; }, 0, what + " indices");
        expect(y, [&](auto &i) { auto j = i; j[axis] = order(i)[i[axis]]; return x.at(j); }, 0, what + " values");
        expect(w, [&](auto &i) { return order(i)[i[axis]]; }, 0, what + " topk");
      }
}

/// c = a * b with a loop over k, transposed b on demand, any size.
static void dotCases(const std::string &level) {
  for (auto [m, n, k] : std::vector<std::array<int64_t, 3>>{{1, 1, 1}, {2, 3, 4}, {7, 17, 16}, {16, 16, 16}, {48, 80, 17}, {33, 35, 5}, {96, 64, 32}, {1, 64, 8}, {64, 1, 8}})
    for (bool transposed : {false, true})
      for (bool known : {true, false}) {
        std::string what = level + " dot " + str(m) + " " + str(n) + " " + str(k) + (transposed ? " transposed" : "");
        Kernel kernel(format(R"(tile.kernel @k(%a: !tile.view<2 x f32, readonly>$f, %b: !tile.view<2 x f32, readonly>$f, %c: !tile.view<2 x f32>$f) {
          %bm = arith.constant $m : index
          %bn = arith.constant $n : index
          %bk = arith.constant $k : index
          %c0 = arith.constant 0 : index
          %zero = arith.constant 0.0 : f32
          %sm = tile.view_size %c 0 : !tile.view<2 x f32>
          %sn = tile.view_size %c 1 : !tile.view<2 x f32>
          %sk = tile.view_size %a 1 : !tile.view<2 x f32, readonly>
          %i, %j = tile.grid extents(%sm, %sn) steps(%bm, %bn) : index, index
          %init = tile.splat %zero : f32 -> $tc
          %r = scf.for %p = %c0 to %sk step %bk iter_args(%acc = %init) -> ($tc) {
            %ta = tile.load %a[%i, %p] : !tile.view<2 x f32, readonly> -> $ta
            $load
            %d = tile.dot %ta, %tb, %init : $ta, $tb -> $tc
            %s = arith.addf %acc, %d : $tc
            scf.yield %s : $tc
          }
          %e = arith.addf %r, %r : $tc
          tile.store %e, %c[%i, %j] : $tc, !tile.view<2 x f32>
          tile.return })",
          {{"load", transposed ? "%tt = tile.load %b[%j, %p] : !tile.view<2 x f32, readonly> -> $tt  %tb = tile.transpose %tt [1, 0] : $tt -> $tb"
                               : "%tb = tile.load %b[%p, %j] : !tile.view<2 x f32, readonly> -> $tb"},
           {"f", facts(known, 1)}, {"tc", tensor({m, n}, "f32")}, {"ta", tensor({m, k}, "f32")}, {"tb", tensor({k, n}, "f32")}, {"tt", tensor({n, k}, "f32")},
           {"m", str(m)}, {"n", str(n)}, {"k", str(k)}}), level);
        if (!compiled(kernel, what)) continue;
        for (auto [sm, sn, sk] : std::vector<std::array<int64_t, 3>>{{m, n, k}, {m + 3, 2 * n + 1, 2 * k + 1}, {5, 7, 0}}) {
          Tensor<float> a({sm, sk}, 2), b(transposed ? std::vector<int64_t>{sn, sk} : std::vector<int64_t>{sk, sn}, 1), c({sm, sn}, 3);
          a.fill([](auto &i) { return float((i[0] * 3 + i[1] * 5) % 7 - 3); });
          b.fill([](auto &i) { return float((i[0] * 11 + i[1] * 2) % 9 - 4); });
          kernel.run(slots(a, b, c), {(sm + m - 1) / m, (sn + n - 1) / n});
          expect(c, [&, sk = sk](auto &i) {
            double s = 0;
            for (int64_t p = 0; p < sk; ++p) s += a.at({i[0], p}) * (transposed ? b.at({i[1], p}) : b.at({p, i[1]}));
            return 2 * s;
          }, 1e-5, what);
        }
      }
}

void reductionCases(const std::string &level) {
  reduceCases(level);
  sortCases(level);
  dotCases(level);
}

}  // namespace sectile::test
