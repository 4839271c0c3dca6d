// Vector loops that check for infinities and NaNs.
#include <cstdint>

#include "kernels/cpu/finite_loops.h"

namespace ef::cpu::EF_ISA {
namespace {

// Only infinities and NaNs have all exponent bits set: adding the lowest of them then carries into
// the sign bit. Uses only additions and bit operations, which any vector unit has.
template <class Word>
bool any(const Word* numbers, int64_t count, Word exponent) {
  const Word lowest = static_cast<Word>(exponent & (~exponent + 1));
  const Word sign = static_cast<Word>(Word{1} << (sizeof(Word) * 8 - 1));
  constexpr int64_t kBlock = 8192 / sizeof(Word);
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t end = count - begin < kBlock ? count : begin + kBlock;
    Word all = 0;
#pragma omp simd reduction(| : all)
    for (int64_t i = begin; i < end; ++i) {
      all |= static_cast<Word>((numbers[i] & exponent) + lowest);
    }
    if (all & sign) return true;
  }
  return false;
}

}  // namespace

const FiniteLoops& finite_loops() {
  static constexpr FiniteLoops loops{any<uint16_t>, any<uint32_t>, any<uint64_t>};
  return loops;
}

}  // namespace ef::cpu::EF_ISA
