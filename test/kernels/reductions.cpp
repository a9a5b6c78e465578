// Reductions, scans, sorting, histograms and matrix products.
#include "harness.h"

using namespace harness;

template <typename T, int M, int N>
void reductions(View<const T, 2> in, View<T, 2> rows, View<T, 2> cols, View<i32, 2> places, View<T, 2> scans, View<T, 2> backwards) {
  using U = decltype(sum<1>(std::declval<Tile<T, M, N>>()));
  (void)sizeof(U);
  grid(tiles(1, 1));
  auto x = load<M, N>(in, {0, 0});
  store(rows, {0, 0}, cast<T>(sum<1>(x))), store(rows, {0, 1}, max<1>(x)), store(rows, {0, 2}, min<1>(x));
  store(cols, {0, 0}, cast<T>(sum<0>(x))), store(cols, {1, 0}, max<0>(x)), store(cols, {2, 0}, min<0>(x));
  store(places, {0, 0}, argmax<1>(x)), store(places, {0, 1}, argmin<1>(x));
  store(scans, {0, 0}, cast<T>(cumsum<1>(x)));
  store(backwards, {0, 0}, cast<T>(cumsum<0>(x, true)));
}

template <typename T, int M, int N>
void check_reductions() {
  Guarded<T> in(M * N), rows(M * 3), cols(3 * N), scans(M * N), back(M * N);
  Guarded<i32> places(M * 2);
  fill_random(in, M + 31 * N);
  for (int i = 0; i < M * N; ++i)
    if constexpr (!std::is_integral_v<T>) in[i] = T(std::round(static_cast<double>(in[i]) * 2));  // small integers: exact in any order
    else in[i] = static_cast<T>(in[i] % 16);
  launch<reductions<T, M, N>>(Device::cpu(), in.view(M, N), rows.view(M, 3), cols.view(3, N), places.view(M, 2), scans.view(M, N), back.view(M, N));
  for (auto* g : {&rows, &cols, &scans, &back}) REQUIRE(g->intact());
  REQUIRE(places.intact());
  auto value = [&](int i, int j) { return static_cast<double>(in[i * N + j]); };
  for (int i = 0; i < M; ++i) {
    double total = 0, most = value(i, 0), least = value(i, 0);
    int first_most = 0, first_least = 0;
    for (int j = 0; j < N; ++j) {
      total += value(i, j);
      if (value(i, j) > most) most = value(i, j), first_most = j;
      if (value(i, j) < least) least = value(i, j), first_least = j;
      INFO("M " << M << " N " << N << " row " << i << " column " << j);
      REQUIRE(static_cast<double>(scans[i * N + j]) == static_cast<double>(static_cast<T>(total)));
    }
    INFO("M " << M << " N " << N << " row " << i);
    REQUIRE(static_cast<double>(rows[i * 3]) == static_cast<double>(static_cast<T>(total)));
    REQUIRE(static_cast<double>(rows[i * 3 + 1]) == most);
    REQUIRE(static_cast<double>(rows[i * 3 + 2]) == least);
    REQUIRE(places[i * 2] == first_most);
    REQUIRE(places[i * 2 + 1] == first_least);
  }
  for (int j = 0; j < N; ++j) {
    double total = 0, most = value(0, j), least = value(0, j);
    for (int i = M - 1; i >= 0; --i) {
      total += value(i, j), most = std::max(most, value(i, j)), least = std::min(least, value(i, j));
      REQUIRE(static_cast<double>(back[i * N + j]) == static_cast<double>(static_cast<T>(total)));
    }
    REQUIRE(static_cast<double>(cols[j]) == static_cast<double>(static_cast<T>(total)));
    REQUIRE(static_cast<double>(cols[N + j]) == most);
    REQUIRE(static_cast<double>(cols[2 * N + j]) == least);
  }
}

TEMPLATE_TEST_CASE("reductions and scans", "", float, double, f16, i32, i8, u16) {
  check_reductions<TestType, 1, 1>();
  check_reductions<TestType, 3, 2>();
  check_reductions<TestType, 17, 7>();
  check_reductions<TestType, 5, 80>();
  check_reductions<TestType, 2, 497>();
  check_reductions<TestType, 96, 1>();
}

template <typename T, int M, int N>
void whole(View<const T, 2> in, View<double, 1> out, View<i32, 1> places) {
  grid(tiles(1, 1));
  auto x = load<M, N>(in, {0, 0});
  store(out, {0}, cast<double>(sum(x))), store(out, {1}, cast<double>(max(x))), store(out, {2}, cast<double>(min(x)));
  store(out, {3}, cast<double>(prod(cast<i64>(x) % 5 + 10)));  // beyond 2^64, modulo which it is exact
  store(out, {4}, cast<double>(any(x > T(6)))), store(out, {5}, cast<double>(all(x < T(8))));
  store(out, {6}, cast<double>(reduce(cast<i32>(x), [](auto a, auto b) { return a ^ b; })));
  auto [least, place] = reduce(std::tuple(x, cast<i32>(reshape<M, N>(iota<M * N>()))), [](auto a, auto b) {
    auto [va, ia] = a;
    auto [vb, ib] = b;
    auto first = (va < vb) | ((va == vb) & (ia < ib));
    return std::tuple(where(first, va, vb), where(first, ia, ib));
  });
  store(out, {7}, cast<double>(least)), store(places, {0}, place);
  store(places, {1}, argmax(x)), store(places, {2}, argmin(x));
}

template <typename T, int M, int N>
void check_whole() {
  Guarded<T> in(M * N);
  Guarded<double> out(8);
  Guarded<i32> places(3);
  std::mt19937 random(M * 1000 + N);
  for (int i = 0; i < M * N; ++i) in[i] = T(static_cast<float>(static_cast<int>(random() % 17) - (std::is_unsigned_v<T> ? 0 : 8)));
  launch<whole<T, M, N>>(Device::cpu(), in.view(M, N), out.view(), places.view());
  REQUIRE(out.intact());
  REQUIRE(places.intact());
  double want[8] = {0, -100, 100, 0, 0, 1, 0, 0};
  int most = 0, least = 0, bits = 0;
  std::uint64_t product = 1;
  for (int i = 0; i < M * N; ++i) {
    auto v = static_cast<double>(in[i]);
    want[0] += v, want[1] = std::max(want[1], v), want[2] = std::min(want[2], v);
    product *= static_cast<std::uint64_t>(static_cast<int>(v) % 5 + 10);
    want[4] += v > 6 && want[4] == 0, want[5] *= v < 8, bits ^= static_cast<int>(v);
    if (v > static_cast<double>(in[most])) most = i;
    if (v < static_cast<double>(in[least])) least = i;
  }
  want[3] = static_cast<double>(static_cast<std::int64_t>(product)), want[6] = bits, want[7] = want[2];
  INFO("M " << M << " N " << N);
  for (int i = 0; i < 8; ++i) {
    INFO("result " << i);
    REQUIRE(out[i] == want[i]);
  }
  REQUIRE(places[0] == least);
  REQUIRE(places[1] == most);
  REQUIRE(places[2] == least);
}

TEMPLATE_TEST_CASE("reductions of all elements", "", float, double, f16, i32, i8, u16) {
  check_whole<TestType, 1, 1>();
  check_whole<TestType, 3, 2>();
  check_whole<TestType, 17, 7>();
  check_whole<TestType, 1, 80>();
  check_whole<TestType, 96, 5>();
}

template <int N>
void nans(View<const float, 2> in, View<float, 2> out, View<i32, 2> places) {
  auto [row] = grid(tiles(in.size(0), 1));
  auto x = load<1, N>(in, {row, 0});
  store(out, {row, 0}, max<1>(x)), store(out, {row, 1}, min<1>(x));
  store(places, {row, 0}, argmax<1>(x)), store(places, {row, 1}, argmin<1>(x));
}

TEST_CASE("NaN in extremes: propagates, and the index points at the first") {
  constexpr int N = 48;
  const std::int64_t rows = N;
  Guarded<float> in(rows * N), out(rows * 2);
  Guarded<i32> places(rows * 2);
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < N; ++c) in[r * N + c] = c == r || c == (r + 11) % N ? NAN : c % 3 ? INFINITY : -1;
  launch<nans<N>>(Device::cpu(), in.view(rows, N), out.view(rows, 2), places.view(rows, 2));
  for (std::int64_t r = 0; r < rows; ++r) {
    i32 first = static_cast<i32>(std::min<std::int64_t>(r, (r + 11) % N));
    REQUIRE(std::isnan(out[r * 2]));
    REQUIRE(std::isnan(out[r * 2 + 1]));
    REQUIRE(places[r * 2] == first);
    REQUIRE(places[r * 2 + 1] == first);
  }
}

template <int N>
void generic(View<const float, 1> in, View<float, 1> mean, View<float, 1> compose_a, View<float, 1> compose_b, View<i32, 1> counts) {
  grid(tiles(1, 1));
  auto x = load<N>(in, {0});
  // Welford's combination of (count, mean): tuples, commutative.
  auto [count, average] = reduce<0>(std::tuple(full<float, N>(1), x), [](auto a, auto b) {
    auto [na, ma] = a;
    auto [nb, mb] = b;
    auto n = na + nb;
    return std::tuple(n, ma + (mb - ma) * (nb / n));
  });
  store(mean, {0}, average);
  store(counts, {0}, sum<0>(x > 0));
  // Composition of affine maps y -> a y + b: associative, not commutative.
  auto [a, b] = scan<0>(std::tuple(x * 0 + 0.5f, x), [](auto f, auto g) {
    auto [fa, fb] = f;
    auto [ga, gb] = g;
    return std::tuple(fa * ga, ga * fb + gb);
  });
  store(compose_a, {0}, a), store(compose_b, {0}, b);
}

TEST_CASE("generic reductions and scans on tuples") {
  constexpr int N = 71;
  Guarded<float> in(N), mean(1), a(N), b(N);
  Guarded<i32> counts(1);
  fill_random(in, 9);
  launch<generic<N>>(Device::cpu(), in.view(), mean.view(), a.view(), b.view(), counts.view());
  double total = 0, y = 0;
  int positive = 0;
  for (int i = 0; i < N; ++i) {
    total += in[i];
    positive += in[i] > 0;
    y = i == 0 ? in[0] : 0.5 * y + in[i];
    REQUIRE(b[i] == Approx(y).epsilon(1e-5).margin(1e-5));
    REQUIRE(a[i] == std::ldexp(1.0f, -(i + 1)));
  }
  REQUIRE(mean[0] == Approx(total / N).margin(1e-5));
  REQUIRE(counts[0] == positive);
}

template <typename T, int M, int N, int K>
void ordering(View<const T, 2> in, View<T, 2> sorted, View<i32, 2> places, View<T, 2> top, View<i32, 2> top_places, View<i32, 1> bins) {
  grid(tiles(1, 1));
  auto x = load<M, N>(in, {0, 0});
  auto [values, index] = sort<1>(x);
  store(sorted, {0, 0}, values), store(places, {0, 0}, index);
  auto [best, where] = topk<K, 1>(x);
  store(top, {0, 0}, best), store(top_places, {0, 0}, where);
  store(bins, {0}, histogram<10>(cast<i32>(x)));
}

template <typename T, int M, int N, int K>
void check_ordering() {
  Guarded<T> in(M * N), sorted(M * N), top(M * K);
  Guarded<i32> places(M * N), top_places(M * K), bins(10);
  fill_random(in, N, 12);
  if constexpr (!std::is_integral_v<T>) {
    for (int i = 0; i < M * N; i += 5) in[i] = T(std::round(static_cast<double>(in[i])));
    if (N > 8) in[3] = T(NAN), in[5] = T(INFINITY), in[6] = T(-0.0), in[7] = T(0.0);
  }
  launch<ordering<T, M, N, K>>(Device::cpu(), in.view(M, N), sorted.view(M, N), places.view(M, N), top.view(M, K), top_places.view(M, K), bins.view());
  REQUIRE(sorted.intact());
  REQUIRE(places.intact());
  REQUIRE(top.intact());
  auto less = [&](double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; };
  for (int i = 0; i < M; ++i) {
    std::vector<int> order(N);
    for (int j = 0; j < N; ++j) order[j] = j;
    auto value = [&](int j) { return static_cast<double>(in[i * N + j]); };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return less(value(a), value(b)); });
    for (int j = 0; j < N; ++j) {
      INFO("row " << i << " place " << j);
      REQUIRE(places[i * N + j] == order[j]);
      REQUIRE(std::memcmp(&sorted[i * N + j], &in[i * N + order[j]], sizeof(T)) == 0);
    }
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return less(value(b), value(a)); });
    std::vector<int> down(N);
    for (int j = 0; j < N; ++j) down[j] = j;
    std::stable_sort(down.begin(), down.end(), [&](int a, int b) { return less(value(b), value(a)); });
    for (int j = 0; j < K; ++j) REQUIRE(top_places[i * K + j] == down[j]);
  }
  for (int b = 0; b < 10; ++b) {
    int count = 0;
    for (int i = 0; i < M * N; ++i) {
      double v = static_cast<double>(in[i]);
      count += (std::isnan(v) ? 0 : std::trunc(v)) == b;
    }
    REQUIRE(bins[b] == count);
  }
}

TEMPLATE_TEST_CASE("sort, top k and histogram", "", float, double, f16, i32, i8) {
  check_ordering<TestType, 1, 1, 1>();
  check_ordering<TestType, 3, 17, 5>();
  check_ordering<TestType, 2, 96, 96>();
  check_ordering<TestType, 1, 497, 10>();
}

// ---- products ----

template <typename A, typename C, int M, int N, int K>
void product(View<const A, 2> a, View<const A, 2> b, View<const A, 2> bt, View<C, 2> c, View<C, 2> d) {
  grid(tiles(1, 1));
  auto x = load<M, K>(a, {0, 0});
  auto p = dot(x, load<K, N>(b, {0, 0}));
  store(c, {0, 0}, p);
  store(d, {0, 0}, dot(x, trans(load<N, K>(bt, {0, 0})), p));
}

template <typename A, int M, int N, int K>
void check_product(const char* level = "native") {
  using C = typename detail::Product<A, A>::type;
  Guarded<A> a(M * K), b(K * N), bt(N * K);
  Guarded<C> c(M * N), d(M * N);
  fill_random(a, M), fill_random(b, N), fill_random(bt, K);
  launch<product<A, C, M, N, K>>(Device::cpu(level), a.view(M, K), b.view(K, N), bt.view(N, K), c.view(M, N), d.view(M, N));
  REQUIRE(c.intact());
  REQUIRE(d.intact());
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      double first = 0, second = 0, size = 0;
      for (int k = 0; k < K; ++k) {
        double x = static_cast<double>(a[i * K + k]), y = static_cast<double>(b[k * N + j]), z = static_cast<double>(bt[j * K + k]);
        first += x * y, second += x * z, size += std::fabs(x * y) + std::fabs(x * z);
      }
      // K roundings of sums no larger than the sum of magnitudes.
      double allowed = std::is_integral_v<C> ? 0 : size * (K + 2) * (std::is_same_v<C, double> ? 0x1p-52 : 0x1p-24);
      INFO("M " << M << " N " << N << " K " << K << " at " << i << "," << j << " level " << level);
      REQUIRE(std::fabs(static_cast<double>(c[i * N + j]) - first) <= allowed);
      REQUIRE(std::fabs(static_cast<double>(d[i * N + j]) - (first + second)) <= allowed);
    }
}

TEMPLATE_TEST_CASE("products of every type", "", f16, bf16, float, double, i8, u8, f8e4m3, f8e5m2) {
  check_product<TestType, 1, 1, 1>();
  check_product<TestType, 16, 16, 16>();
  check_product<TestType, 17, 7, 3>();
  check_product<TestType, 48, 80, 96>();
}

TEST_CASE("small and odd products") {
  check_product<float, 1, 2, 4>(), check_product<float, 2, 1, 8>(), check_product<float, 4, 16, 2>(), check_product<float, 8, 4, 1>(), check_product<float, 16, 8, 2>();
  check_product<float, 1, 192, 7>(), check_product<float, 112, 1, 17>(), check_product<float, 15, 33, 63>(), check_product<float, 13, 47, 5>(), check_product<float, 3, 31, 1>();
  check_product<float, 17, 49, 16>("x86-64-v2"), check_product<float, 17, 49, 16>("x86-64-v3"), check_product<double, 7, 13, 5>("x86-64-v2");
}

template <int G, int M, int N, int K>
void batched(View<const float, 3> a, View<const float, 3> b, View<float, 3> c) {
  grid(tiles(1, 1));
  auto once = dot(load<G, M, K>(a, {0, 0, 0}), load<G, K, N>(b, {0, 0, 0}));
  for (auto k : range(K, a.size(2), K)) once = dot(load<G, M, K>(a, {0, 0, k}), load<G, K, N>(b, {0, k, 0}), once);
  store(c, {0, 0, 0}, once);
}

template <int G, int M, int N, int K>
void check_batched(int depth) {
  Guarded<float> a(G * M * depth), b(G * depth * N), c(G * M * N);
  fill_random(a, 1), fill_random(b, 2);
  launch<batched<G, M, N, K>>(Device::cpu(), View<const float, 3>(a.data(), {G, M, depth}), View<const float, 3>(b.data(), {G, depth, N}), View<float, 3>(c.data(), {G, M, N}));
  REQUIRE(c.intact());
  for (int g = 0; g < G; ++g)
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) {
        double sum = 0;
        for (int k = 0; k < depth; ++k) sum += static_cast<double>(a[(g * M + i) * depth + k]) * b[(g * depth + k) * N + j];
        INFO("batch " << g << " row " << i << " column " << j << " depth " << depth);
        REQUIRE(c[(g * M + i) * N + j] == Approx(sum).margin(1e-4));
      }
}

TEST_CASE("batched products, and their accumulator over several steps") {
  check_batched<3, 5, 33, 7>(7), check_batched<3, 5, 33, 7>(40);
  check_batched<1, 1, 1, 1>(5), check_batched<2, 16, 17, 16>(48), check_batched<7, 2, 3, 48>(49);
}
