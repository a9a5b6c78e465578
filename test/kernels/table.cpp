// One table: every operation that keeps a tile's shape, on every type, over tensors of every awkward size. The tile's shape changes with the
// type; the height and width of the tensor are a seeded pairing of the sizes. The plain reference computes whole tiles, zeros outside included.
#include "harness.h"

using namespace harness;

namespace {

template <typename T>
constexpr bool computes = !std::is_same_v<T, bool> && !std::is_same_v<T, f8e4m3> && !std::is_same_v<T, f8e5m2>;
template <typename T>
constexpr bool multiplies = !std::is_integral_v<T> || (sizeof(T) == 1 && !std::is_same_v<T, bool>);

const char* const names[] = {"copy", "flip<0>", "flip<1>", "gather_along", "cat and extract", "trans and reshape", "join and split", "where",
                             "+", "-", "*", "minimum", "maximum", "negation", "abs", "==", "literals",
                             "sum<1>", "max<0>", "argmin<1>", "cumsum<1>", "cumsum<0> reversed", "sort", "sort descending, indices", "topk", "any<1>", "scan", "reduce", "range", "when",
                             "&", "|", "^", "~", "<<", ">>",
                             "/", "fma", "floor",
                             "dot"};
enum { moves = 0, arithmetic = 8, bits = 30, floats = 36, product = 39, operations = 40 };

template <typename T, int M, int N>
void every(View<const T, 2> a, View<const T, 2> b, View<T, 3> out, Scalar<i32> shift) {
  auto [row, col] = grid(tiles(a.size(0), M), tiles(a.size(1), N));
  auto x = load<M, N>(a, {row, col}), y = load<M, N>(b, {row, col});
  int at = moves;
  auto put = [&](const Tile<T, M, N>& tile) { store(out, {at++, row, col}, reshape<1, M, N>(tile)); };
  put(x), put(flip<0>(x)), put(flip<1>(x));
  put(gather_along<1>(x, broadcast_to<M, N>(cast<i32>((iota<1, N>() * 3 + 1) % N))));
  put(extract<M, N>(cat<0>(x, y), {shift, 0}));
  put(reshape<M, N>(trans(x)));
  auto [first, second] = split(join(x, y));
  put(second);
  put(where(broadcast_to<M, N>(iota<1, N>() % 2 == 0), first, second));
  if constexpr (computes<T>) {
    at = arithmetic;
    put(x + y), put(x - y), put(x * y), put(minimum(x, y)), put(maximum(x, y)), put(-x), put(abs(x)), put(cast<T>(x == y)), put(x * 2 + 1);
    auto wide = [](const auto& narrow) { return broadcast_to<M, N>(cast<T>(narrow)); };
    put(wide(sum<1>(x))), put(wide(max<0>(x))), put(wide(argmin<1>(x)));
    put(cast<T>(cumsum<1>(x))), put(cast<T>(cumsum<0>(x, true)));
    put(sort<1>(x).first), put(cast<T>(sort<1>(x, true).second)), put(wide(topk<1, 1>(x).first));
    put(wide(any<1>(x > y)));
    put(scan<1>(x, [](auto p, auto q) { return maximum(p, q); })), put(wide(reduce<1>(y, [](auto p, auto q) { return minimum(p, q); })));
    auto carried = x;
    for (auto k : range(shift)) carried = maximum(flip<1>(carried), y) + cast<T>(k);
    put(carried);
    auto chosen = x;
    when(shift > 1, [&] { chosen = y; }).otherwise([&] { chosen += y; });
    put(chosen);
  }
  if constexpr (computes<T> && std::is_integral_v<T>) at = bits, put(x & y), put(x | y), put(x ^ y), put(~x), put(x << 1), put(x >> 1);
  if constexpr (computes<T> && !std::is_integral_v<T>) at = floats, put(x / 2), put(fma(x, y, x)), put(floor(x / 2));
  if constexpr (multiplies<T>) {
    // Rows of a matrix of 0, 1 and 2 times x.
    at = product;
    put(cast<T>(dot(cast<T>((iota<M, 1>() + 2 * iota<1, M>()) % 3), x)));
  }
}

template <typename T>
double number(T value) { return static_cast<double>(value); }

/// The value of type T that an operation leaves: integers wrap, the floats here are exact.
template <typename T>
T result(double value) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) return static_cast<T>(static_cast<std::int64_t>(value));
  else return T(value);
}

template <typename T, int M, int N>
struct Plain {
  std::vector<T> x, y;  // M x N
  int shift;

  double at(const std::vector<T>& tile, int i, int j) const { return number(tile[static_cast<std::size_t>(i * N + j)]); }
  mutable std::vector<int> orders[M][2];  // computed once

  /// Places of row i in the order of a stable sort.
  const std::vector<int>& order(int i, bool descending) const {
    std::vector<int>& places = orders[i][descending];
    if (!places.empty()) return places;
    places.resize(N);
    for (int j = 0; j < N; ++j) places[static_cast<std::size_t>(j)] = j;
    std::stable_sort(places.begin(), places.end(), [&](int p, int q) { return descending ? at(x, i, p) > at(x, i, q) : at(x, i, p) < at(x, i, q); });
    return places;
  }
  double carried(int i, int j, int steps) const {
    if (steps == 0) return at(x, i, j);
    return number(result<T>(std::max(carried(i, N - 1 - j, steps - 1), at(y, i, j)) + (steps - 1)));
  }
  double row(int i, double start, double (*f)(double, double), const std::vector<T>& tile, int last = N - 1) const {
    for (int j = 0; j <= last; ++j) start = f(start, at(tile, i, j));
    return start;
  }
  double value(int operation, int i, int j) const {
    const double p = at(x, i, j), q = at(y, i, j);
    const auto add = [](double c, double d) { return c + d; };
    const auto low = [](double c, double d) { return std::min(c, d); };
    const auto high = [](double c, double d) { return std::max(c, d); };
    const double infinite = std::numeric_limits<double>::infinity();
    switch (operation) {
      case 0: return p;
      case 1: return at(x, M - 1 - i, j);
      case 2: return at(x, i, N - 1 - j);
      case 3: return at(x, i, (j * 3 + 1) % N);
      case 4: return i + shift >= 2 * M ? 0 : i + shift >= M ? at(y, i + shift - M, j) : at(x, i + shift, j);
      case 5: return at(x, (i * N + j) % M, (i * N + j) / M);
      case 6: return q;
      case 7: return j % 2 == 0 ? p : q;
      case 8: return p + q;
      case 9: return p - q;
      case 10: return p * q;
      case 11: return std::min(p, q);
      case 12: return std::max(p, q);
      case 13: return -p;
      case 14: return std::fabs(p);
      case 15: return p == q;
      case 16: return p * 2 + 1;
      case 17: return row(i, 0, add, x);
      case 18: {
        double most = -infinite;
        for (int k = 0; k < M; ++k) most = std::max(most, at(x, k, j));
        return most;
      }
      case 19: return order(i, false)[0];
      case 20: return row(i, 0, add, x, j);
      case 21: {
        double total = 0;
        for (int k = i; k < M; ++k) total += at(x, k, j);
        return total;
      }
      case 22: return at(x, i, order(i, false)[static_cast<std::size_t>(j)]);
      case 23: return order(i, true)[static_cast<std::size_t>(j)];
      case 24: return row(i, -infinite, high, x);
      case 25: {
        bool found = false;
        for (int k = 0; k < N; ++k) found = found || at(x, i, k) > at(y, i, k);
        return found;
      }
      case 26: return row(i, -infinite, high, x, j);
      case 27: return row(i, infinite, low, y);
      case 28: return carried(i, j, shift);
      case 29: return shift > 1 ? q : p + q;
      case 36: return p / 2;
      case 37: return p * q + p;
      case 38: return std::floor(p / 2);
      case 39: {
        double total = 0;
        for (int k = 0; k < M; ++k) total += (i + 2 * k) % 3 * at(x, k, j);
        return total;
      }
      default: return bitwise(operation, static_cast<std::int64_t>(p), static_cast<std::int64_t>(q));
    }
  }
  static double bitwise(int operation, std::int64_t p, std::int64_t q) {
    const std::int64_t found[] = {p & q, p | q, p ^ q, ~p, p * 2, p >> 1};
    return static_cast<double>(found[operation - bits]);
  }
};

template <typename T>
bool has(int operation) {
  if (operation < arithmetic) return true;
  if (operation >= product) return multiplies<T>;
  if (!computes<T>) return false;
  return operation < bits || (operation < floats) == std::is_integral_v<T>;
}

template <typename T, int M, int N>
void check_size(int height, int width, unsigned seed) {
  INFO("element type " << name(scalar_type_of<T>) << ", tile " << M << "x" << N << ", tensor " << height << "x" << width << ", seed " << seed);
  std::mt19937 random(seed);
  Guarded<T> a(height * width), b(height * width), out(operations * height * width);
  // Whole numbers of a few bits, so that sums are exact in any order.
  const int lowest = std::is_unsigned_v<T> ? 0 : -2;
  for (auto* memory : {&a, &b})
    for (std::int64_t i = 0; i < a.size(); ++i) (*memory)[i] = T(std::is_same_v<T, bool> ? static_cast<int>(random() % 2) : static_cast<int>(random() % 5) + lowest);
  for (std::int64_t i = 0; i < out.size(); ++i) out[i] = T(0);
  const int shift = static_cast<int>(random() % 4);
  launch<every<T, M, N>>(Device::cpu(), a.view(height, width), b.view(height, width), View<T, 3>(out.data(), {operations, height, width}), shift);
  REQUIRE(out.intact());
  std::string wrong;
  for (int r = 0; r < height; r += M)
    for (int c = 0; c < width; c += N) {
      Plain<T, M, N> tile{std::vector<T>(M * N, T(0)), std::vector<T>(M * N, T(0)), shift, {}};
      const int rows = std::min(M, height - r), columns = std::min(N, width - c);
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) tile.x[static_cast<std::size_t>(i * N + j)] = a[(r + i) * width + c + j], tile.y[static_cast<std::size_t>(i * N + j)] = b[(r + i) * width + c + j];
      for (int f = 0; f < operations; ++f)
        for (int i = 0; i < rows && has<T>(f); ++i)
          for (int j = 0; j < columns; ++j) {
            const T found = out[(std::int64_t{f} * height + r + i) * width + c + j], expected = result<T>(tile.value(f, i, j));
            if (number(found) != number(expected) && wrong.empty())
              wrong = std::string(names[f]) + " at " + std::to_string(r + i) + "," + std::to_string(c + j) + " is " + std::to_string(number(found)) + ", not " + std::to_string(number(expected));
          }
    }
  REQUIRE(wrong == "");
}

/// Every size once as a height and once as a width; the seed pairs them.
template <typename T, int M, int N>
void check_type(unsigned seed) {
  std::vector<std::int64_t> widths(std::begin(sizes), std::end(sizes));
  std::shuffle(widths.begin(), widths.end(), std::mt19937(seed));
  for (std::size_t i = 0; i < widths.size(); ++i) check_size<T, M, N>(static_cast<int>(sizes[i]), static_cast<int>(widths[i]), seed + static_cast<unsigned>(i));
}

}  // namespace

TEST_CASE("signed integers") { check_type<i8, 1, 112>(1), check_type<i16, 16, 7>(2), check_type<i32, 17, 16>(3), check_type<i64, 7, 17>(4); }
TEST_CASE("unsigned integers") { check_type<u8, 48, 1>(5), check_type<u16, 1, 80>(6), check_type<u32, 2, 96>(7), check_type<u64, 5, 48>(8); }
TEST_CASE("floats") { check_type<f16, 16, 16>(9), check_type<bf16, 7, 80>(10), check_type<float, 17, 48>(11), check_type<double, 1, 192>(12); }
TEST_CASE("types without arithmetic") { check_type<bool, 3, 80>(13), check_type<f8e4m3, 80, 1>(14), check_type<f8e5m2, 1, 96>(15); }
