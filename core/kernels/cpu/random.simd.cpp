// Vectorised Philox blocks, and uniform and normal values from them.
#include <cmath>
#include <cstdint>
#include <cstring>

#include "kernels/cpu/random_loops.h"
#include "kernels/cpu/vector_math.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace ef::cpu::EF_ISA {

EF_VECTOR_DOUBLE(sin)
EF_VECTOR_DOUBLE(cos)

namespace {

template <class To, class From>
EF_INLINE To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(&to, &from, sizeof(To));
  return to;
}

typedef uint64_t U64 __attribute__((vector_size(EF_VECTOR_BYTES)));

// Products of the lower halves of 64-bit lanes.
EF_INLINE U64 multiply_low(U64 a, U64 b) {
#if defined(__AVX512F__)
  // The form with a mask: GCC 12 warns of an uninitialised value in the other.
  return (U64)_mm512_maskz_mul_epu32(static_cast<__mmask8>(-1), (__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
  return (U64)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
  return (U64)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
  return (a & 0xffffffffu) * (b & 0xffffffffu);
#endif
}

// Interleaves the lanes of a and b: their first half, or their second.
EF_INLINE U64 interleave_first(U64 a, U64 b) {
#if EF_VECTOR_BYTES == 64
  return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
#elif EF_VECTOR_BYTES == 32
  return __builtin_shufflevector(a, b, 0, 4, 1, 5);
#else
  return __builtin_shufflevector(a, b, 0, 2);
#endif
}
EF_INLINE U64 interleave_second(U64 a, U64 b) {
#if EF_VECTOR_BYTES == 64
  return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
#elif EF_VECTOR_BYTES == 32
  return __builtin_shufflevector(a, b, 2, 6, 3, 7);
#else
  return __builtin_shufflevector(a, b, 1, 3);
#endif
}

// Philox 4x32-10 of Salmon et al. (SC 2011), one block per lane; random/philox.h has the scalar
// version. Only the lower halves of the lanes count; the upper halves hold remainders of products.
void philox(const PhiloxRun& run, uint32_t* words, int64_t blocks) {
  constexpr int64_t kStep = kLanes<double>;
  U64 keys[10][2];
  auto k0 = static_cast<uint32_t>(run.key);
  auto k1 = static_cast<uint32_t>(run.key >> 32);
  for (auto& pair : keys) {
    pair[0] = U64{} + k0;
    pair[1] = U64{} + k1;
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  U64 counter;
  for (int64_t i = 0; i < kStep; ++i) counter[i] = run.counter_low + i * run.stride;
  const U64 step = U64{} + kStep * run.stride;
  const bool carries =
      run.counter_low + static_cast<uint64_t>(blocks + kStep) * run.stride < run.counter_low;
  for (int64_t block = 0; block < blocks; block += kStep, counter += step) {
    U64 upper = U64{} + run.counter_high;
    for (int64_t i = 0; carries && i < kStep; ++i) upper[i] += counter[i] < run.counter_low;
    U64 x0 = counter;
    U64 x1 = counter >> 32;
    U64 x2 = upper;
    U64 x3 = upper >> 32;
#pragma GCC unroll 10
    for (const auto& pair : keys) {
      const U64 p0 = multiply_low(x0, U64{} + 0xD2511F53u);
      const U64 p1 = multiply_low(x2, U64{} + 0xCD9E8D57u);
      x0 = (p1 >> 32) ^ x1 ^ pair[0];
      x1 = p1;
      x2 = (p0 >> 32) ^ x3 ^ pair[1];
      x3 = p0;
    }
    const U64 lower_words = (x0 & 0xffffffffu) | (x1 << 32);
    const U64 upper_words = (x2 & 0xffffffffu) | (x3 << 32);
    const U64 joined[2] = {interleave_first(lower_words, upper_words),
                           interleave_second(lower_words, upper_words)};
    if (blocks - block >= kStep) {
      __builtin_memcpy(words + 4 * block, joined, sizeof(joined));
    } else {
      __builtin_memcpy(words + 4 * block, joined, static_cast<size_t>(blocks - block) * 16);
    }
  }
}

// The bits become the mantissa of a value in [1, 2), from which 1 is subtracted.
EF_INLINE float unit(uint32_t word) {
  return bits_as<float>(0x3f800000u | (word & 0x7fffffu)) - 1.0f;
}
EF_INLINE double unit(uint32_t upper, uint32_t lower) {
  const uint64_t mantissa = (static_cast<uint64_t>(upper & 0xfffffu) << 32) | lower;
  return bits_as<double>(0x3ff0000000000000u | mantissa) - 1.0;
}

void uniform_float(const uint32_t* words, void* out, int64_t count) {
  auto* to = static_cast<float*>(out);
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) to[i] = unit(words[i]);
}

void uniform_double(const uint32_t* words, void* out, int64_t count) {
  auto* to = static_cast<double*>(out);
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) to[i] = unit(words[2 * i], words[2 * i + 1]);
}

// A value k / 2^kBits with k below 2^kBits, as a 16-bit float with that many bits of mantissa: the
// float32 is exact, so its lower bits can be cut off.
void uniform_half(const uint32_t* words, void* out, int64_t count) {
  auto* to = static_cast<uint16_t*>(out);
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) {
    const auto k = static_cast<int32_t>(words[i] & 0x3ffu);
    const auto wide = bits_as<uint32_t>(static_cast<float>(k) * 0x1p-10f);
    to[i] = k == 0 ? 0 : static_cast<uint16_t>((wide - 0x38000000u) >> 13);
  }
}

void uniform_bfloat16(const uint32_t* words, void* out, int64_t count) {
  auto* to = static_cast<uint16_t*>(out);
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) {
    const auto k = static_cast<int32_t>(words[i] & 0x7fu);
    to[i] = static_cast<uint16_t>(bits_as<uint32_t>(static_cast<float>(k) * 0x1p-7f) >> 16);
  }
}

// ln(u) for normal u, computed in double: within 0.5000001 units in the last place of a float.
EF_INLINE double log_of(float u) {
  const auto bits = bits_as<int32_t>(u);
  const int32_t exponent = (bits - 0x3f3504f3) >> 23;  // u = m 2^exponent, m in [√½, √2)
  const double m = bits_as<float>(bits - exponent * (1 << 23));
  const double s = (m - 1.0) / (m + 1.0);  // ln(m) = 2 artanh(s)
  const double t = s * s;
  double series = 1.0 / 15;
  series = series * t + 1.0 / 13;
  series = series * t + 1.0 / 11;
  series = series * t + 1.0 / 9;
  series = series * t + 1.0 / 7;
  series = series * t + 1.0 / 5;
  series = series * t + 1.0 / 3;
  return 2.0 * (s + s * t * series) + static_cast<double>(exponent) * 0x1.62e42fefa39efp-1;
}

// The Box-Muller transform of two words to two normal values, rounded to float where TensorFlow
// rounds.
EF_INLINE void normal_pair(uint32_t a, uint32_t b, float* first, float* second) {
  const float u = unit(a);
  const auto logarithm = static_cast<float>(log_of(u > 1.0e-7f ? u : 1.0e-7f));
  const float radius = std::sqrt(-2.0f * logarithm);
  const auto angle = static_cast<float>(0x1.921fb54442d18p2 * unit(b));  // in [0, 2π)

  const double turns = static_cast<double>(angle) * 0x1.45f306dc9c883p-1;  // quarters
  const double rounder = 0x1.8p52;  // its last bit is worth 1
  const double shifted = turns + rounder;
  const auto quarter = bits_as<uint64_t>(shifted);
  const double n = shifted - rounder;
  const double r =
      (static_cast<double>(angle) - n * 0x1.921fb54400000p0) - n * 0x1.0b4611a626331p-34;
  const double t = r * r;
  double sine = -1.0 / 39916800;
  sine = sine * t + 1.0 / 362880;
  sine = sine * t - 1.0 / 5040;
  sine = sine * t + 1.0 / 120;
  sine = sine * t - 1.0 / 6;
  sine = r + r * t * sine;
  double cosine = 1.0 / 479001600;
  cosine = cosine * t - 1.0 / 3628800;
  cosine = cosine * t + 1.0 / 40320;
  cosine = cosine * t - 1.0 / 720;
  cosine = cosine * t + 1.0 / 24;
  cosine = 1.0 + t * (cosine * t - 0.5);

  // An odd quarter swaps sine and cosine; signs follow from the quarter's two bits.
  const uint64_t swap = 0 - (quarter & 1);
  const auto sine_bits = bits_as<uint64_t>(sine);
  const auto cosine_bits = bits_as<uint64_t>(cosine);
  const uint64_t mixed = (sine_bits ^ cosine_bits) & swap;
  const uint64_t sine_sign = (quarter & 2) << 62;
  const uint64_t cosine_sign = ((quarter + 1) & 2) << 62;
  *first = static_cast<float>(bits_as<double>((sine_bits ^ mixed) ^ sine_sign)) * radius;
  *second = static_cast<float>(bits_as<double>((cosine_bits ^ mixed) ^ cosine_sign)) * radius;
}

void normal_float(const uint32_t* words, void* out, int64_t count) {
  auto* to = static_cast<float*>(out);
#pragma omp simd
  for (int64_t i = 0; i < count / 2; ++i) {
    normal_pair(words[2 * i], words[2 * i + 1], &to[2 * i], &to[2 * i + 1]);
  }
}

void normal_double(const uint32_t* words, void* out, int64_t count) {
  constexpr int64_t kStep = kLanes<double>;
  auto* to = static_cast<double*>(out);
  for (int64_t first = 0; first < count / 2; first += kStep) {
    const int64_t size = count / 2 - first < kStep ? count / 2 - first : kStep;
    F64 u = F64{} + 0.5;
    F64 angle = {};
    for (int64_t i = 0; i < size; ++i) {
      const uint32_t* w = words + 4 * (first + i);
      u[i] = unit(w[0], w[1]);
      angle[i] = unit(w[2], w[3]);
    }
    u = u > 1.0e-7 ? u : F64{} + 1.0e-7;
    angle *= 0x1.921fb54442d18p2;
    const F64 square = -2.0 * vlog(u);
    const F64 sine = vsin(angle);
    const F64 cosine = vcos(angle);
    for (int64_t i = 0; i < size; ++i) {
      const double radius = std::sqrt(square[i]);
      to[2 * (first + i)] = sine[i] * radius;
      to[2 * (first + i) + 1] = cosine[i] * radius;
    }
  }
}

// The quotient by a rounded reciprocal is at most 1 too small.
void remainder(const uint32_t* words, uint32_t low, uint32_t range, uint32_t* out, int64_t count) {
  const uint64_t whole = (uint64_t{1} << 32) / range;
  const auto inverse = static_cast<uint32_t>(whole - (whole >> 32));  // 2^32 - 1 if range is 1
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t word = words[i];
    const auto quotient = static_cast<uint32_t>((uint64_t{word} * inverse) >> 32);
    const uint32_t rest = word - quotient * range;
    out[i] = low + (rest >= range ? rest - range : rest);
  }
}

// By quotients in double precision, whose products with the range are exact.
void falling_remainders(const uint32_t* words, int64_t range, uint32_t* out, int64_t count) {
  const auto largest = static_cast<double>(range);
  constexpr double kRounder = 0x1.8p52;  // its last bit is worth 1
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) {
    const double word = static_cast<double>(static_cast<int32_t>(words[i] ^ 0x80000000u)) + 0x1p31;
    const double divisor = largest - static_cast<double>(static_cast<int32_t>(i));
    const double nearest = (word / divisor + kRounder) - kRounder;
    const double rest = word - nearest * divisor;
    out[i] = static_cast<uint32_t>(static_cast<int32_t>(rest < 0 ? rest + divisor : rest));
  }
}

}  // namespace

const RandomLoops& random_loops() {
  static constexpr RandomLoops loops = {philox,        uniform_float,    uniform_double,
                                        uniform_half,  uniform_bfloat16, normal_float,
                                        normal_double, remainder,        falling_remainders};
  return loops;
}

}  // namespace ef::cpu::EF_ISA
