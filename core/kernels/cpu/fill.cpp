// Fills: constants of every dtype, and repeated elements.
#include "kernels/cpu/fill.h"

#include <algorithm>
#include <complex>
#include <cstring>

#include "device/parallel.h"

namespace ef::cpu {
namespace {

template <class T>
void put(void* element, T value) {
  std::memcpy(element, &value, sizeof(T));
}

// Doubles beyond the integers' range wrap as a cast from int64 would, instead of being undefined.
template <class T>
T integer_of(double value) {
  if (value != value) return 0;
  if (value >= 0x1p63) {
    return static_cast<T>(value >= 0x1p64 ? ~uint64_t{0} : static_cast<uint64_t>(value));
  }
  if (value <= -0x1p63) return static_cast<T>(INT64_MIN);
  return static_cast<T>(static_cast<int64_t>(value));
}

}  // namespace

void constant_element(DType dtype, double value, void* element) {
  switch (plain_dtype(dtype)) {
    case DType::kFloat32: return put(element, static_cast<float>(value));
    case DType::kFloat64: return put(element, value);
    case DType::kFloat16: return put(element, Half(static_cast<float>(value)));
    case DType::kBfloat16: return put(element, Bfloat16(static_cast<float>(value)));
    case DType::kInt8: return put(element, integer_of<int8_t>(value));
    case DType::kInt16: return put(element, integer_of<int16_t>(value));
    case DType::kInt32: return put(element, integer_of<int32_t>(value));
    case DType::kInt64: return put(element, integer_of<int64_t>(value));
    case DType::kUint8: return put(element, integer_of<uint8_t>(value));
    case DType::kUint16: return put(element, integer_of<uint16_t>(value));
    case DType::kUint32: return put(element, integer_of<uint32_t>(value));
    case DType::kUint64: return put(element, integer_of<uint64_t>(value));
    case DType::kBool: return put(element, value != 0);
    case DType::kComplex64: return put(element, Complex64(static_cast<float>(value), 0));
    case DType::kComplex128: return put(element, Complex128(value, 0));
    case DType::kString:
    case DType::kInvalid: break;
    // The values of these dtypes fit int8.
    default: return put(element, integer_of<int8_t>(value));
  }
}

namespace {

template <int64_t kSize>
void fill_words(unsigned char* to, const void* element, int64_t count) {
  constexpr int64_t kBlock = 64;
  constexpr int64_t kWords = kBlock / kSize;
  if (count >= kWords) {
    unsigned char block[kBlock];
    for (int64_t i = 0; i < kWords; ++i) std::memcpy(block + i * kSize, element, kSize);
    for (; count >= kWords; count -= kWords, to += kBlock) std::memcpy(to, block, kBlock);
  }
  for (; count > 0; --count, to += kSize) std::memcpy(to, element, kSize);
}

}  // namespace

void fill_elements(void* out, const void* element, int64_t size, int64_t count) {
  constexpr int64_t kMany = 1024;  // bytes for which memset() is faster
  const auto* bytes = static_cast<const unsigned char*>(element);
  auto* to = static_cast<unsigned char*>(out);
  if (size * count >= kMany &&
      std::all_of(bytes, bytes + size, [=](auto b) { return b == *bytes; })) {
    std::memset(out, *bytes, static_cast<size_t>(size * count));
    return;
  }
  switch (size) {
    case 1: return fill_words<1>(to, element, count);
    case 2: return fill_words<2>(to, element, count);
    case 4: return fill_words<4>(to, element, count);
    case 8: return fill_words<8>(to, element, count);
    case 16: return fill_words<16>(to, element, count);
    case 32: return fill_words<32>(to, element, count);
    default: return fill_words<64>(to, element, count);
  }
}

void fill_elements_parallel(void* out, const void* element, int64_t size, int64_t count) {
  parallel_for(count, (int64_t{1} << 18) / size, [&](int64_t begin, int64_t end) {
    fill_elements(static_cast<char*>(out) + begin * size, element, size, end - begin);
  });
}

void fill_constant(const Tensor& tensor, double value) {
  if (owns_memory(tensor.dtype())) return;  // empty from the start
  alignas(16) char element[16];
  constant_element(tensor.dtype(), value, element);
  fill_elements_parallel(tensor.mutable_raw_data(), element,
                         static_cast<int64_t>(element_size(tensor.dtype())), tensor.size());
}

}  // namespace ef::cpu
