// Looking for numbers that spoil everything after them.
#include "eager/observer.h"

#include <algorithm>

#include "eager/symbolic.h"

namespace ef {
namespace {

// All exponent bits are set in infinities and NaNs, and in nothing else: adding the lowest of them
// carries into the sign bit then. Only additions and bit operations, so that any vector unit does
// it.
template <class Word>
bool any_with_exponent(const Tensor& tensor, Word exponent) {
  const auto* words = static_cast<const Word*>(tensor.raw_data());
  const auto count = static_cast<size_t>(tensor.bytes()) / sizeof(Word);
  const auto lowest = static_cast<Word>(exponent & (~exponent + 1));
  const auto sign = static_cast<Word>(Word{1} << (sizeof(Word) * 8 - 1));
  const auto carried = [&](size_t i) { return static_cast<Word>((words[i] & exponent) + lowest); };
  constexpr size_t kLanes = 128 / sizeof(Word);
  Word lanes[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (size_t k = 0; k < kLanes; ++k) lanes[k] |= carried(i + k);
  }
  Word all = 0;
  for (const Word lane : lanes) all |= lane;
  for (; i < count; ++i) all |= carried(i);
  return (all & sign) != 0;
}

}  // namespace

bool has_bad_numbers(const Tensor& tensor) {
  if (!is_differentiable(tensor.dtype()) || is_symbolic(tensor)) return false;
  tensor.impl()->settle();
  switch (tensor.dtype()) {
    case DType::kFloat16: return any_with_exponent<uint16_t>(tensor, 0x7c00);
    case DType::kBfloat16: return any_with_exponent<uint16_t>(tensor, 0x7f80);
    case DType::kFloat32:
    case DType::kComplex64: return any_with_exponent<uint32_t>(tensor, 0x7f800000);
    default: return any_with_exponent<uint64_t>(tensor, 0x7ff0000000000000);
  }
}

}  // namespace ef
