// Transcendental functions against a wider reference: every f16, bf16 and (--exhaustive) f32 value; else 2^24 bit patterns spread evenly over all f32 and
// f64 values, which gives every exponent the same share. Two-argument functions take pairs of such values. The
// other argument is the level of x86-64. Prints the worst error of each function in
// units in the last place and fails beyond 2.
#include <sectile/sectile.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

using namespace sectile;

namespace {

constexpr int unary_count = 16, binary_count = 2;
const char* const names[] = {"exp", "exp2", "expm1", "log", "log2", "log1p", "sqrt", "rsqrt", "sin", "cos", "tan", "tanh", "erf", "floor", "round", "rint", "pow", "atan2"};

template <typename T>
void evaluate(View<const T, 1> in, View<const T, 1> other, View<T, 2> out) {
  constexpr int block = 256;
  auto [start] = grid(tiles(in.size(0), block));
  auto x = load<block>(in, {start}), y = load<block>(other, {start});
  int row = 0;
  auto put = [&](const Tile<T, block>& value) { store(out, {row++, start}, reshape<1, block>(value)); };
  put(exp(x)), put(exp2(x)), put(expm1(x)), put(log(x)), put(log2(x)), put(log1p(x)), put(sqrt(x)), put(rsqrt(x)), put(sin(x)), put(cos(x)), put(tan(x)), put(tanh(x)), put(erf(x));
  put(floor(x)), put(round(x)), put(rint(x)), put(pow(x, y)), put(atan2(x, y));
}

template <typename R>
R reference(int function, R x, R y) {
  switch (function) {
    case 0: return std::exp(x);
    case 1: return std::exp2(x);
    case 2: return std::expm1(x);
    case 3: return std::log(x);
    case 4: return std::log2(x);
    case 5: return std::log1p(x);
    case 6: return std::sqrt(x);
    case 7: return 1 / std::sqrt(x);
    case 8: return std::sin(x);
    case 9: return std::cos(x);
    case 10: return std::tan(x);
    case 11: return std::tanh(x);
    case 12: return std::erf(x);
    case 13: return std::floor(x);
    case 14: return std::round(x);
    case 15: return std::nearbyint(x);
    case 16: return std::pow(x, y);
    default: return std::atan2(x, y);
  }
}

template <typename T>
struct Format;
template <>
struct Format<float> {
  using Bits = std::uint32_t;
  using Reference = double;
  static constexpr int mantissa = 23, lowest = -126;
};
template <>
struct Format<double> {
  using Bits = std::uint64_t;
  using Reference = long double;
  static constexpr int mantissa = 52, lowest = -1022;
};
template <>
struct Format<f16> {
  using Bits = std::uint16_t;
  using Reference = double;
  static constexpr int mantissa = 10, lowest = -14;
};
template <>
struct Format<bf16> {
  using Bits = std::uint16_t;
  using Reference = double;
  static constexpr int mantissa = 7, lowest = -126;
};

/// Error in units in the last place of T; values beyond T's range round to infinity.
template <typename T, typename R>
double error_of(T value, R exact) {
  R v = static_cast<R>(static_cast<std::conditional_t<std::is_same_v<T, float>, float, double>>(value));
  if (std::isnan(v) || std::isnan(exact)) return std::isnan(v) && std::isnan(exact) ? 0 : HUGE_VAL;
  if (v == exact) return 0;
  int exponent = exact == 0 ? Format<T>::lowest : std::isinf(exact) ? 1 - Format<T>::lowest : std::ilogb(exact);
  if (exponent < Format<T>::lowest) exponent = Format<T>::lowest;
  if (exponent > 1 - Format<T>::lowest) exponent = 1 - Format<T>::lowest;
  // Infinity stands for the next power of two, so that overflow is judged like any rounding.
  R power = std::ldexp(R(1), 2 - Format<T>::lowest);
  if (std::isinf(v)) v = std::copysign(power, v);
  if (std::isinf(exact) || std::fabs(exact) > power) exact = std::copysign(power, exact);
  return static_cast<double>(std::fabs(v - exact) / std::ldexp(R(1), exponent - Format<T>::mantissa));
}

struct Worst {
  double error = 0, x = 0, y = 0, value = 0;
};

template <typename T>
void measure(const Device& device, std::uint64_t first, std::uint64_t last, std::uint64_t stride, std::vector<Worst>& worst) {
  using Bits = typename Format<T>::Bits;
  using R = typename Format<T>::Reference;
  constexpr std::int64_t chunk = 1 << 16;
  Tensor<T, 1> in({chunk}), other({chunk});
  Tensor<T, 2> out({unary_count + binary_count, chunk});
  for (std::uint64_t start = first; start < last; start += chunk) {
    for (std::int64_t i = 0; i < chunk; ++i) {
      Bits a = static_cast<Bits>((start + static_cast<std::uint64_t>(i)) * stride), b = static_cast<Bits>((start + static_cast<std::uint64_t>(i)) * 0x9e3779b97f4a7c15u >> 7);
      in[i] = std::bit_cast<T>(a), other[i] = std::bit_cast<T>(b);
      // Every second pair is of ordinary numbers, where powers neither overflow nor vanish.
      if (i % 2) other[i] = T(static_cast<double>(static_cast<std::int64_t>(b % 4096) - 2048) / 64);
    }
    launch<evaluate<T>>(device, in, other, out);
    for (int f = 0; f < unary_count + binary_count; ++f)
      for (std::int64_t i = 0; i < chunk; ++i) {
        using Wide = std::conditional_t<std::is_same_v<T, float>, float, double>;
        R x = static_cast<R>(static_cast<Wide>(in[i])), y = static_cast<R>(static_cast<Wide>(other[i]));
        double error = error_of<T, R>(out[f * chunk + i], reference<R>(f, x, y));
        if (!(error <= worst[static_cast<std::size_t>(f)].error)) worst[static_cast<std::size_t>(f)] = {error, static_cast<double>(x), static_cast<double>(y), static_cast<double>(static_cast<Wide>(out[f * chunk + i]))};
      }
  }
}

/// `points` bit patterns: start * stride for start from 0. True when every function stays within 2 units.
template <typename T>
bool check(const Device& device, const char* type, std::uint64_t points, std::uint64_t stride) {
  constexpr int threads = 2;
  std::vector<std::vector<Worst>> parts(threads, std::vector<Worst>(unary_count + binary_count));
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t)
    running.emplace_back([&, t] { measure<T>(device, points / threads * static_cast<std::uint64_t>(t), points / threads * static_cast<std::uint64_t>(t + 1), stride, parts[static_cast<std::size_t>(t)]); });
  for (std::thread& thread : running) thread.join();
  bool good = true;
  std::printf("%s, %llu points:", type, static_cast<unsigned long long>(points));
  for (std::size_t f = 0; f < unary_count + binary_count; ++f) {
    Worst worst = parts[0][f].error >= parts[1][f].error ? parts[0][f] : parts[1][f];
    std::printf(" %s %.3f", names[f], worst.error);
    if (worst.error <= 2) continue;
    good = false;
    std::printf(" (WRONG: %s(%.17g, %.17g) is %.17g)", names[f], worst.x, worst.y, worst.value);
  }
  std::printf("\n");
  std::fflush(stdout);
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  bool exhaustive = false;
  const char* level = "native";
  for (int i = 1; i < argc; ++i) (std::string(argv[i]) == "--exhaustive" ? exhaustive = true : (level = argv[i], true));
  setenv("SECTILE_NUM_THREADS", "1", 0);  // the threads here do the sharing
  Device device = Device::cpu(level);
  std::printf("%s\n", device.name());
  const std::uint64_t many = std::uint64_t{1} << 24;
  bool good = check<f16>(device, "f16", 1 << 16, 1);
  good = check<bf16>(device, "bf16", 1 << 16, 1) && good;
  good = (exhaustive ? check<float>(device, "f32", std::uint64_t{1} << 32, 1) : check<float>(device, "f32", many, 0x9e3779b1)) && good;
  good = check<double>(device, "f64", many, 0x9e3779b97f4a7c15) && good;
  return good ? 0 : 1;
}
