// Element types: their enum values (those of TensorFlow's DataType), sizes, names and C++ types.
#pragma once

#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>

namespace ef {

enum class DType : uint8_t {
  kInvalid = 0,
  kFloat32 = 1,
  kFloat64 = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kString = 7,
  kComplex64 = 8,
  kInt64 = 9,
  kBool = 10,
  kQint8 = 11,
  kQuint8 = 12,
  kQint32 = 13,
  kBfloat16 = 14,
  kQint16 = 15,
  kQuint16 = 16,
  kUint16 = 17,
  kComplex128 = 18,
  kFloat16 = 19,
  kResource = 20,
  kVariant = 21,
  kUint32 = 22,
  kUint64 = 23,
  kFloat8E5m2 = 24,
  kFloat8E4m3fn = 25,
  kFloat8E4m3fnuz = 26,
  kFloat8E4m3b11fnuz = 27,
  kFloat8E5m2fnuz = 28,
  kInt4 = 29,
  kUint4 = 30,
  kInt2 = 31,
  kUint2 = 32,
  kFloat4E2m1fn = 33,
};
inline constexpr int kDTypeCount = 34;

// IEEE 754 binary16. Arithmetic happens in float; only storage is 16 bits wide.
struct Half {
  uint16_t bits = 0;
  Half() = default;
  Half(float value);
  operator float() const;
};

// The upper half of a float, rounded to nearest even.
struct Bfloat16 {
  uint16_t bits = 0;
  Bfloat16() = default;
  Bfloat16(float value) {
    const uint32_t word = std::bit_cast<uint32_t>(value);
    if ((word & 0x7fffffffu) > 0x7f800000u) {
      bits = static_cast<uint16_t>((word >> 16) | 0x40u);  // keep a NaN a (quiet) NaN
    } else {
      bits = static_cast<uint16_t>((word + 0x7fffu + ((word >> 16) & 1u)) >> 16);
    }
  }
  operator float() const { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
};

inline Half::Half(float value) {
  const uint32_t word = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (word >> 16) & 0x8000u;
  const uint32_t magnitude = word & 0x7fffffffu;
  if (magnitude > 0x7f800000u) {
    bits = static_cast<uint16_t>(sign | 0x7e00u);
  } else if (magnitude >= 0x477ff000u) {  // rounds to 65536 or more
    bits = static_cast<uint16_t>(sign | 0x7c00u);
  } else if (magnitude < 0x38800000u) {  // subnormal: let the float adder do the rounding
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    bits = static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000u));
  } else {
    const uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
    bits = static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
  }
}

inline Half::operator float() const {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t magnitude = bits & 0x7fffu;
  if (magnitude >= 0x7c00u) {
    return std::bit_cast<float>(sign | 0x7f800000u | ((magnitude & 0x3ffu) << 13));
  }
  if (magnitude < 0x400u) {  // zero or subnormal: an exact multiple of 2^-24
    const float value = static_cast<float>(magnitude) * 0x1p-24f;
    return sign ? -value : value;
  }
  return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000u));
}

using Complex64 = std::complex<float>;
using Complex128 = std::complex<double>;

// A set of dtypes, as a bit mask over their enum values.
class DTypeSet {
 public:
  constexpr DTypeSet() = default;
  constexpr DTypeSet(std::initializer_list<DType> types) {
    for (DType type : types) bits_ |= uint64_t{1} << static_cast<int>(type);
  }
  constexpr bool contains(DType type) const { return (bits_ >> static_cast<int>(type)) & 1u; }
  // The member if there is just one, else kInvalid.
  constexpr DType only() const {
    return std::has_single_bit(bits_) ? static_cast<DType>(std::countr_zero(bits_))
                                      : DType::kInvalid;
  }
  constexpr DTypeSet operator|(DTypeSet other) const { return DTypeSet(bits_ | other.bits_); }
  constexpr uint64_t bits() const { return bits_; }

  uint64_t bits_ = 0;  // public, so that sets can be arguments of templates

 private:
  explicit constexpr DTypeSet(uint64_t bits) : bits_(bits) {}
};

inline constexpr DTypeSet kFloatTypes{DType::kFloat16, DType::kBfloat16, DType::kFloat32,
                                      DType::kFloat64};
inline constexpr DTypeSet kComplexTypes{DType::kComplex64, DType::kComplex128};
inline constexpr DTypeSet kSignedIntTypes{DType::kInt8, DType::kInt16, DType::kInt32,
                                          DType::kInt64};
inline constexpr DTypeSet kUnsignedIntTypes{DType::kUint8, DType::kUint16, DType::kUint32,
                                            DType::kUint64};
inline constexpr DTypeSet kIntTypes = kSignedIntTypes | kUnsignedIntTypes;
inline constexpr DTypeSet kRealTypes = kFloatTypes | kIntTypes;
inline constexpr DTypeSet kNumericTypes = kRealTypes | kComplexTypes;
inline constexpr DTypeSet kInexactTypes = kFloatTypes | kComplexTypes;
inline constexpr DTypeSet kBoolType{DType::kBool};
inline constexpr DTypeSet kIndexTypes{DType::kInt32, DType::kInt64};
inline constexpr DTypeSet kPlainTypes = kNumericTypes | kBoolType;  // all but strings
// Types without arithmetic: values are stored and moved, and some of them converted. Each element
// takes whole bytes, even if the type has 2 or 4 bits.
inline constexpr DTypeSet kQuantizedTypes{DType::kQint8, DType::kQuint8, DType::kQint16,
                                          DType::kQuint16, DType::kQint32};
inline constexpr DTypeSet kFloat8Types{DType::kFloat8E5m2, DType::kFloat8E4m3fn};
inline constexpr DTypeSet kInt4Types{DType::kInt4, DType::kUint4};
inline constexpr DTypeSet kStoredTypes = kQuantizedTypes | kFloat8Types | kInt4Types |
                                         DTypeSet{DType::kFloat8E4m3fnuz, DType::kFloat8E4m3b11fnuz,
                                                  DType::kFloat8E5m2fnuz, DType::kInt2,
                                                  DType::kUint2,          DType::kFloat4E2m1fn};
// Those of them that TensorFlow pads, and those that it slices.
inline constexpr DTypeSet kPaddedTypes{DType::kQint8, DType::kQuint8, DType::kQint32};
inline constexpr DTypeSet kSlicedTypes = kPaddedTypes | kFloat8Types;
// All types that programs compute with, and strings.
inline constexpr DTypeSet kAllTypes = kPlainTypes | DTypeSet{DType::kString};
// All element types but variants, which hold objects of the engine (tensor/variant.h), and
// resources, which stand for objects of Python (bindings/handles.h).
inline constexpr DTypeSet kAnyTypes = kAllTypes | kStoredTypes;
inline constexpr DTypeSet kVariantType{DType::kVariant};
// Types that operations move without looking at elements.
inline constexpr DTypeSet kMovedTypes = kAllTypes | kVariantType;
inline constexpr DTypeSet kObjectTypes{DType::kVariant, DType::kResource};

// Types whose elements own memory: they are copied one by one, never as bytes.
inline constexpr DTypeSet kOwningTypes{DType::kString, DType::kVariant};
inline bool owns_memory(DType type) { return kOwningTypes.contains(type); }

// Bytes of one element in memory (sizeof(std::string) for strings, sizeof(VariantRef) for
// variants).
size_t element_size(DType type);
// The integer type with the bits of a quantized type; other types are their own.
DType plain_dtype(DType type);
// "float32", "int32": the Python-side name.
const char* dtype_name(DType type);
// "float", "double", "half": the name TensorFlow's runtime uses in messages.
const char* dtype_runtime_name(DType type);
// The dtype with that Python-side name, or kInvalid.
DType dtype_from_name(const char* name);

inline bool is_floating(DType type) { return kFloatTypes.contains(type); }
inline bool is_complex(DType type) { return kComplexTypes.contains(type); }
inline bool is_integer(DType type) { return kIntTypes.contains(type); }
// Whether gradients flow through values of this type.
inline bool is_differentiable(DType type) { return (kInexactTypes | kVariantType).contains(type); }

std::ostream& operator<<(std::ostream& stream, DType type);

// The C++ element type's dtype.
template <class T>
struct DTypeOf;
template <>
struct DTypeOf<float> {
  static constexpr DType value = DType::kFloat32;
};
template <>
struct DTypeOf<double> {
  static constexpr DType value = DType::kFloat64;
};
template <>
struct DTypeOf<Half> {
  static constexpr DType value = DType::kFloat16;
};
template <>
struct DTypeOf<Bfloat16> {
  static constexpr DType value = DType::kBfloat16;
};
template <>
struct DTypeOf<int8_t> {
  static constexpr DType value = DType::kInt8;
};
template <>
struct DTypeOf<int16_t> {
  static constexpr DType value = DType::kInt16;
};
template <>
struct DTypeOf<int32_t> {
  static constexpr DType value = DType::kInt32;
};
template <>
struct DTypeOf<int64_t> {
  static constexpr DType value = DType::kInt64;
};
template <>
struct DTypeOf<uint8_t> {
  static constexpr DType value = DType::kUint8;
};
template <>
struct DTypeOf<uint16_t> {
  static constexpr DType value = DType::kUint16;
};
template <>
struct DTypeOf<uint32_t> {
  static constexpr DType value = DType::kUint32;
};
template <>
struct DTypeOf<uint64_t> {
  static constexpr DType value = DType::kUint64;
};
template <>
struct DTypeOf<bool> {
  static constexpr DType value = DType::kBool;
};
template <>
struct DTypeOf<Complex64> {
  static constexpr DType value = DType::kComplex64;
};
template <>
struct DTypeOf<Complex128> {
  static constexpr DType value = DType::kComplex128;
};
template <class T>
inline constexpr DType kDTypeOf = DTypeOf<T>::value;

}  // namespace ef
