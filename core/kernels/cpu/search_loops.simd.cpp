// Vector loops that look for elements.
#include "kernels/cpu/search_loops.h"

#include <cstdint>

namespace ef::cpu::EF_ISA {
namespace {

int64_t next_above(const float* x, int64_t begin, int64_t end, float limit) {
  constexpr int kBlock = 32;
  int64_t i = begin;
  for (; i + kBlock <= end; i += kBlock) {
    int any = 0;
#pragma omp simd reduction(| : any)
    for (int j = 0; j < kBlock; ++j) any |= !(x[i + j] <= limit);
    if (any) break;
  }
  while (i < end && x[i] <= limit) ++i;
  return i;
}

}  // namespace

const SearchLoops& search_loops() {
  static constexpr SearchLoops loops{next_above};
  return loops;
}

}  // namespace ef::cpu::EF_ISA
