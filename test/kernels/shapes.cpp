// Rearranging tiles, views of every kind, gathers, scatters and atomics.
#include "harness.h"

using namespace harness;

template <typename T, int M, int N>
void rearrange(View<const T, 2> in, View<T, 2> transposed, View<T, 2> flipped, View<T, 1> flat, View<T, 3> joined, View<T, 2> catted, View<T, 2> extracted, View<T, 2> picked,
               View<T, 2> halves, Scalar<i32> at0, Scalar<i32> at1) {
  grid(tiles(1, 1));
  auto x = load<M, N>(in, {0, 0});
  store(transposed, {0, 0}, trans(x));
  store(flipped, {0, 0}, flip<0>(flip<1>(x)));
  store(flat, {0}, reshape<M * N>(x));
  auto pair = join(x, x + x);
  store(joined, {0, 0, 0}, pair);
  store(catted, {0, 0}, cat<1>(x, flip<1>(x)));
  store(extracted, {0, 0}, extract<M, N>(x, {at0, at1}));
  auto index = broadcast_to<M, N>((iota<1, N>() * 3 + 1) % N);
  store(picked, {0, 0}, gather_along<1>(x, cast<i32>(index)));
  auto [a, b] = split(pair);
  store(halves, {0, 0}, b - a);
}

template <typename T, int M, int N>
void check_rearrange(int at0, int at1) {
  Guarded<T> in(M * N), tr(M * N), fl(M * N), flat(M * N), jo(M * N * 2), ca(M * N * 2), ex(M * N), pi(M * N), ha(M * N);
  fill_random(in, M * 100 + N);
  launch<rearrange<T, M, N>>(Device::cpu(), in.view(M, N), tr.view(N, M), fl.view(M, N), flat.view(), View<T, 3>(jo.data(), {M, N, 2}), ca.view(M, 2 * N), ex.view(M, N), pi.view(M, N),
                             ha.view(M, N), at0, at1);
  for (auto* g : {&tr, &fl, &flat, &jo, &ca, &ex, &pi, &ha}) REQUIRE(g->intact());
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      INFO("M " << M << " N " << N << " at " << i << "," << j);
      T x = in[i * N + j];
      REQUIRE(tr[j * M + i] == x);
      REQUIRE(fl[(M - 1 - i) * N + (N - 1 - j)] == x);
      REQUIRE(flat[i * N + j] == x);
      REQUIRE(jo[(i * N + j) * 2] == x);
      REQUIRE(jo[(i * N + j) * 2 + 1] == static_cast<T>(x + x));
      REQUIRE(ca[i * 2 * N + j] == x);
      REQUIRE(ca[i * 2 * N + N + (N - 1 - j)] == x);
      int r = i + at0, c = j + at1;
      REQUIRE(ex[i * N + j] == (r >= 0 && r < M && c >= 0 && c < N ? in[r * N + c] : T(0)));
      REQUIRE(pi[i * N + j] == in[i * N + (j * 3 + 1) % N]);
      REQUIRE(ha[i * N + j] == x);
    }
}

TEMPLATE_TEST_CASE("rearranging", "", float, i8, i64) {
  check_rearrange<TestType, 1, 1>(0, 0);
  check_rearrange<TestType, 7, 17>(2, -3);
  check_rearrange<TestType, 16, 48>(-100, 5);
  check_rearrange<TestType, 80, 3>(1, 1);
  check_rearrange<TestType, 1, 96>(0, 90);
}

// ---- views ----

template <typename T, int M, int N>
void copy_tiles(View<const T, 2> in, View<T, 2> out, Scalar<T> outside) {
  auto [row, col] = grid(tiles(out.size(0), M), tiles(out.size(1), N));
  store(out, {row, col}, load<M, N>(in, {row - 2, col + 3}, fill(outside)));
}

TEST_CASE("strided, transposed, reversed and broadcast views, with offsets outside") {
  for (std::int64_t m : {1, 7, 63, 80})
    for (std::int64_t n : {1, 17, 71}) {
      Guarded<float> memory(m * n * 6);
      fill_random(memory, static_cast<unsigned>(m * n));
      struct Case {
        std::int64_t offset, row, col;
      };
      for (Case c : {Case{0, n, 1}, Case{0, 1, m}, Case{0, 2 * n, 2}, Case{(m - 1) * n, -n, 1}, Case{n - 1, n, -1}, Case{0, 0, 1}, Case{3, n * 3, 3}}) {
        Guarded<float> out(m * n);
        View<const float, 2> in(memory.data() + c.offset, {m, n}, {c.row, c.col});
        launch<copy_tiles<float, 16, 48>>(Device::cpu(), in, out.view(m, n), 9.5f);
        REQUIRE(out.intact());
        for (std::int64_t i = 0; i < m; ++i)
          for (std::int64_t j = 0; j < n; ++j) {
            std::int64_t r = i - 2, k = j + 3;
            float wanted = r >= 0 && k < n ? memory[c.offset + r * c.row + k * c.col] : 9.5f;
            INFO("m " << m << " n " << n << " strides " << c.row << "," << c.col << " at " << i << "," << j);
            REQUIRE(out[i * n + j] == wanted);
          }
        // The same pattern as the target of stores.
        if (c.row == 0) continue;
        Guarded<float> target(m * n * 6);
        View<float, 2> to(target.data() + c.offset, {m, n}, {c.row, c.col});
        launch<copy_tiles<float, 16, 48>>(Device::cpu(), out.view(m, n), to, 1.0f);
        REQUIRE(target.intact());
        std::int64_t written = 0;
        for (std::int64_t i = 0; i < target.size(); ++i) written += std::isnan(target[i]) ? 0 : 1;
        REQUIRE(written == m * n);
      }
    }
}

template <int N>
void view_algebra(View<const float, 3> in, View<float, 2> sliced, View<float, 2> stepped, View<float, 2> repeated, View<float, 1> reshaped, Scalar<i64> which) {
  grid(tiles(1, 1));
  store(sliced, {0, 0}, load<N, N>(slice<1>(in, which), {0, 0}));
  store(stepped, {0, 0}, load<N, N>(subview(in[1], {1, 2}, {4, 5}, {2, 3}), {0, 0}));
  auto row = subview(in[0], {0, 0}, {1, in.size(2)});
  store(repeated, {0, 0}, load<N, N>(broadcast<2>(row, {N, in.size(2)}), {0, 0}));
  store(reshaped, {0}, load<N * N>(in.reshaped(in.size(0) * in.size(1) * in.size(2)), {0}));
}

TEST_CASE("slices, windows, broadcasts and reshapes of views") {
  constexpr int N = 16;
  const std::int64_t a = 3, b = 9, c = 11;
  Guarded<float> in(a * b * c), sl(N * N), st(N * N), re(N * N), rs(N * N);
  fill_random(in, 3);
  for (std::int64_t which : {std::int64_t{0}, std::int64_t{8}, std::int64_t{9}, std::int64_t{-1}}) {
    launch<view_algebra<N>>(Device::cpu(), View<const float, 3>(in.data(), {a, b, c}), sl.view(N, N), st.view(N, N), re.view(N, N), rs.view(), which);
    for (std::int64_t i = 0; i < N; ++i)
      for (std::int64_t j = 0; j < N; ++j) {
        bool ok = which >= 0 && which < b && i < a && j < c;
        REQUIRE(sl[i * N + j] == (ok ? in[(i * b + which) * c + j] : 0));
        bool window = i < 4 && 1 + 2 * i < b && j < 5 && 2 + 3 * j < c;
        REQUIRE(st[i * N + j] == (window ? in[(1 * b + 1 + 2 * i) * c + 2 + 3 * j] : 0));
        REQUIRE(re[i * N + j] == (j < c ? in[j] : 0));
        REQUIRE(rs[i * N + j] == (i * N + j < a * b * c ? in[i * N + j] : 0));
      }
  }
}

template <typename T, int N>
void indexed(View<const T, 1> in, View<const i32, 1> index, View<T, 1> gathered, View<T, 1> scattered) {
  auto [start] = grid(tiles(index.size(0), N));
  auto at = load<N>(index, {start}, fill(-1));
  auto active = at % 5 != 0;
  auto value = gather(in, indices(at), active, fill(T(7)));
  store(gathered, {start}, value);
  scatter(scattered, indices(at), value, active);
}

TEMPLATE_TEST_CASE("gather and scatter", "", float, bf16, i8, u64) {
  using T = TestType;
  for (std::int64_t n : sizes) {
    Guarded<T> in(n), gathered(n), scattered(n);
    Guarded<i32> index(n);
    fill_random(in, 1);
    // A permutation with some indices outside.
    std::vector<i32> order(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = static_cast<i32>(i);
    std::shuffle(order.begin(), order.end(), std::mt19937(5));
    for (std::int64_t i = 0; i < n; ++i) index[i] = i % 11 == 3 ? (i % 2 ? -4 : 1000001) : order[static_cast<std::size_t>(i)];
    launch<indexed<T, 48>>(Device::cpu(), in.view(), index.view(), gathered.view(), scattered.view());
    REQUIRE(gathered.intact());
    REQUIRE(scattered.intact());
    std::int64_t written = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      bool active = index[i] % 5 != 0 && index[i] >= 0 && index[i] < n;
      REQUIRE(std::memcmp(&gathered[i], active ? &in[index[i]] : &(const T&)T(7), sizeof(T)) == 0);
      if (active) REQUIRE(std::memcmp(&scattered[index[i]], &in[index[i]], sizeof(T)) == 0);
      written += active;
    }
    (void)written;
  }
}

template <typename T, int N>
void count_up(View<const i32, 1> bucket, View<T, 1> sums, View<T, 1> old) {
  auto [start] = grid(tiles(bucket.size(0), N));
  auto at = load<N>(bucket, {start}, fill(-1));
  store(old, {start}, atomic_add(sums, indices(at), full<T, N>(1)));
  atomic_max(sums, indices(at * 0 + (sums.size(0) - 1)), cast<T>(maximum(at, 0)), Order::acq_rel);
}

TEMPLATE_TEST_CASE("atomics from many programs", "", i32, u64, float, double, f16) {
  using T = TestType;
  const std::int64_t n = 497, buckets = 8;
  Guarded<i32> bucket(n);
  Guarded<T> sums(buckets), old(n);
  for (std::int64_t i = 0; i < n; ++i) bucket[i] = static_cast<i32>(i * 7 % 6);
  for (std::int64_t i = 0; i < buckets; ++i) sums[i] = T(0);
  launch<count_up<T, 17>>(Device::cpu(), bucket.view(), sums.view(), old.view());
  REQUIRE(sums.intact());
  REQUIRE(old.intact());
  for (std::int64_t b = 0; b < 6; ++b) {
    std::vector<double> seen;
    for (std::int64_t i = 0; i < n; ++i)
      if (bucket[i] == b) seen.push_back(static_cast<double>(old[i]));
    std::sort(seen.begin(), seen.end());
    REQUIRE(static_cast<double>(sums[b]) == static_cast<double>(seen.size()));
    for (std::size_t i = 0; i < seen.size(); ++i) REQUIRE(seen[i] == static_cast<double>(i));  // each old value once
  }
  REQUIRE(static_cast<double>(sums[7]) == 5);
}

template <int N>
void claim(View<i32, 1> owner, View<i32, 1> won) {
  auto [program] = grid(tiles(won.size(0), 1));
  auto me = cast<i32>(program) + 1;
  auto before = atomic_cas(owner, indices(iota<N>() * 0), full<i32, N>(0), broadcast_to<N>(full<i32, 1>(me)));
  store(won, {program}, cast<i32>(at(before, {0}) == 0));
}

TEST_CASE("compare and swap has one winner") {
  Guarded<i32> owner(1), won(63);
  owner[0] = 0;
  launch<claim<1>>(Device::cpu(), owner.view(), won.view());
  i32 winners = 0;
  for (int i = 0; i < 63; ++i) {
    winners += won[i];
    if (won[i]) REQUIRE(owner[0] == i + 1);
  }
  REQUIRE(winners == 1);
}

template <typename T>
void add_blocks(View<T, 2> sums, View<T, 2> old) {
  auto [row, col, again] = grid(tiles(sums.size(0), 5), tiles(sums.size(1), 8), tiles(3, 1), in_order, hint{.warps = 2});
  auto before = atomic_add(sums, {row, col}, full<T, 5, 8>(1));
  when(again == 2, [&] { store(old, {row, col}, before); });
  atomic_add(sums, {0, 0}, 1);  // one element
  auto at = iota<8>();
  atomic_max(sums, indices(at * 0, at), full<T, 8>(99), at == 3);
}

TEMPLATE_TEST_CASE("atomics on blocks, elements and under a mask", "", i32, u64, float) {
  using T = TestType;
  const std::int64_t rows = 7, cols = 17;
  Guarded<T> sums(rows * cols), old(rows * cols);
  for (std::int64_t i = 0; i < rows * cols; ++i) sums[i] = T(10);
  launch<add_blocks<T>>(Device::cpu(), sums.view(rows, cols), old.view(rows, cols));
  REQUIRE(sums.intact());
  REQUIRE(old.intact());
  for (std::int64_t i = 0; i < rows * cols; ++i) {
    if (i == 0) REQUIRE(sums[i] == T(10 + 3 + 2 * 3 * 3));
    else if (i == 3) REQUIRE(sums[i] >= T(99));
    else REQUIRE(sums[i] == T(13));
    if (i > 3) REQUIRE(old[i] == T(12));
  }
}
