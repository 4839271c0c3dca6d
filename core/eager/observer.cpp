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
  Word carried = 0;
  for (size_t i = 0; i < count; ++i) {
    carried = static_cast<Word>(carried | ((words[i] & exponent) + lowest));
  }
  return (carried & sign) != 0;
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
