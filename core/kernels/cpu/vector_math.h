// Vectors of floats and doubles as wide as the instruction set's registers, and functions of them.
// For *.simd.cpp files only: every name lives in the namespace of one instruction set.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/cpu/libmvec.h"

#if defined(__AVX512F__)
#include <immintrin.h>

#include "kernels/cpu/tanh_table.h"
#endif

#if defined(__AVX512F__)
#define EF_VECTOR_BYTES 64
#define EF_VECTOR_ISA kAvx512
#elif defined(__AVX2__)
#define EF_VECTOR_BYTES 32
#define EF_VECTOR_ISA kAvx2
#else
#define EF_VECTOR_BYTES 16
#define EF_VECTOR_ISA kBaseline
#endif

namespace ef::cpu::EF_ISA {

typedef float F32 __attribute__((vector_size(EF_VECTOR_BYTES)));
typedef double F64 __attribute__((vector_size(EF_VECTOR_BYTES)));
typedef int32_t I32 __attribute__((vector_size(EF_VECTOR_BYTES)));
typedef uint32_t U32 __attribute__((vector_size(EF_VECTOR_BYTES)));
typedef int64_t I64 __attribute__((vector_size(EF_VECTOR_BYTES)));

template <class T>
using Vec = std::conditional_t<std::is_same_v<T, float>, F32, F64>;
template <class T>
inline constexpr int kLanes = EF_VECTOR_BYTES / static_cast<int>(sizeof(T));

#define EF_INLINE static inline __attribute__((always_inline))

EF_INLINE F32 vabs(F32 x) { return (F32)((I32)x & 0x7fffffff); }
EF_INLINE F64 vabs(F64 x) { return (F64)((I64)x & 0x7fffffffffffffff); }
// `magnitude`, which is not negative, with the sign of `sign`.
EF_INLINE F32 with_sign(F32 magnitude, F32 sign) {
  return (F32)((I32)magnitude | ((I32)sign & static_cast<int32_t>(0x80000000)));
}
EF_INLINE F64 with_sign(F64 magnitude, F64 sign) {
  return (F64)((I64)magnitude | ((I64)sign & INT64_MIN));
}

// Functions of one argument and of two: libmvec's if available, otherwise lane by lane.
#define EF_MVEC(wide, name) \
  mvec_functions[static_cast<int>(Isa::EF_VECTOR_ISA)][wide][static_cast<int>(Mvec::name)]
#define EF_VECTOR_FORM(V, T, wide, name, function)                                \
  static __attribute__((noinline)) V lanes_of_##name(V x) {                       \
    for (int i = 0; i < kLanes<T>; ++i) x[i] = ::function(x[i]);                  \
    return x;                                                                     \
  }                                                                               \
  EF_INLINE V v##name(V x) {                                                      \
    const auto found = reinterpret_cast<V (*)(V)>(EF_MVEC(wide, name));           \
    return __builtin_expect(found != nullptr, 1) ? found(x) : lanes_of_##name(x); \
  }
#define EF_VECTOR_FORM2(V, T, wide, name, function)                                     \
  static __attribute__((noinline)) V lanes_of_##name(V x, V y) {                        \
    for (int i = 0; i < kLanes<T>; ++i) x[i] = ::function(x[i], y[i]);                  \
    return x;                                                                           \
  }                                                                                     \
  EF_INLINE V v##name(V x, V y) {                                                       \
    const auto found = reinterpret_cast<V (*)(V, V)>(EF_MVEC(wide, name));              \
    return __builtin_expect(found != nullptr, 1) ? found(x, y) : lanes_of_##name(x, y); \
  }
#define EF_VECTOR_FLOAT(name) EF_VECTOR_FORM(F32, float, 0, name, name##f)
#define EF_VECTOR_DOUBLE(name) EF_VECTOR_FORM(F64, double, 1, name, name)
#define EF_VECTOR_FUNCTION2(name)               \
  EF_VECTOR_FORM2(F32, float, 0, name, name##f) \
  EF_VECTOR_FORM2(F64, double, 1, name, name)
#define EF_VECTOR_FUNCTION(name) EF_VECTOR_FLOAT(name) EF_VECTOR_DOUBLE(name)

EF_VECTOR_DOUBLE(exp)
EF_VECTOR_DOUBLE(log)
EF_VECTOR_DOUBLE(log1p)
EF_VECTOR_DOUBLE(tanh)

// e^r - 1 - r for |r| <= ln(2)/2, relative to e^r within 3e-9: a minimax fit of degree 6.
EF_INLINE F32 exp_tail(F32 r) {
  F32 p = r * 0x1.6db5a2p-10f + 0x1.123c6ap-7f;
  p = p * r + 0x1.55545cp-5f;
  p = p * r + 0x1.55548ep-3f;
  p = p * r + 0.5f;
  return p * (r * r);
}

// x = n ln(2) + r with integer n, as a float.
EF_INLINE F32 exp_reduce(F32 x, F32* n) {
  constexpr float kRounder = 0x1.8p23f;  // adding it leaves no bits for fractions
  *n = (x * 0x1.715476p0f + kRounder) - kRounder;
  return (x - *n * 0x1.62e4p-1f) - *n * 0x1.7f7d1cp-20f;
}

// x * 2^n for integer n in [-160, 130], through subnormal results and overflow.
EF_INLINE F32 scale(F32 x, F32 n) {
#if defined(__AVX512F__)
  return (F32)_mm512_maskz_scalef_ps(0xffff, (__m512)x, (__m512)n);
#else
  const I32 whole = __builtin_convertvector(n, I32);
  const I32 half = whole >> 1;
  return x * (F32)((half + 127) << 23) * (F32)((whole - half + 127) << 23);
#endif
}

EF_INLINE F32 vexp(F32 x) {
  x = x > 89.0f ? F32{} + 89.0f : x;
  x = x < -104.0f ? F32{} - 104.0f : x;
  F32 n;
  const F32 r = exp_reduce(x, &n);
  return scale((exp_tail(r) + r) + 1.0f, n);
}

// e^x - 1 for x <= 87, exact to a unit or two in the last place near 0 as well.
EF_INLINE F32 expm1_bounded(F32 x) {
  x = x < -18.0f ? F32{} - 18.0f : x;
  F32 n;
  const F32 r = exp_reduce(x, &n);
  const F32 power = (F32)((__builtin_convertvector(n, I32) + 127) << 23);
  return power * (exp_tail(r) + r) + (power - 1.0f);
}

#if defined(__AVX512F__)
// Registers hold 32 polynomials, one for each piece of |x|, so there is no division. Exact to a
// unit or two in the last place.
EF_INLINE F32 vtanh(F32 x) {
  F32 a = vabs(x);
  a = a > 10.5f ? F32{} + 10.5f : a;              // tanh is 1 there
  const I32 above = ((I32)a - 0x3d800000) >> 21;  // quarters of an octave above 2^-4
  const I32 piece = above < 0 ? I32{} : above + 1;
  const auto of_piece = [&](int row) {
    const float* const values = kTanhPieces[row];
    return (F32)_mm512_permutex2var_ps(_mm512_load_ps(values), (__m512i)piece,
                                       _mm512_load_ps(values + 16));
  };
  const F32 d = a - of_piece(0);
  F32 p = of_piece(6) * d + of_piece(5);
  p = p * d + of_piece(4);
  p = p * d + of_piece(3);
  p = p * d + of_piece(2);
  p = p * d + of_piece(1);
  return with_sign(p, x);
}
#else
EF_INLINE F32 vtanh(F32 x) {
  F32 a = vabs(x);
  a = a > 10.0f ? F32{} + 10.0f : a;
  const F32 e = expm1_bounded(a + a);
  return with_sign(e / (e + 2.0f), x);
}
#endif

// log(1 + f) for sqrt(1/2) - 1 <= f <= sqrt(2) - 1, plus e ln(2): f - f^2/2 + f^3 p(f), where p is
// a minimax fit to 6e-9.
EF_INLINE F32 log_near_one(F32 f, F32 e) {
  const F32 square = f * f;
  F32 p = f * -0x1.38b588p-4f + 0x1.055b6cp-3f;
  p = p * f - 0x1.0d854p-3f;
  p = p * f + 0x1.22da1cp-3f;
  p = p * f - 0x1.547244p-3f;
  p = p * f + 0x1.99a008p-3f;
  p = p * f - 0x1.000226p-2f;
  p = p * f + 0x1.555554p-2f;
  F32 rest = square * f * p + e * 0x1.7f7d1cp-20f;
  rest = rest - square * 0.5f;
  return (f + rest) + e * 0x1.62e4p-1f;
}

EF_INLINE F32 vlog(F32 x) {
  constexpr int32_t kRootHalf = 0x3f3504f3;
  constexpr float kInfinity = __builtin_inff();
  // Subnormal numbers are made normal first.
  const F32 normal = x < 0x1p-126f ? x * 0x1p23f : x;
  const F32 lifted = x < 0x1p-126f ? F32{} - 23.0f : F32{};
  const I32 bits = (I32)((U32)normal - static_cast<uint32_t>(kRootHalf));
  const F32 mantissa = (F32)((bits & 0x7fffff) + kRootHalf);
  const F32 exponent = __builtin_convertvector(bits >> 23, F32) + lifted;
  const F32 value = log_near_one(mantissa - 1.0f, exponent);
  const F32 outside = x == 0 ? F32{} - kInfinity : F32{} + __builtin_nanf("");
  const F32 inside = x == kInfinity ? x : value;
  return x > 0 ? inside : outside;
}

// With u = 1 + x rounded, log(1 + x) = log(u) + rounding error / u.
EF_INLINE F32 vlog1p(F32 x) {
  const F32 u = 1.0f + x;
  const F32 whole = vlog(u);
  const F32 value = whole + (x - (u - 1.0f)) / u;
  const F32 finite = x == 0 ? x : value;
  return (x > -1.0f) & (x < __builtin_inff()) ? finite : whole;
}

// log(1 + x) for 0 <= x <= 1, or NaN, without a division or other special cases.
EF_INLINE F32 vlog1p_of_share(F32 x) {
  const auto above = x > 0x1.a82798p-2f;  // sqrt(2) - 1
  return log_near_one(above ? (x - 1.0f) * 0.5f : x, above ? F32{} + 1.0f : F32{});
}
EF_INLINE F64 vlog1p_of_share(F64 x) { return vlog1p(x); }

template <class V>
EF_INLINE V vsigmoid(V x) {
  return 1 / (1 + vexp(-x));
}

// Calls f on every vector of x; the last one is padded with ones.
template <class T, class F>
EF_INLINE void map(void* out, const void* x, int64_t count, const F& f) {
  using V = Vec<T>;
  constexpr int64_t kStep = kLanes<T>;
  auto* to = static_cast<T*>(out);
  const auto* from = static_cast<const T*>(x);
  int64_t i = 0;
  V v;
  for (; i + kStep <= count; i += kStep) {
    std::memcpy(&v, from + i, sizeof(V));
    v = f(v);
    std::memcpy(to + i, &v, sizeof(V));
  }
  if (i == count) return;
  T part[kStep];
  for (int64_t k = 0; k < kStep; ++k) part[k] = i + k < count ? from[i + k] : T{1};
  std::memcpy(&v, part, sizeof(V));
  v = f(v);
  std::memcpy(part, &v, sizeof(V));
  for (int64_t k = 0; i + k < count; ++k) to[i + k] = part[k];
}

// The same for two operands of equal length.
template <class T, class F>
EF_INLINE void map2(void* out, const void* x, const void* y, int64_t count, const F& f) {
  using V = Vec<T>;
  constexpr int64_t kStep = kLanes<T>;
  auto* to = static_cast<T*>(out);
  const auto* xs = static_cast<const T*>(x);
  const auto* ys = static_cast<const T*>(y);
  int64_t i = 0;
  V a, b;
  for (; i + kStep <= count; i += kStep) {
    std::memcpy(&a, xs + i, sizeof(V));
    std::memcpy(&b, ys + i, sizeof(V));
    a = f(a, b);
    std::memcpy(to + i, &a, sizeof(V));
  }
  if (i == count) return;
  T part[kStep], other[kStep];
  for (int64_t k = 0; k < kStep; ++k) {
    part[k] = i + k < count ? xs[i + k] : T{1};
    other[k] = i + k < count ? ys[i + k] : T{1};
  }
  std::memcpy(&a, part, sizeof(V));
  std::memcpy(&b, other, sizeof(V));
  a = f(a, b);
  std::memcpy(part, &a, sizeof(V));
  for (int64_t k = 0; i + k < count; ++k) to[i + k] = part[k];
}

}  // namespace ef::cpu::EF_ISA
