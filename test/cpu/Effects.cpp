// Atomics, fences, prints and assertions.

#include "Cases.h"

namespace sectile::test {

template <typename T>
static void atomicCase(const std::string &level, const std::string &element, const std::string &kind, std::function<T(T, T)> apply) {
  std::string what = level + " atomic " + kind + " " + element;
  Kernel kernel(format(R"(tile.kernel @k(%x: !tile.view<1 x $e, readonly>, %y: !tile.view<1 x $e>, %z: !tile.view<1 x $e>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %g = tile.grid extents(%c1) steps(%c1) : index
    %t = tile.load %x[%c0] : !tile.view<1 x $e, readonly> -> tensor<19x$e>
    %i = tile.iota 0 : tensor<19xindex>
    %three = tile.splat %c3 : index -> tensor<19xindex>
    %j = tile.div %i, %three : tensor<19xindex>
    %old = tile.atomic_rmw "$k" %t, %y[%j] {order = "acq_rel"} : tensor<19x$e>, !tile.view<1 x $e>, tensor<19xindex> -> tensor<19x$e>
    tile.fence
    tile.store %old, %z[%c0] : tensor<19x$e>, !tile.view<1 x $e>
    tile.return })", {{"e", element}, {"k", kind}}), level);
  if (!compiled(kernel, what)) return;
  Tensor<T> x({19}), y({5}), z({19});
  x.fill([](auto &i) { return T((i[0] * 7) % 11); });
  y.fill([](auto &i) { return T(i[0] + 2); });
  kernel.run(slots(x, y, z), {1});
  std::vector<T> memory{2, 3, 4, 5, 6}, old(19, T(0));
  for (int64_t i = 0; i < 19; ++i)
    if (i / 3 < 5) old[i] = memory[i / 3], memory[i / 3] = apply(memory[i / 3], T((i * 7) % 11));
  expect(y, [&](auto &i) { return memory[i[0]]; }, 0, what);
  expect(z, [&](auto &i) { return old[i[0]]; }, 0, what + " old");
}

template <typename T>
static void allKinds(const std::string &level, const std::string &element) {
  atomicCase<T>(level, element, "add", [](T a, T b) { return T(a + b); });
  atomicCase<T>(level, element, "max", [](T a, T b) { return a > b ? a : b; });
  atomicCase<T>(level, element, "min", [](T a, T b) { return a < b ? a : b; });
  atomicCase<T>(level, element, "exchange", [](T, T b) { return b; });
}

static void hostCases(const std::string &level) {
  Kernel kernel(R"(tile.kernel @k(%x: !tile.view<1 x i32, readonly>, %n: index) {
    %c1 = arith.constant 1 : index
    %i, %p = tile.grid extents(%n, %n) steps(%c1, %c1) : index, index
    %t = tile.load %x[%p] : !tile.view<1 x i32, readonly> -> tensor<3xi32>
    tile.print "x" %t, %p : tensor<3xi32>, index
    %two = arith.constant 2 : i32
    %twos = tile.splat %two : i32 -> tensor<3xi32>
    %ok = arith.cmpi ne, %t, %twos : tensor<3xi32>
    tile.assert %ok, "two" : tensor<3xi1>
    tile.return })", level);
  if (!compiled(kernel, level + " host")) return;
  Tensor<int32_t> x({4});
  x.fill([](auto &i) { return int32_t(i[0]); });
  struct Seen {
    int64_t prints = 0, wrong = 0;
    std::vector<int64_t> failed;
  } seen;
  sectile_host host{&seen,
                    [](void *self, int64_t site, const void *const *values, const int64_t *program) {
                      auto &s = *static_cast<Seen *>(self);
                      ++s.prints;
                      auto *tile = static_cast<const int32_t *>(values[0]);
                      int64_t p = *static_cast<const int64_t *>(values[1]);
                      for (int k = 0; k < 3; ++k) s.wrong += tile[k] != (p + k < 4 ? p + k : 0);
                      s.wrong += site != 0 || program[1] != p;
                    },
                    [](void *self, int64_t, const int64_t *program) { static_cast<Seen *>(self)->failed.push_back(program[0] * 10 + program[1]); }};
  kernel.run(slots(x, int64_t(4)), {4, 4}, &host);
  check(seen.prints == 16 && seen.wrong == 0, level + " prints");
  std::vector<int64_t> expected;
  for (int64_t i = 0; i < 4; ++i)
    for (int64_t p : {0, 1, 2}) expected.push_back(10 * i + p);
  check(seen.failed == expected, level + " assertions");
  kernel.run(slots(x, int64_t(4)), {4, 4});
}

void effectCases(const std::string &level) {
  allKinds<int8_t>(level, "i8");
  allKinds<int16_t>(level, "i16");
  allKinds<int32_t>(level, "i32");
  allKinds<int64_t>(level, "i64");
  allKinds<float>(level, "f32");
  allKinds<double>(level, "f64");
  allKinds<_Float16>(level, "f16");
  hostCases(level);
}

}  // namespace sectile::test
