// Calling generic code with the C++ type of a dtype.
#pragma once

#include <string>
#include <type_traits>

#include "tensor/dtype.h"
#include "tensor/error.h"

namespace ef::cpu {

template <class T>
inline constexpr bool kComplex = std::is_same_v<T, Complex64> || std::is_same_v<T, Complex128>;

// Calls body with a value of the type of a real dtype.
template <class Body>
void on_real_type(DType dtype, const Body& body) {
  switch (dtype) {
    case DType::kFloat32: return body(float{});
    case DType::kFloat64: return body(double{});
    case DType::kFloat16: return body(Half{});
    case DType::kBfloat16: return body(Bfloat16{});
    case DType::kInt8: return body(int8_t{});
    case DType::kInt16: return body(int16_t{});
    case DType::kInt32: return body(int32_t{});
    case DType::kInt64: return body(int64_t{});
    case DType::kUint8: return body(uint8_t{});
    case DType::kUint16: return body(uint16_t{});
    case DType::kUint32: return body(uint32_t{});
    case DType::kUint64: return body(uint64_t{});
    default: fail(Code::kInternal, "no kernel for ", dtype);
  }
}

// The same for complex dtypes too.
template <class Body>
void on_number_type(DType dtype, const Body& body) {
  if (dtype == DType::kComplex64) return body(Complex64{});
  if (dtype == DType::kComplex128) return body(Complex128{});
  on_real_type(dtype, body);
}

// 16-bit floats compare and add as floats.
inline float arithmetic(Half value) { return value; }
inline float arithmetic(Bfloat16 value) { return value; }
template <class T>
T arithmetic(T value) {
  return value;
}

// Whether a value replaces the largest, or smallest, value so far: a NaN does, and stays. The first
// of equal values stays.
template <class T>
bool is_above(T value, T largest) {
  const auto a = arithmetic(value), b = arithmetic(largest);
  return !(a <= b) && b == b;
}
template <class T>
bool is_below(T value, T smallest) {
  const auto a = arithmetic(value), b = arithmetic(smallest);
  return !(a >= b) && b == b;
}

// A type for sums of integers of any dtype.
__extension__ typedef __int128 Int128;

// Sums and products of integers wrap around.
template <class T>
auto wrapping(T value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<std::make_unsigned_t<decltype(value + 0)>>(value);
  } else {
    return arithmetic(value);
  }
}

}  // namespace ef::cpu
