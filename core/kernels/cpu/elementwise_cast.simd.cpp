// Inner loops that convert between element types. Conversions without a loop go through float32.
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/cpu/elementwise_loops.h"

#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace ef::cpu::EF_ISA {
namespace {

using enum DType;

// Floats out of range convert as in TensorFlow: short integers are the low bits of the 32-bit
// result, and unsigned integers have the bits of the signed result.
template <class To, class From>
inline To convert(From x) {
  if constexpr (std::is_same_v<To, bool>) {
    return x != 0;
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if constexpr (std::is_same_v<To, uint64_t>) {
      const From half = 0x1p63;
      return x >= half ? static_cast<uint64_t>(static_cast<int64_t>(x - half)) ^ (uint64_t{1} << 63)
                       : static_cast<uint64_t>(static_cast<int64_t>(x));
    } else if constexpr (sizeof(To) < 4) {
      return static_cast<To>(static_cast<int32_t>(x));
    } else if constexpr (std::is_same_v<To, uint32_t>) {
      return static_cast<To>(static_cast<int64_t>(x));
    } else {
      return static_cast<To>(x);
    }
  } else {
    return static_cast<To>(x);
  }
}

template <class From, class To>
void cast_loop(void* out, const void* x, int64_t count) {
  auto* to = static_cast<To*>(out);
  const auto* from = static_cast<const From*>(x);
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) to[i] = convert<To>(from[i]);
}

template <int size>
void copy_loop(void* out, const void* x, int64_t count) {
  std::memcpy(out, x, static_cast<size_t>(count * size));
}

void from_bfloat16(void* out, const void* x, int64_t count) {
  auto* to = static_cast<uint32_t*>(out);
  const auto* from = static_cast<const uint16_t*>(x);
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) to[i] = static_cast<uint32_t>(from[i]) << 16;
}

// Rounds to nearest even; NaNs stay NaNs.
void to_bfloat16(void* out, const void* x, int64_t count) {
  auto* to = static_cast<uint16_t*>(out);
  const auto* from = static_cast<const uint32_t*>(x);
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t word = from[i];
    const uint32_t rounded = (word + 0x7fffu + ((word >> 16) & 1u)) >> 16;
    const bool nan = (word & 0x7fffffffu) > 0x7f800000u;
    to[i] = static_cast<uint16_t>(nan ? (word >> 16) | 0x40u : rounded);
  }
}

// The algorithms are those of Half in tensor/dtype.h, without branches.
inline float half_to_float(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  const uint32_t magnitude = half & 0x7fffu;
  const uint32_t normal = magnitude >= 0x7c00u ? 0x7f800000u | ((magnitude & 0x3ffu) << 13)
                                               : (magnitude << 13) + 0x38000000u;
  const float small = static_cast<float>(static_cast<int32_t>(magnitude)) * 0x1p-24f;
  uint32_t small_bits;
  std::memcpy(&small_bits, &small, 4);
  const uint32_t word = sign | (magnitude < 0x400u ? small_bits : normal);
  float value;
  std::memcpy(&value, &word, 4);
  return value;
}

inline uint16_t float_to_half(float value) {
  uint32_t word;
  std::memcpy(&word, &value, 4);
  const uint32_t sign = (word >> 16) & 0x8000u;
  const uint32_t magnitude = word & 0x7fffffffu;
  float shifted;
  std::memcpy(&shifted, &magnitude, 4);
  shifted += 0.5f;
  uint32_t subnormal;
  std::memcpy(&subnormal, &shifted, 4);
  subnormal -= 0x3f000000u;
  const uint32_t normal = (magnitude + 0xfffu + ((magnitude >> 13) & 1u) - 0x38000000u) >> 13;
  uint32_t bits = magnitude < 0x38800000u ? subnormal : normal;
  bits = magnitude >= 0x477ff000u ? 0x7c00u : bits;
  bits = magnitude > 0x7f800000u ? 0x7e00u : bits;
  return static_cast<uint16_t>(sign | bits);
}

void from_half(void* out, const void* x, int64_t count) {
  auto* to = static_cast<float*>(out);
  const auto* from = static_cast<const uint16_t*>(x);
  int64_t i = 0;
#if defined(__AVX512F__)
  for (; i + 16 <= count; i += 16) {
    const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i));
    _mm512_storeu_ps(to + i, _mm512_maskz_cvtph_ps(0xffff, halves));
  }
#elif defined(__F16C__)
  for (; i + 8 <= count; i += 8) {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(halves));
  }
#endif
  for (; i < count; ++i) to[i] = half_to_float(from[i]);
}

void to_half(void* out, const void* x, int64_t count) {
  auto* to = static_cast<uint16_t*>(out);
  const auto* from = static_cast<const float*>(x);
  int64_t i = 0;
#if defined(__AVX512F__)
  for (; i + 16 <= count; i += 16) {
    const __m256i halves = _mm512_maskz_cvtps_ph(0xffff, _mm512_loadu_ps(from + i), 0);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), halves);
  }
#elif defined(__F16C__)
  for (; i + 8 <= count; i += 8) {
    const __m128i halves = _mm256_cvtps_ph(_mm256_loadu_ps(from + i), 0);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), halves);
  }
#endif
  for (; i < count; ++i) to[i] = float_to_half(from[i]);
}

// The real part of a complex value, or a real value with a zero imaginary part.
template <class T>
void real_part(void* out, const void* x, int64_t count) {
  auto* to = static_cast<T*>(out);
  const auto* from = static_cast<const T*>(x);
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) to[i] = from[2 * i];
}
template <class T>
void with_zero(void* out, const void* x, int64_t count) {
  auto* to = static_cast<T*>(out);
  const auto* from = static_cast<const T*>(x);
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) {
    to[2 * i] = from[i];
    to[2 * i + 1] = 0;
  }
}
template <class From, class To>
void complex_loop(void* out, const void* x, int64_t count) {
  cast_loop<From, To>(out, x, 2 * count);
}

// From one plain type to all others. One loop converts to signed and unsigned integers of a width.
template <class From>
void add_from(ElementLoops& loops, DType from) {
  loops.at(from, kBool) = cast_loop<From, bool>;
  loops.at(from, kFloat32) = cast_loop<From, float>;
  loops.at(from, kFloat64) = cast_loop<From, double>;
  loops.at(from, kInt8) = loops.at(from, kUint8) = cast_loop<From, int8_t>;
  loops.at(from, kInt16) = loops.at(from, kUint16) = cast_loop<From, int16_t>;
  loops.at(from, kInt32) = cast_loop<From, int32_t>;
  loops.at(from, kInt64) = cast_loop<From, int64_t>;
  if constexpr (std::is_floating_point_v<From>) {
    loops.at(from, kUint32) = cast_loop<From, uint32_t>;
    loops.at(from, kUint64) = cast_loop<From, uint64_t>;
  } else {
    loops.at(from, kUint32) = loops.at(from, kInt32);
    loops.at(from, kUint64) = loops.at(from, kInt64);
  }
}

}  // namespace

void add_cast_loops(ElementLoops& loops) {
  add_from<float>(loops, kFloat32);
  add_from<double>(loops, kFloat64);
  add_from<int8_t>(loops, kInt8);
  add_from<int16_t>(loops, kInt16);
  add_from<int32_t>(loops, kInt32);
  add_from<int64_t>(loops, kInt64);
  add_from<uint8_t>(loops, kUint8);
  add_from<uint16_t>(loops, kUint16);
  add_from<uint32_t>(loops, kUint32);
  add_from<uint64_t>(loops, kUint64);
  for (int to = 0; to < kDTypeCount; ++to) {
    loops.at(kBool, static_cast<DType>(to)) = loops.at(kUint8, static_cast<DType>(to));
  }
  loops.at(kBfloat16, kFloat32) = from_bfloat16;
  loops.at(kFloat32, kBfloat16) = to_bfloat16;
  loops.at(kFloat16, kFloat32) = from_half;
  loops.at(kFloat32, kFloat16) = to_half;
  loops.at(kFloat32, kFloat32) = copy_loop<4>;
  loops.at(kFloat64, kFloat64) = copy_loop<8>;
  loops.at(kComplex64, kFloat32) = real_part<float>;
  loops.at(kFloat32, kComplex64) = with_zero<float>;
  loops.at(kComplex128, kFloat64) = real_part<double>;
  loops.at(kFloat64, kComplex128) = with_zero<double>;
  loops.at(kComplex64, kComplex128) = complex_loop<float, double>;
  loops.at(kComplex128, kComplex64) = complex_loop<double, float>;
}

}  // namespace ef::cpu::EF_ISA
