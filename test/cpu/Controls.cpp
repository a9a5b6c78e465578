// Loops and conditions with carried tiles.

#include "Cases.h"

namespace sectile::test {

/// Fibonacci on tiles (both carried values read each other), a transposed carry and a scalar carry.
static void forCases(const std::string &level) {
  Kernel kernel(R"(tile.kernel @k(%x: !tile.view<2 x f32, readonly>, %y: !tile.view<2 x f32>, %z: !tile.view<2 x f32>, %w: !tile.view<2 x f32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %g = tile.grid extents(%c1) steps(%c1) : index
    %one = arith.constant 1.0 : f32
    %ones = tile.splat %one : f32 -> tensor<9x9xf32>
    %t = tile.load %x[%c0, %c0] : !tile.view<2 x f32, readonly> -> tensor<9x9xf32>
    %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %ones, %b = %t, %q = %t, %s = %one) -> (tensor<9x9xf32>, tensor<9x9xf32>, tensor<9x9xf32>, f32) {
      %sum = arith.addf %a, %b : tensor<9x9xf32>
      %qt = tile.transpose %q [1, 0] : tensor<9x9xf32> -> tensor<9x9xf32>
      %ss = tile.splat %s : f32 -> tensor<9x9xf32>
      %qn = arith.subf %qt, %ss : tensor<9x9xf32>
      %s2 = arith.addf %s, %one : f32
      scf.yield %b, %sum, %qn, %s2 : tensor<9x9xf32>, tensor<9x9xf32>, tensor<9x9xf32>, f32
    }
    tile.store %r#0, %y[%c0, %c0] : tensor<9x9xf32>, !tile.view<2 x f32>
    tile.store %r#1, %z[%c0, %c0] : tensor<9x9xf32>, !tile.view<2 x f32>
    %sb = tile.splat %r#3 : f32 -> tensor<9x9xf32>
    %o = arith.mulf %r#2, %sb : tensor<9x9xf32>
    tile.store %o, %w[%c0, %c0] : tensor<9x9xf32>, !tile.view<2 x f32>
    tile.return })", level);
  if (!compiled(kernel, level + " for")) return;
  for (int64_t n : {0, 1, 2, 5}) {
    Tensor<float> x({9, 9}), y({9, 9}), z({9, 9}), w({9, 9});
    x.fill([](auto &i) { return float(i[0] * 10 + i[1]); });
    kernel.run(slots(x, y, z, w, n), {1});
    auto value = [&](float b, int which) { float a = 1; for (int64_t i = 0; i < n; ++i) { float c = a + b; a = b, b = c; } return which ? b : a; };
    expect(y, [&](auto &i) { return value(x.at(i), 0); }, 0, level + " for first " + str(n));
    expect(z, [&](auto &i) { return value(x.at(i), 1); }, 0, level + " for second " + str(n));
    expect(w, [&](auto &i) {
      float total = 0;
      for (int64_t k = 1; k <= n; ++k) total += k;
      return ((n % 2 ? x.at({i[1], i[0]}) : x.at(i)) - total) * float(n + 1);
    }, 0, level + " for transposed " + str(n));
  }
}

/// Nested loops, a condition with tile results and stores in branches, values from outside used inside.
static void nestedCases(const std::string &level) {
  Kernel kernel(R"(tile.kernel @k(%x: !tile.view<1 x f32, readonly>, %y: !tile.view<1 x f32>, %z: !tile.view<1 x f32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %g = tile.grid extents(%c1) steps(%c1) : index
    %zero = arith.constant 0.0 : f32
    %half = arith.constant 0.5 : f32
    %init = tile.splat %zero : f32 -> tensor<21xf32>
    %halves = tile.splat %half : f32 -> tensor<21xf32>
    %t = tile.load %x[%c0] : !tile.view<1 x f32, readonly> -> tensor<21xf32>
    %u = arith.mulf %t, %halves : tensor<21xf32>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %init) -> (tensor<21xf32>) {
      %inner = scf.for %j = %c0 to %i step %c1 iter_args(%b = %a) -> (tensor<21xf32>) {
        %s = arith.addf %b, %u : tensor<21xf32>
        scf.yield %s : tensor<21xf32>
      }
      %even0 = tile.rem %i, %c2 : index
      %even = arith.cmpi eq, %even0, %c0 : index
      %v = scf.if %even -> (tensor<21xf32>) {
        %d = arith.addf %inner, %inner : tensor<21xf32>
        tile.store %d, %z[%c0] : tensor<21xf32>, !tile.view<1 x f32>
        scf.yield %d : tensor<21xf32>
      } else {
        scf.yield %inner : tensor<21xf32>
      }
      scf.yield %v : tensor<21xf32>
    }
    tile.store %r, %y[%c0] : tensor<21xf32>, !tile.view<1 x f32>
    tile.return })", level);
  if (!compiled(kernel, level + " nested")) return;
  for (int64_t n : {0, 1, 4, 5}) {
    Tensor<float> x({21}), y({21}), z({21});
    x.fill([](auto &i) { return float(i[0] + 1); });
    z.fill([](auto &) { return -1.0f; });
    kernel.run(slots(x, y, z, n), {1});
    auto value = [&](float t, bool stored) {
      float a = 0, seen = -1;
      for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < i; ++j) a += t * 0.5f;
        if (i % 2 == 0) a = a + a, seen = a;
      }
      return stored ? seen : a;
    };
    expect(y, [&](auto &i) { return value(x.at(i), false); }, 1e-6, level + " nested " + str(n));
    expect(z, [&](auto &i) { return value(x.at(i), true); }, 1e-6, level + " nested store " + str(n));
  }
}

static void whileCases(const std::string &level) {
  Kernel kernel(R"(tile.kernel @k(%x: !tile.view<1 x f32, readonly>, %y: !tile.view<1 x f32>, %z: !tile.view<1 x f32>, %limit: i32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %g = tile.grid extents(%c1) steps(%c1) : index
    %t = tile.load %x[%c0] : !tile.view<1 x f32, readonly> -> tensor<13xf32>
    %r:3 = scf.while (%a = %t, %b = %t, %i = %zero) : (tensor<13xf32>, tensor<13xf32>, i32) -> (tensor<13xf32>, tensor<13xf32>, i32) {
      %go = arith.cmpi slt, %i, %limit : i32
      %s = arith.addf %a, %b : tensor<13xf32>
      scf.condition(%go) %b, %s, %i : tensor<13xf32>, tensor<13xf32>, i32
    } do {
    ^bb0(%b: tensor<13xf32>, %s: tensor<13xf32>, %i: i32):
      %f = tile.flip %s axis=0 : tensor<13xf32>
      %next = arith.addi %i, %one : i32
      scf.yield %f, %b, %next : tensor<13xf32>, tensor<13xf32>, i32
    }
    tile.store %r#0, %y[%c0] : tensor<13xf32>, !tile.view<1 x f32>
    tile.store %r#1, %z[%c0] : tensor<13xf32>, !tile.view<1 x f32>
    tile.return })", level);
  if (!compiled(kernel, level + " while")) return;
  for (int64_t limit : {0, 1, 2, 5}) {
    Tensor<float> x({13}), y({13}), z({13});
    x.fill([](auto &i) { return float(i[0] + 1); });
    kernel.run(slots(x, y, z, limit), {1});
    std::vector<float> a(13), b(13), s(13);
    for (int i = 0; i < 13; ++i) a[i] = b[i] = float(i + 1);
    for (int64_t i = 0;; ++i) {
      for (int k = 0; k < 13; ++k) s[k] = a[k] + b[k];
      if (!(i < limit)) break;
      for (int k = 0; k < 13; ++k) a[k] = s[12 - k];
    }
    expect(y, [&](auto &i) { return b[i[0]]; }, 0, level + " while first " + str(limit));
    expect(z, [&](auto &i) { return s[i[0]]; }, 0, level + " while second " + str(limit));
  }
}

void controlCases(const std::string &level) {
  forCases(level);
  nestedCases(level);
  whileCases(level);
}

}  // namespace sectile::test
