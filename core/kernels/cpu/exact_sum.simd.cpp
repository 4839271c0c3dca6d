// Knuth's sum of two floats and its rounding error, to which the earlier errors are added.
#include "kernels/cpu/exact_sum_loops.h"

namespace ef::cpu::EF_ISA {
namespace {

// Each step is rounded to T. 16-bit floats are computed in float, and so round as a single
// operation in T does.
template <class T>
void add(T* __restrict sums, T* __restrict remainders, const T* __restrict deltas, int64_t count,
         bool subtracts) {
  for (int64_t i = 0; i < count; ++i) {
    const T old = sums[i], delta = subtracts ? T(-deltas[i]) : deltas[i];
    const T sum = T(old + delta);
    const T added = T(sum - old);
    const T lost = T(T(T(old - T(sum - added)) + T(delta - added)) + remainders[i]);
    const T rounded = sum - sum == 0 ? T(sum + lost) : sum;
    sums[i] = rounded;
    // Infinite or NaN sums have no rounding error.
    remainders[i] = rounded - rounded == 0 ? T(lost - T(rounded - sum)) : T(0);
  }
}

}  // namespace

const ExactSumLoops& exact_sum_loops() {
  static constexpr ExactSumLoops loops{add<float>, add<double>, add<Half>, add<Bfloat16>};
  return loops;
}

}  // namespace ef::cpu::EF_ISA
