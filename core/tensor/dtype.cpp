// Names and sizes of the element types.
#include "tensor/dtype.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <ostream>
#include <string>

#include "tensor/variant.h"

namespace ef {
namespace {

struct DTypeInfo {
  const char* name = "invalid";
  const char* runtime_name = "invalid";
  size_t size = 0;
};

constexpr std::array<DTypeInfo, kDTypeCount> make_table() {
  std::array<DTypeInfo, kDTypeCount> table{};
  auto set = [&table](DType type, const char* name, const char* runtime_name, size_t size) {
    table[static_cast<size_t>(type)] = {name, runtime_name, size};
  };
  set(DType::kFloat32, "float32", "float", 4);
  set(DType::kFloat64, "float64", "double", 8);
  set(DType::kInt32, "int32", "int32", 4);
  set(DType::kUint8, "uint8", "uint8", 1);
  set(DType::kInt16, "int16", "int16", 2);
  set(DType::kInt8, "int8", "int8", 1);
  set(DType::kString, "string", "string", sizeof(std::string));
  set(DType::kComplex64, "complex64", "complex64", 8);
  set(DType::kInt64, "int64", "int64", 8);
  set(DType::kBool, "bool", "bool", 1);
  set(DType::kBfloat16, "bfloat16", "bfloat16", 2);
  set(DType::kUint16, "uint16", "uint16", 2);
  set(DType::kComplex128, "complex128", "complex128", 16);
  set(DType::kFloat16, "float16", "half", 2);
  set(DType::kResource, "resource", "resource", sizeof(int64_t));
  set(DType::kVariant, "variant", "variant", sizeof(VariantRef));
  set(DType::kUint32, "uint32", "uint32", 4);
  set(DType::kUint64, "uint64", "uint64", 8);
  set(DType::kQint8, "qint8", "qint8", 1);
  set(DType::kQuint8, "quint8", "quint8", 1);
  set(DType::kQint32, "qint32", "qint32", 4);
  set(DType::kQint16, "qint16", "qint16", 2);
  set(DType::kQuint16, "quint16", "quint16", 2);
  set(DType::kFloat8E5m2, "float8_e5m2", "float8_e5m2", 1);
  set(DType::kFloat8E4m3fn, "float8_e4m3fn", "float8_e4m3fn", 1);
  set(DType::kFloat8E4m3fnuz, "float8_e4m3fnuz", "float8_e4m3fnuz", 1);
  set(DType::kFloat8E4m3b11fnuz, "float8_e4m3b11fnuz", "float8_e4m3b11fnuz", 1);
  set(DType::kFloat8E5m2fnuz, "float8_e5m2fnuz", "float8_e5m2fnuz", 1);
  set(DType::kInt4, "int4", "int4", 1);
  set(DType::kUint4, "uint4", "uint4", 1);
  set(DType::kInt2, "int2", "int2", 1);
  set(DType::kUint2, "uint2", "uint2", 1);
  set(DType::kFloat4E2m1fn, "float4_e2m1fn", "float4_e2m1fn", 1);
  return table;
}

constexpr auto kTable = make_table();

}  // namespace

size_t element_size(DType type) { return kTable[static_cast<size_t>(type)].size; }
DType plain_dtype(DType type) {
  switch (type) {
    case DType::kQint8: return DType::kInt8;
    case DType::kQuint8: return DType::kUint8;
    case DType::kQint16: return DType::kInt16;
    case DType::kQuint16: return DType::kUint16;
    case DType::kQint32: return DType::kInt32;
    default: return type;
  }
}

const char* dtype_name(DType type) { return kTable[static_cast<size_t>(type)].name; }
const char* dtype_runtime_name(DType type) {
  return kTable[static_cast<size_t>(type)].runtime_name;
}

DType dtype_from_name(const char* name) {
  for (int i = 1; i < kDTypeCount; ++i) {
    if (kTable[i].size != 0 && std::strcmp(kTable[i].name, name) == 0) return static_cast<DType>(i);
  }
  return DType::kInvalid;
}

std::ostream& operator<<(std::ostream& stream, DType type) {
  return stream << dtype_runtime_name(type);
}

}  // namespace ef
