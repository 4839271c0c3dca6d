// Inner loops that convert between 8-bit floats, 4-bit integers, and wider types.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/cpu/elementwise_loops.h"

namespace ef::cpu {
namespace {

// The layout of an 8-bit float: a sign, `exponent` bits, `mantissa` bits.
struct E5m2 {
  static constexpr int mantissa = 2;
  static constexpr int bias = 15;
  static constexpr uint8_t overflow = 0x7c;  // infinity
  static constexpr uint8_t nan = 0x7e;
};
struct E4m3fn {
  static constexpr int mantissa = 3;
  static constexpr int bias = 7;
  static constexpr uint8_t overflow = 0x7f;  // without infinities, overflow gives NaN
  static constexpr uint8_t nan = 0x7f;
};

template <class Format>
float decode(uint8_t bits) {
  const int magnitude = bits & 0x7f;
  const int exponent = magnitude >> Format::mantissa;
  const int fraction = magnitude & ((1 << Format::mantissa) - 1);
  float value;
  if (magnitude > Format::overflow || magnitude == Format::nan) {
    value = std::numeric_limits<float>::quiet_NaN();
  } else if (magnitude == Format::overflow) {
    value = std::numeric_limits<float>::infinity();
  } else {
    const int whole = exponent == 0 ? fraction : fraction + (1 << Format::mantissa);
    const int scale = std::max(exponent, 1) - Format::bias - Format::mantissa;
    value = std::ldexp(static_cast<float>(whole), scale);
  }
  return bits & 0x80 ? -value : value;
}

// Rounds to nearest even.
template <class Format>
uint8_t encode(double value) {
  constexpr int kDropped = 52 - Format::mantissa;
  const auto word = std::bit_cast<uint64_t>(value);
  const uint64_t magnitude = word & ~(uint64_t{1} << 63);
  const auto sign = static_cast<uint8_t>((word >> 63) << 7);
  const double size = std::bit_cast<double>(magnitude);
  if (size != size) return sign | Format::nan;
  uint64_t bits;
  if (size < std::ldexp(1.0, 1 - Format::bias)) {
    // The float addition rounds to multiples of the least value.
    const double steps = size * std::ldexp(1.0, Format::bias - 1 + Format::mantissa) + 0x1p52;
    bits = std::bit_cast<uint64_t>(steps) & 0xff;
  } else {
    constexpr uint64_t kHalf = (uint64_t{1} << (kDropped - 1)) - 1;
    const uint64_t rounded = magnitude + kHalf + ((magnitude >> kDropped) & 1);
    bits = (rounded >> kDropped) - (uint64_t{1023 - Format::bias} << Format::mantissa);
  }
  return sign | static_cast<uint8_t>(std::min<uint64_t>(bits, Format::overflow));
}

template <class Format>
void to_float(void* out, const void* x, int64_t count) {
  static const std::array<float, 256> table = [] {
    std::array<float, 256> values;
    for (int i = 0; i < 256; ++i) values[i] = decode<Format>(static_cast<uint8_t>(i));
    return values;
  }();
  auto* to = static_cast<float*>(out);
  const auto* from = static_cast<const uint8_t*>(x);
  for (int64_t i = 0; i < count; ++i) to[i] = table[from[i]];
}

template <class Format, class From>
void from_float(void* out, const void* x, int64_t count) {
  auto* to = static_cast<uint8_t*>(out);
  const auto* from = static_cast<const From*>(x);
  for (int64_t i = 0; i < count; ++i) to[i] = encode<Format>(from[i]);
}

template <class Format>
void add_float8(ElementLoops& loops, DType type) {
  loops.at(type, DType::kFloat32) = to_float<Format>;
  loops.at(DType::kFloat32, type) = from_float<Format, float>;
  loops.at(DType::kFloat64, type) = from_float<Format, double>;
}

void to_int4(void* out, const void* x, int64_t count) {
  auto* to = static_cast<int8_t*>(out);
  const auto* from = static_cast<const uint8_t*>(x);
  for (int64_t i = 0; i < count; ++i) {
    to[i] = static_cast<int8_t>(static_cast<int8_t>(static_cast<uint8_t>(from[i] << 4)) >> 4);
  }
}

void to_uint4(void* out, const void* x, int64_t count) {
  auto* to = static_cast<uint8_t*>(out);
  const auto* from = static_cast<const uint8_t*>(x);
  for (int64_t i = 0; i < count; ++i) to[i] = from[i] & 0xf;
}

}  // namespace

void add_narrow_cast_loops(ElementLoops& loops) {
  add_float8<E5m2>(loops, DType::kFloat8E5m2);
  add_float8<E4m3fn>(loops, DType::kFloat8E4m3fn);
  for (int to = 0; to < kDTypeCount; ++to) {
    const auto type = static_cast<DType>(to);
    loops.at(DType::kInt4, type) = loops.at(DType::kInt8, type);
    loops.at(DType::kUint4, type) = loops.at(DType::kUint8, type);
  }
  loops.at(DType::kInt8, DType::kInt4) = loops.at(DType::kUint4, DType::kInt4) = to_int4;
  loops.at(DType::kInt8, DType::kUint4) = loops.at(DType::kInt4, DType::kUint4) = to_uint4;
}

}  // namespace ef::cpu
