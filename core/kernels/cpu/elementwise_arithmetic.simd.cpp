// Inner loops of arithmetic on floats and integers, and non-temporal copies.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "kernels/cpu/vector_loops.h"
#include "kernels/cpu/vector_tiles.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace ef::cpu::EF_ISA {
namespace {

using enum DType;

// Integers wrap around. Those narrower than int are computed as uint32_t, because int, to which
// they promote, could overflow.
template <class T>
using Wrapping = std::conditional_t<std::is_floating_point_v<T>, T,
                                    std::conditional_t<sizeof(T) < 4, uint32_t, T>>;

template <class T>
struct Add {
  static T of(T x, T y) { return static_cast<T>(Wrapping<T>(x) + Wrapping<T>(y)); }
};
template <class T>
struct Subtract {
  static T of(T x, T y) { return static_cast<T>(Wrapping<T>(x) - Wrapping<T>(y)); }
};
template <class T>
struct Multiply {
  static T of(T x, T y) { return static_cast<T>(Wrapping<T>(x) * Wrapping<T>(y)); }
};
template <class T>
struct SquaredDifference {
  static T of(T x, T y) {
    const auto d = Wrapping<T>(x) - Wrapping<T>(y);
    return static_cast<T>(d * d);
  }
};
template <class T>
struct Divide {
  static T of(T x, T y) { return x / y; }
};
template <class T>
struct DivideNoNan {
  static T of(T x, T y) {
    const T quotient = x / y;
    return y == 0 ? 0 : quotient;
  }
};
template <class T>
struct MultiplyNoNan {
  static T of(T x, T y) {
    const T product = x * y;
    return y == 0 ? 0 : product;
  }
};
template <class T>
struct FloorDivide {
  static T of(T x, T y) {
    if constexpr (sizeof(T) == 4)
      return __builtin_floorf(x / y);
    else
      return __builtin_floor(x / y);
  }
};
template <class T>
struct TruncateDivide {
  static T of(T x, T y) {
    if constexpr (sizeof(T) == 4)
      return __builtin_truncf(x / y);
    else
      return __builtin_trunc(x / y);
  }
};
// NaN if either operand is NaN. V is a scalar or a vector; each selection is one instruction.
template <class T>
struct Maximum {
  template <class V>
  static V of(V x, V y) {
    const V larger = x < y ? y : x;
    return y != y ? y : larger;
  }
};
template <class T>
struct Minimum {
  template <class V>
  static V of(V x, V y) {
    const V smaller = y < x ? y : x;
    return y != y ? y : smaller;
  }
};
template <class T>
struct Negative {
  static T of(T x) {
    if constexpr (std::is_floating_point_v<T>)
      return -x;
    else
      return static_cast<T>(0 - Wrapping<T>(x));
  }
};
template <class T>
struct Abs {
  static T of(T x) {
    if constexpr (std::is_same_v<T, float>)
      return __builtin_fabsf(x);
    else if constexpr (std::is_same_v<T, double>)
      return __builtin_fabs(x);
    else {
      using U = std::make_unsigned_t<T>;
      return x < 0 ? static_cast<T>(0 - Wrapping<U>(static_cast<U>(x))) : x;
    }
  }
};
template <class T>
struct Sign {
  static T of(T x) {
    if constexpr (std::is_floating_point_v<T>) {
      // NaNs stay NaN, and both zeros become positive zero.
      const T signum = x > 0 ? T{1} : x < 0 ? T{-1} : T{0};
      return x != x ? x : signum;
    } else {
      return static_cast<T>((x > 0) - (x < 0));
    }
  }
};
// For 16-bit floats, as bits.
struct FlipSign {
  static uint16_t of(uint16_t x) { return static_cast<uint16_t>(x ^ 0x8000u); }
};
struct ClearSign {
  static uint16_t of(uint16_t x) { return static_cast<uint16_t>(x & 0x7fffu); }
};
template <class T>
struct Square {
  static T of(T x) { return static_cast<T>(Wrapping<T>(x) * Wrapping<T>(x)); }
};
template <class T>
struct Sqrt {
  static T of(T x) {
    if constexpr (sizeof(T) == 4)
      return __builtin_sqrtf(x);
    else
      return __builtin_sqrt(x);
  }
};
// Where squares overflow or vanish, the larger side times a root between 1 and 2.
template <class T>
struct Hypot {
  static T of(T x, T y) {
    constexpr T kInfinity = std::numeric_limits<T>::infinity();
    constexpr T kLeast = std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon();
    const T a = Abs<T>::of(x), b = Abs<T>::of(y);
    const T total = a * a + b * b;
    const T large = a > b ? a : b, small = a > b ? b : a;
    const T ratio = large == 0 ? T{0} : small / large;
    const T scaled = large * Sqrt<T>::of(1 + ratio * ratio);
    const T length = total >= kLeast && total < kInfinity ? Sqrt<T>::of(total) : scaled;
    return a == kInfinity || b == kInfinity ? kInfinity : length;
  }
};
template <class T>
struct Rsqrt {
  static T of(T x) { return 1 / Sqrt<T>::of(x); }
};
template <class T>
struct Reciprocal {
  static T of(T x) { return 1 / x; }
};
template <class T>
struct Floor {
  static T of(T x) {
    if constexpr (sizeof(T) == 4)
      return __builtin_floorf(x);
    else
      return __builtin_floor(x);
  }
};
template <class T>
struct Ceil {
  static T of(T x) {
    if constexpr (sizeof(T) == 4)
      return __builtin_ceilf(x);
    else
      return __builtin_ceil(x);
  }
};
template <class T>
struct Round {
  static T of(T x) {
    if constexpr (sizeof(T) == 4)
      return __builtin_rintf(x);
    else
      return __builtin_rint(x);
  }
};

// min(max) as two TensorFlow operations: NaN if an operand is.
template <class T>
void clip_loop(void* out, const void* x, const void* low, const void* high, int64_t count,
               int64_t low_step, int64_t high_step) {
  auto* to = static_cast<T*>(out);
  const auto* xs = static_cast<const T*>(x);
  const auto* lows = static_cast<const T*>(low);
  const auto* highs = static_cast<const T*>(high);
  const T lowest = *lows;
  const T highest = *highs;
  if (low_step == 0 && high_step == 0 && lowest == lowest && highest == highest) {
#pragma omp simd
    for (int64_t i = 0; i < count; ++i) {
      const T limited = xs[i] > highest ? highest : xs[i];
      to[i] = limited < lowest ? lowest : limited;
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    to[i] = Maximum<T>::of(Minimum<T>::of(xs[i], highs[i * high_step]), lows[i * low_step]);
  }
}

// Quotients of 32-bit integers are exact in double precision. The quotient of the least integer and
// -1 wraps around. Divisors are not zero.
template <class T>
struct FloorDiv {
  static T of(T x, T y) {
    const double quotient = __builtin_floor(static_cast<double>(x) / static_cast<double>(y));
    return static_cast<T>(static_cast<int64_t>(quotient));
  }
};
template <class T>
struct FloorMod {
  static T of(T x, T y) {
    using U = uint32_t;
    return static_cast<T>(static_cast<U>(x) -
                          static_cast<U>(FloorDiv<T>::of(x, y)) * static_cast<U>(y));
  }
};

template <class T>
void add_floor_division(ElementLoops& loops, DType type) {
  loops.at(Binary::kFloorDiv, type) = binary_loop<T, T, FloorDiv<T>>;
  loops.at(Binary::kFloorMod, type) = binary_loop<T, T, FloorMod<T>>;
}

template <class T>
void add_modular(ElementLoops& loops, DType a, DType b) {
  set(loops, Binary::kAdd, commutative_loop<T, T, Add<T>>, {a, b});
  set(loops, Binary::kSubtract, binary_loop<T, T, Subtract<T>>, {a, b});
  set(loops, Binary::kMultiply, commutative_loop<T, T, Multiply<T>>, {a, b});
  set(loops, Unary::kNegative, unary_loop<T, T, Negative<T>>, {a, b});
  set(loops, Unary::kSquare, unary_loop<T, T, Square<T>>, {a, b});
  if constexpr (sizeof(T) >= 4) {
    set(loops, Binary::kSquaredDifference, commutative_loop<T, T, SquaredDifference<T>>, {a, b});
  }
}

template <class T>
void add_ordered(ElementLoops& loops, DType type) {
  loops.at(Binary::kMaximum, type) = binary_loop<T, T, Maximum<T>>;
  loops.at(Binary::kMinimum, type) = binary_loop<T, T, Minimum<T>>;
  loops.clip_at(type) = clip_loop<T>;
  if constexpr (std::is_signed_v<T>) {
    loops.at(Unary::kAbs, type) = unary_loop<T, T, Abs<T>>;
    loops.at(Unary::kSign, type) = unary_loop<T, T, Sign<T>>;
  }
}

template <class T, template <class> class Op>
void set_floating(ElementLoops& loops, Unary op) {
  loops.at(op, kDTypeOf<T>) = unary_loop<T, T, Op<T>>;
  set_tiles<T, Op<T>>(loops, op);
}
template <class T, template <class> class Op>
void set_floating(ElementLoops& loops, Binary op) {
  loops.at(op, kDTypeOf<T>) = binary_loop<T, T, Op<T>>;
  set_tiles<T, Op<T>>(loops, op);
}

template <class T>
void add_floating(ElementLoops& loops, DType type) {
  add_modular<T>(loops, type, type);
  add_ordered<T>(loops, type);
  set_tiles<T, Add<T>>(loops, Binary::kAdd);
  set_tiles<T, Subtract<T>>(loops, Binary::kSubtract);
  set_tiles<T, Multiply<T>>(loops, Binary::kMultiply);
  set_tiles<T, SquaredDifference<T>>(loops, Binary::kSquaredDifference);
  set_tiles<T, Maximum<T>>(loops, Binary::kMaximum);
  set_tiles<T, Minimum<T>>(loops, Binary::kMinimum);
  set_tiles<T, Negative<T>>(loops, Unary::kNegative);
  set_tiles<T, Square<T>>(loops, Unary::kSquare);
  set_tiles<T, Abs<T>>(loops, Unary::kAbs);
  set_tiles<T, Sign<T>>(loops, Unary::kSign);
  set_floating<T, Divide>(loops, Binary::kRealDivide);
  set_floating<T, DivideNoNan>(loops, Binary::kDivideNoNan);
  set_floating<T, MultiplyNoNan>(loops, Binary::kMultiplyNoNan);
  set_floating<T, Hypot>(loops, Binary::kHypot);
  set_floating<T, FloorDivide>(loops, Binary::kFloorDiv);
  set_floating<T, TruncateDivide>(loops, Binary::kTruncateDiv);
  set_floating<T, Sqrt>(loops, Unary::kSqrt);
  set_floating<T, Rsqrt>(loops, Unary::kRsqrt);
  set_floating<T, Reciprocal>(loops, Unary::kReciprocal);
  set_floating<T, Floor>(loops, Unary::kFloor);
  set_floating<T, Ceil>(loops, Unary::kCeil);
  set_floating<T, Round>(loops, Unary::kRound);
}

void stream(void* to, const void* from, int64_t bytes) {
#if defined(__AVX512F__)
  using Line = __m512i;
#elif defined(__AVX2__)
  using Line = __m256i;
#elif defined(__SSE2__)
  using Line = __m128i;
#endif
#if defined(__SSE2__)
  auto* target = static_cast<char*>(to);
  const auto* source = static_cast<const char*>(from);
  for (; bytes >= 64; bytes -= 64, target += 64, source += 64) {
    for (int k = 0; k < 64; k += static_cast<int>(sizeof(Line))) {
      Line line;
      std::memcpy(&line, source + k, sizeof(Line));
#if defined(__AVX512F__)
      _mm512_stream_si512(reinterpret_cast<Line*>(target + k), line);
#elif defined(__AVX2__)
      _mm256_stream_si256(reinterpret_cast<Line*>(target + k), line);
#else
      _mm_stream_si128(reinterpret_cast<Line*>(target + k), line);
#endif
    }
  }
  if (bytes > 0) std::memcpy(target, source, static_cast<size_t>(bytes));
#else
  std::memcpy(to, from, static_cast<size_t>(bytes));
#endif
}

void stream_end() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace

void add_arithmetic_loops(ElementLoops& loops) {
  add_floating<float>(loops, kFloat32);
  add_floating<double>(loops, kFloat64);
  add_modular<uint8_t>(loops, kInt8, kUint8);
  add_modular<uint16_t>(loops, kInt16, kUint16);
  add_modular<uint32_t>(loops, kInt32, kUint32);
  add_modular<uint64_t>(loops, kInt64, kUint64);
  add_ordered<int8_t>(loops, kInt8);
  add_ordered<int16_t>(loops, kInt16);
  add_ordered<int32_t>(loops, kInt32);
  add_ordered<int64_t>(loops, kInt64);
  add_ordered<uint8_t>(loops, kUint8);
  add_ordered<uint16_t>(loops, kUint16);
  add_ordered<uint32_t>(loops, kUint32);
  add_ordered<uint64_t>(loops, kUint64);
  add_floor_division<int8_t>(loops, kInt8);
  add_floor_division<int16_t>(loops, kInt16);
  add_floor_division<int32_t>(loops, kInt32);
  add_floor_division<uint8_t>(loops, kUint8);
  add_floor_division<uint16_t>(loops, kUint16);
  add_floor_division<uint32_t>(loops, kUint32);
  set(loops, Unary::kNegative, unary_loop<uint16_t, uint16_t, FlipSign>, {kFloat16, kBfloat16});
  set(loops, Unary::kAbs, unary_loop<uint16_t, uint16_t, ClearSign>, {kFloat16, kBfloat16});
  loops.stream = stream;
  loops.stream_end = stream_end;
}

}  // namespace ef::cpu::EF_ISA
