// Integer arithmetic with corners, against C++ with the documented total meaning.
#include "harness.h"

using namespace harness;

template <typename T, int Block>
void arithmetic(View<const T, 1> a, View<const T, 1> b, View<T, 2> out) {
  auto [start] = grid(tiles(a.size(0), Block));
  auto x = load<Block>(a, {start}), y = load<Block>(b, {start});
  int row = 0;
  auto put = [&](const Tile<T, Block>& value) { store(out, {row++, start}, reshape<1, Block>(value)); };
  put(x + y), put(x - y), put(x * y), put(x / y), put(x % y), put(x & y), put(x | y), put(x ^ y), put(x << y), put(x >> y);
  put(minimum(x, y)), put(maximum(x, y)), put(abs(x)), put(popcount(x)), put(clz(x)), put(mulhi(x, y)), put(~x), put(-x), put(x + 1), put(cast<T>(x < y));
}

template <typename T>
T expected(int f, T x, T y) {
  using U = std::make_unsigned_t<T>;
  constexpr int width = sizeof(T) * 8;
  bool overflow = std::is_signed_v<T> && x == std::numeric_limits<T>::min() && y == T(-1);
  switch (f) {
    case 0: return static_cast<T>(static_cast<U>(x) + static_cast<U>(y));
    case 1: return static_cast<T>(static_cast<U>(x) - static_cast<U>(y));
    case 2: return static_cast<T>(static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y));
    case 3: return overflow ? x : static_cast<T>(x / y);
    case 4: return overflow ? T(0) : static_cast<T>(x % y);
    case 5: return static_cast<T>(x & y);
    case 6: return static_cast<T>(x | y);
    case 7: return static_cast<T>(x ^ y);
    case 8: return static_cast<U>(y) >= width ? T(0) : static_cast<T>(static_cast<std::uint64_t>(x) << y);
    case 9: return static_cast<U>(y) >= width ? static_cast<T>(std::is_signed_v<T> && x < 0 ? -1 : 0) : static_cast<T>(x >> y);
    case 10: return std::min(x, y);
    case 11: return std::max(x, y);
    case 12: return x < 0 ? static_cast<T>(-static_cast<U>(x)) : x;
    case 13: return static_cast<T>(std::popcount(static_cast<U>(x)));
    case 14: return static_cast<T>(std::countl_zero(static_cast<U>(x)));
    case 15: {
      if constexpr (std::is_signed_v<T>) return static_cast<T>(static_cast<__int128>(x) * y >> width);
      else return static_cast<T>(static_cast<unsigned __int128>(x) * y >> width);
    }
    case 16: return static_cast<T>(~x);
    case 17: return static_cast<T>(-static_cast<U>(x));
    case 18: return static_cast<T>(static_cast<U>(x) + 1);
    default: return x < y;
  }
}

TEMPLATE_TEST_CASE("integer arithmetic", "", i8, i16, i32, i64, u8, u16, u32, u64) {
  using T = TestType;
  for (const char* level : {"native", "x86-64-v2"})
    for (std::int64_t n : sizes) {
      Guarded<T> a(n), b(n), out(20 * n);
      fill_random(a, 1), fill_random(b, 2);
      if (n > 100) {
        const T corners[] = {0, 1, static_cast<T>(-1), std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), 7, static_cast<T>(-7), static_cast<T>(sizeof(T) * 8)};
        for (int i = 0; i < 8; ++i)
          for (int j = 0; j < 8; ++j) a[i * 8 + j] = corners[i], b[i * 8 + j] = corners[j];
      }
      launch<arithmetic<T, 48>>(Device::cpu(level), a.view(), b.view(), View<T, 2>(out.data(), {20, n}));
      REQUIRE(out.intact());
      for (int f = 0; f < 20; ++f)
        for (std::int64_t i = 0; i < n; ++i) {
          if ((f == 3 || f == 4) && b[i] == 0) continue;  // unspecified, but no trap
          INFO("function " << f << " of " << +a[i] << " and " << +b[i] << ", level " << level);
          REQUIRE(out[f * n + i] == expected<T>(f, a[i], b[i]));
        }
    }
}

// ---- casts between every pair of types ----

template <typename To, typename From, int Block>
void convert(View<const From, 1> in, View<To, 1> out) {
  auto [start] = grid(tiles(in.size(0), Block));
  store(out, {start}, cast<To>(load<Block>(in, {start})));
}

template <typename T>
constexpr bool is_float_type = std::is_floating_point_v<T> || std::is_class_v<T>;

/// The documented conversion, by way of long double, which holds every source exactly.
template <typename To, typename From>
To converted(From x) {
  if constexpr (std::is_same_v<To, From>) {
    return x;  // a cast to the same type changes nothing, not even an infinity of f8
  } else if constexpr (std::is_same_v<To, bool>) {
    if constexpr (is_float_type<From>) return static_cast<double>(x) != 0;
    else return x != 0;
  } else if constexpr (!is_float_type<From>) {
    if constexpr (std::is_class_v<To>) {
      // Round towards odd to double first: the narrow rounding is then the only one.
      long double exact = static_cast<long double>(x);
      double d = static_cast<double>(exact);
      if (static_cast<long double>(d) != exact) {
        if (std::fabs(static_cast<long double>(d)) > std::fabs(exact)) d = std::nextafter(d, 0.0);
        d = std::bit_cast<double>(std::bit_cast<std::uint64_t>(d) | 1);
      }
      return To(d);
    } else {
      return static_cast<To>(x);
    }
  } else if constexpr (std::is_integral_v<To>) {
    double v = static_cast<double>(x);
    if (std::isnan(v)) return 0;
    long double t = std::trunc(static_cast<long double>(v));
    if (t < static_cast<long double>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
    if (t > static_cast<long double>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
    return static_cast<To>(t);
  } else if constexpr (std::is_same_v<From, double>) {
    return To(x);
  } else {
    return static_cast<To>(static_cast<double>(static_cast<float>(x)));
  }
}

template <typename T>
bool same(T a, T b) {
  if constexpr (is_float_type<T>) {
    double x, y;
    if constexpr (std::is_same_v<T, double>) x = a, y = b;
    else x = static_cast<float>(a), y = static_cast<float>(b);
    return (std::isnan(x) && std::isnan(y)) || std::memcmp(&x, &y, sizeof x) == 0;
  } else {
    return a == b;
  }
}

template <typename T>
std::vector<T> cast_inputs() {
  std::vector<T> inputs;
  std::mt19937_64 random(11);
  if constexpr (std::is_same_v<T, bool>) {
    inputs = {false, true, true, false};
  } else if constexpr (sizeof(T) <= 2) {
    for (std::uint32_t bits = 0; bits < (sizeof(T) == 1 ? 256u : 65536u); ++bits) {
      if constexpr (std::is_class_v<T>) inputs.push_back(T::from_bits(static_cast<decltype(T{}.bits)>(bits)));
      else inputs.push_back(static_cast<T>(bits));
    }
  } else if constexpr (std::is_integral_v<T>) {
    for (int shift = 0; shift < static_cast<int>(sizeof(T) * 8); ++shift)
      for (int d : {-3, -2, -1, 0, 1, 2, 3}) inputs.push_back(static_cast<T>((T{1} << shift) + static_cast<T>(d))), inputs.push_back(static_cast<T>(0 - ((T{1} << shift) + static_cast<T>(d))));
    for (int i = 0; i < 20000; ++i) inputs.push_back(static_cast<T>(random() >> (random() % (sizeof(T) * 8))));
  } else {
    for (double v : {0.0, -0.0, 1.125, 1.0625001, 1.0625, 448.0, 464.0, 480.0, 57344.0, 61440.0, 65519.99, 65520.0, 65504.0, 3.38953139e38, 3.4e38, 1e300, 1e-40, 127.5, 128.0, 255.9, -0.9,
                     2147483647.0, 2147483648.0, 9.3e18, 1.9e19, -9.3e18})
      inputs.push_back(static_cast<T>(v)), inputs.push_back(static_cast<T>(-v));
    inputs.push_back(std::numeric_limits<T>::infinity()), inputs.push_back(-std::numeric_limits<T>::infinity()), inputs.push_back(std::numeric_limits<T>::quiet_NaN());
    inputs.push_back(std::numeric_limits<T>::denorm_min()), inputs.push_back(std::numeric_limits<T>::max());
    for (int i = 0; i < 20000; ++i) {
      double mantissa = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
      // Many values half-way between narrow floats, and just beside.
      if (i % 3 == 0) mantissa = std::ldexp(std::round(std::ldexp(mantissa, 5 + static_cast<int>(random() % 8))), -8) + (i % 2 ? 1e-9 : 0);
      inputs.push_back(static_cast<T>(std::ldexp(mantissa, static_cast<int>(random() % 80) - 40)));
    }
  }
  return inputs;
}

template <typename To, typename From>
void check_cast(const std::vector<From>& inputs) {
  std::int64_t n = static_cast<std::int64_t>(inputs.size());
  Guarded<From> in(n);
  Guarded<To> out(n);
  for (std::int64_t i = 0; i < n; ++i) in[i] = inputs[static_cast<std::size_t>(i)];
  launch<convert<To, From, 240>>(Device::cpu(), in.view(), out.view());
  REQUIRE(out.intact());
  for (std::int64_t i = 0; i < n; ++i) {
    To wanted = converted<To, From>(in[i]);
    if (same(out[i], wanted)) continue;
    FAIL("cast " << sectile::name(scalar_type_of<From>) << " " << static_cast<double>(in[i]) << " to " << sectile::name(scalar_type_of<To>) << " is " << static_cast<double>(out[i])
                 << ", expected " << static_cast<double>(wanted));
  }
}

TEMPLATE_TEST_CASE("casts to every type", "", bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, float, double, f8e4m3, f8e5m2) {
  std::vector<TestType> unused;
  auto inputs = [] {
    if constexpr (std::is_same_v<TestType, bool>) {
      std::vector<std::uint8_t> v{0, 1, 1, 0};
      return v;
    } else {
      return cast_inputs<TestType>();
    }
  }();
  using From = typename decltype(inputs)::value_type;
  check_cast<i8, From>(inputs), check_cast<i16, From>(inputs), check_cast<i32, From>(inputs), check_cast<i64, From>(inputs);
  check_cast<u8, From>(inputs), check_cast<u16, From>(inputs), check_cast<u32, From>(inputs), check_cast<u64, From>(inputs);
  check_cast<f16, From>(inputs), check_cast<bf16, From>(inputs), check_cast<float, From>(inputs), check_cast<double, From>(inputs);
  check_cast<f8e4m3, From>(inputs), check_cast<f8e5m2, From>(inputs), check_cast<bool, From>(inputs);
}
