// Loads, stores, views, gathers and scatters.

#include "Cases.h"

namespace sectile::test {

static const std::vector<int64_t> sizes = {0, 1, 7, 17, 63, 71, 80, 96, 497};

/// y[o + i] = x[i + shift] * 2 with fill, over tiles of several widths; with and without facts, contiguous and strided.
static void copyCases(const std::string &level) {
  for (int64_t tile : {1, 7, 16, 17, 48, 80})
    for (bool known : {true, false}) {
      std::string what = level + " copy tile " + str(tile) + (known ? " facts" : "");
      Kernel kernel(format(R"(tile.kernel @k(%x: !tile.view<1 x f32, readonly>$f, %y: !tile.view<1 x f32>$f, %shift: index, %fill: f32) {
        %step = arith.constant $n : index
        %size = tile.view_size %y 0 : !tile.view<1 x f32>
        %start = tile.grid extents(%size) steps(%step) : index
        %from = arith.addi %start, %shift : index
        %t = tile.load %x[%from] fill(%fill) : !tile.view<1 x f32, readonly>, f32 -> $t
        %u = arith.addf %t, %t : $t
        tile.store %u, %y[%start] : $t, !tile.view<1 x f32>
        tile.return })", {{"f", facts(known, 0)}, {"n", str(tile)}, {"t", tensor({tile}, "f32")}}), level);
      if (!compiled(kernel, what)) continue;
      for (int64_t size : sizes)
        for (int64_t shift : {0, -3, 5})
          for (int64_t step : {1, 3}) {
            if (known && step != 1) continue;
            Tensor<float> x({size}, 0, step), y({size + 2}, 0, step);
            x.fill([&](auto &i) { return float(i[0] + 1); });
            float fill = 7;
            int32_t bits;
            std::memcpy(&bits, &fill, 4);
            kernel.run(slots(x, y, shift, int64_t(bits)), {(size + 2 + tile - 1) / tile});
            expect(y, [&](auto &i) { return 2 * x.get({i[0] + shift}, 7); }, 0, what + " size " + str(size) + " shift " + str(shift) + " step " + str(step));
            check(x.guardsIntact(), what + ": input guard");
          }
    }
}

/// Without facts an output may overlap an input: the program reads all before it writes.
static void overlapCases(const std::string &level) {
  Kernel kernel(R"(tile.kernel @k(%x: !tile.view<1 x f32, readonly>, %y: !tile.view<1 x f32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %g = tile.grid extents(%c1) steps(%c1) : index
    %t = tile.load %x[%c0] : !tile.view<1 x f32, readonly> -> tensor<40xf32>
    %a = arith.addf %t, %t : tensor<40xf32>
    tile.store %a, %y[%c0] : tensor<40xf32>, !tile.view<1 x f32>
    %u = tile.load %x[%c0] : !tile.view<1 x f32, readonly> -> tensor<40xf32>
    %b = arith.addf %t, %u : tensor<40xf32>
    tile.store %b, %y[%c0] : tensor<40xf32>, !tile.view<1 x f32>
    tile.return })", level);
  if (!compiled(kernel, level + " overlap")) return;
  Tensor<float> whole({60});
  whole.fill([](auto &i) { return float(i[0]); });
  std::vector<float> memory(60);
  for (int64_t i = 0; i < 60; ++i) memory[i] = float(i);
  std::vector<int64_t> arguments{int64_t(whole.data), 40, 1, int64_t(whole.data + 3), 40, 1};
  kernel.run(arguments, {1});
  std::vector<float> t(memory.begin(), memory.begin() + 40);
  for (int i = 0; i < 40; ++i) memory[3 + i] = 2 * t[i];
  std::vector<float> u(memory.begin(), memory.begin() + 40);
  for (int i = 0; i < 40; ++i) memory[3 + i] = t[i] + u[i];
  expect(whole, [&](auto &i) { return memory[i[0]]; }, 0, level + " overlap");
}

/// Two-dimensional tiles over every kind of view.
static void viewCases(const std::string &level) {
  struct Case {
    std::string name, ops;
  };
  Kernel transposed(R"(tile.kernel @k(%x: !tile.view<2 x f32, readonly>, %y: !tile.view<2 x f32>) {
    %r = arith.constant 5 : index
    %c = arith.constant 19 : index
    %v = tile.view_transpose %x [1, 0] : !tile.view<2 x f32, readonly> -> !tile.view<2 x f32, readonly>
    %m = tile.view_size %y 0 : !tile.view<2 x f32>
    %n = tile.view_size %y 1 : !tile.view<2 x f32>
    %i, %j = tile.grid extents(%m, %n) steps(%r, %c) : index, index
    %t = tile.load %v[%i, %j] : !tile.view<2 x f32, readonly> -> tensor<5x19xf32>
    tile.store %t, %y[%i, %j] : tensor<5x19xf32>, !tile.view<2 x f32>
    tile.return })", level);
  if (compiled(transposed, level + " view_transpose"))
    for (int64_t m : {1, 7, 63})
      for (int64_t n : {1, 17, 80}) {
        Tensor<float> x({n, m}, 2), y({m, n}, 3);
        x.fill([](auto &i) { return float(100 * i[0] + i[1]); });
        transposed.run(slots(x, y), {(m + 4) / 5, (n + 18) / 19});
        expect(y, [&](auto &i) { return x.at({i[1], i[0]}); }, 0, level + " view_transpose");
      }
  Kernel sliced(R"(tile.kernel @k(%x: !tile.view<3 x f32, readonly> {tile.unit_axis = 2 : i64}, %y: !tile.view<2 x f32>, %at: index, %o: index, %s: index, %st: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c100 = arith.constant 100 : index
    %g = tile.grid extents(%c1) steps(%c1) : index
    %v = tile.view_slice %x 1[%at] : !tile.view<3 x f32, readonly> -> !tile.view<2 x f32, readonly>
    %w = tile.subview %v[%c0, %o][%c100, %s][%c1, %st] : !tile.view<2 x f32, readonly> -> !tile.view<2 x f32, readonly>
    %t = tile.load %w[%c0, %c0] : !tile.view<2 x f32, readonly> -> tensor<4x21xf32>
    tile.store %t, %y[%c0, %c0] : tensor<4x21xf32>, !tile.view<2 x f32>
    tile.return })", level);
  if (compiled(sliced, level + " view_slice"))
    for (int64_t at : {-1, 0, 2, 3})
      for (int64_t o : {-1, 0, 4, 50})
        for (int64_t s : {0, 3, 40})
          for (int64_t st : {0, 1, 3}) {
            Tensor<float> x({4, 3, 30}), y({4, 21});
            x.fill([](auto &i) { return float(1000 * i[0] + 100 * i[1] + i[2] + 1); });
            sliced.run(slots(x, y, at, o, s, st), {1});
            bool empty = at < 0 || at >= 3 || o < 0 || st <= 0;
            expect(y, [&](auto &i) { return empty || i[1] >= s ? 0.0f : x.get({i[0], at, o + i[1] * st}); }, 0,
                   level + " slice " + str(at) + " " + str(o) + " " + str(s) + " " + str(st));
          }
  Kernel reshaped(R"(tile.kernel @k(%x: !tile.view<2 x f32, readonly>, %y: !tile.view<3 x f32>, %a: index, %b: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %g = tile.grid extents(%c1) steps(%c1) : index
    %v = tile.view_reshape %x[%a, %b] : !tile.view<2 x f32, readonly> -> !tile.view<2 x f32, readonly>
    %w = tile.view_broadcast %v[%b, %a, %b] [-1, 0, 1] : !tile.view<2 x f32, readonly> -> !tile.view<3 x f32, readonly>
    %t = tile.load %w[%c0, %c0, %c0] : !tile.view<3 x f32, readonly> -> tensor<2x6x16xf32>
    tile.store %t, %y[%c0, %c0, %c0] : tensor<2x6x16xf32>, !tile.view<3 x f32>
    tile.return })", level);
  if (compiled(reshaped, level + " view_reshape"))
    for (auto [a, b] : {std::pair<int64_t, int64_t>{6, 8}, {3, 16}, {5, 5}, {1, 48}, {-6, -8}, {16, 3 + (int64_t(1) << 60)}}) {
      Tensor<float> x({4, 12}), y({2, 6, 16});
      x.fill([](auto &i) { return float(12 * i[0] + i[1] + 1); });
      reshaped.run(slots(x, y, a, b), {1});
      bool ok = a > 0 && b <= 48 && a * b == 48;
      expect(y, [&, a = a, b = b](auto &i) { return ok && i[0] < b && i[1] < a && i[2] < b ? float(i[1] * b + i[2] + 1) : 0.0f; }, 0, level + " view_reshape");
    }
}

template <typename T>
static void typeCase(const std::string &level, const std::string &element) {
  Kernel kernel(format(R"(tile.kernel @k(%x: !tile.view<2 x $e, readonly>$f, %y: !tile.view<2 x $e>$f) {
    %r = arith.constant 3 : index
    %c = arith.constant 21 : index
    %m = tile.view_size %y 0 : !tile.view<2 x $e>
    %n = tile.view_size %y 1 : !tile.view<2 x $e>
    %i, %j = tile.grid extents(%m, %n) steps(%r, %c) : index, index
    %t = tile.load %x[%i, %j] : !tile.view<2 x $e, readonly> -> tensor<3x21x$e>
    tile.store %t, %y[%i, %j] : tensor<3x21x$e>, !tile.view<2 x $e>
    tile.return })", {{"f", facts(true, 1)}, {"e", element}}), level);
  if (!compiled(kernel, level + " move " + element)) return;
  for (int64_t m : {1, 7})
    for (int64_t n : {1, 17, 80, 497}) {
      Tensor<T> x({m, n}, 3), y({m, n}, 1);
      x.fill([&](auto &i) { return element == "i1" ? T(i[1] % 3 == 0) : T((i[0] * 31 + i[1]) % 100); });
      kernel.run(slots(x, y), {(m + 2) / 3, (n + 20) / 21});
      expect(y, [&](auto &i) { return x.at(i); }, 0, level + " move " + element);
    }
}

static void gatherCases(const std::string &level) {
  Kernel kernel(R"(tile.kernel @k(%x: !tile.view<2 x f32, readonly>, %rows: !tile.view<1 x i64, readonly>, %y: !tile.view<1 x f32>, %z: !tile.view<1 x f32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %g = tile.grid extents(%c1) steps(%c1) : index
    %fill = arith.constant 5.0 : f32
    %c2 = arith.constant 2 : index
    %r = tile.load %rows[%c0] : !tile.view<1 x i64, readonly> -> tensor<37xi64>
    %i = tile.cast %r : tensor<37xi64> -> tensor<37xindex>
    %j = tile.iota 0 : tensor<37xindex>
    %two = tile.splat %c2 : index -> tensor<37xindex>
    %rem = tile.rem %j, %two : tensor<37xindex>
    %zero = tile.splat %c0 : index -> tensor<37xindex>
    %mask = arith.cmpi eq, %rem, %zero : tensor<37xindex>
    %t = tile.gather %x[%i, %j] mask(%mask : tensor<37xi1>) fill(%fill : f32) : !tile.view<2 x f32, readonly>, tensor<37xindex>, tensor<37xindex> -> tensor<37xf32>
    tile.store %t, %y[%c0] : tensor<37xf32>, !tile.view<1 x f32>
    tile.scatter %t, %z[%i] mask(%mask : tensor<37xi1>) : tensor<37xf32>, !tile.view<1 x f32>, tensor<37xindex>
    tile.return })", level);
  if (!compiled(kernel, level + " gather")) return;
  Tensor<float> x({9, 30}, 2), y({37}), z({9}, 0, 2);
  Tensor<int64_t> rows({37});
  x.fill([](auto &i) { return float(100 * i[0] + i[1]); });
  rows.fill([](auto &i) { return i[0] == 3 ? INT64_MIN : i[0] % 12 - 1; });
  z.fill([](auto &) { return -1.0f; });
  kernel.run(slots(x, rows, y, z), {1});
  auto value = [&](int64_t i) { return i % 2 == 0 ? x.get({rows.at({i}), i}, 5) : 5.0f; };
  expect(y, [&](auto &i) { return value(i[0]); }, 0, level + " gather");
  z.forEach([&](auto &i) {
    bool found = false, any = false;
    for (int64_t k = 0; k < 37; k += 2)
      if (rows.at({k}) == i[0]) any = true, found = found || z.at(i) == value(k);
    check(any ? found : z.at(i) == -1.0f, level + " scatter");
  });
  check(z.guardsIntact(), level + " scatter guard");
}

void memoryCases(const std::string &level) {
  copyCases(level);
  overlapCases(level);
  viewCases(level);
  typeCase<uint8_t>(level, "i1");
  typeCase<int8_t>(level, "i8");
  typeCase<int16_t>(level, "i16");
  typeCase<int32_t>(level, "i32");
  typeCase<int64_t>(level, "i64");
  typeCase<int64_t>(level, "index");
  typeCase<uint16_t>(level, "f16");
  typeCase<uint16_t>(level, "bf16");
  typeCase<float>(level, "f32");
  typeCase<double>(level, "f64");
  typeCase<uint8_t>(level, "f8E4M3FN");
  typeCase<uint8_t>(level, "f8E5M2");
  gatherCases(level);
}

}  // namespace sectile::test
