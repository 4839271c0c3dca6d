// Inner loops of integer division and powers, and of the remainders of floats.
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/cpu/plain_loops.h"

namespace ef::cpu {
namespace {

// The quotient of the least integer and -1 wraps around to the least integer. Divisors are not
// zero.
template <class T>
T truncate_div(T x, T y) {
  if constexpr (std::is_signed_v<T>) {
    if (y == -1) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(0u - static_cast<U>(x)));
    }
  }
  return static_cast<T>(x / y);
}

template <class T>
T truncate_mod(T x, T y) {
  if constexpr (std::is_signed_v<T>) {
    if (y == -1) return 0;
  }
  return static_cast<T>(x % y);
}

template <class T>
T floor_div(T x, T y) {
  const T quotient = truncate_div(x, y);
  if constexpr (std::is_signed_v<T>) {
    if (truncate_mod(x, y) != 0 && (x < 0) != (y < 0)) return static_cast<T>(quotient - 1);
  }
  return quotient;
}

template <class T>
T floor_mod(T x, T y) {
  const T remainder = truncate_mod(x, y);
  if constexpr (std::is_signed_v<T>) {
    if (remainder != 0 && (remainder < 0) != (y < 0)) return static_cast<T>(remainder + y);
  }
  return remainder;
}

template <class T>
T float_truncate_mod(T x, T y) {
  return std::fmod(x, y);
}

template <class T>
T float_floor_mod(T x, T y) {
  const T remainder = std::fmod(x, y);
  return remainder != 0 && (remainder < 0) != (y < 0) ? remainder + y : remainder;
}

// Modulo a power of two, by squaring. Exponents are not negative.
template <class T>
T integer_power(T base, T exponent) {
  uint64_t result = 1;
  auto factor = static_cast<uint64_t>(base);
  for (auto rest = static_cast<uint64_t>(exponent); rest != 0; rest >>= 1) {
    if (rest & 1) result *= factor;
    factor *= factor;
  }
  return static_cast<T>(result);
}

template <class T>
void add_integer(ElementLoops& loops, DType type) {
  loops.at(Binary::kTruncateDiv, type) = plain_binary<T, T, truncate_div<T>>;
  loops.at(Binary::kTruncateMod, type) = plain_binary<T, T, truncate_mod<T>>;
  if constexpr (sizeof(T) == 8) {  // shorter ones have vector loops
    loops.at(Binary::kFloorDiv, type) = plain_binary<T, T, floor_div<T>>;
    loops.at(Binary::kFloorMod, type) = plain_binary<T, T, floor_mod<T>>;
  }
  loops.at(Binary::kPow, type) = plain_binary<T, T, integer_power<T>>;
}

template <class T>
void add_floating(ElementLoops& loops, DType type) {
  loops.at(Binary::kTruncateMod, type) = plain_binary<T, T, float_truncate_mod<T>>;
  loops.at(Binary::kFloorMod, type) = plain_binary<T, T, float_floor_mod<T>>;
}

}  // namespace

void add_integer_division_loops(ElementLoops& loops) {
  add_integer<int8_t>(loops, DType::kInt8);
  add_integer<int16_t>(loops, DType::kInt16);
  add_integer<int32_t>(loops, DType::kInt32);
  add_integer<int64_t>(loops, DType::kInt64);
  add_integer<uint8_t>(loops, DType::kUint8);
  add_integer<uint16_t>(loops, DType::kUint16);
  add_integer<uint32_t>(loops, DType::kUint32);
  add_integer<uint64_t>(loops, DType::kUint64);
  add_floating<float>(loops, DType::kFloat32);
  add_floating<double>(loops, DType::kFloat64);
}

}  // namespace ef::cpu
