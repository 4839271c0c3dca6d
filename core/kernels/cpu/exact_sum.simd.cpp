// Knuth's sum of two floats and its error, to which the errors so far are added.
#include "kernels/cpu/exact_sum_loops.h"

namespace ef::cpu::EF_ISA {
namespace {

// Each step is rounded to T: for 16-bit floats, which are computed in float, that is what one
// operation in T gives.
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
    // What is infinite or no number has lost nothing that could come back.
    remainders[i] = rounded - rounded == 0 ? T(lost - T(rounded - sum)) : T(0);
  }
}

}  // namespace

const ExactSumLoops& exact_sum_loops() {
  static constexpr ExactSumLoops loops{add<float>, add<double>, add<Half>, add<Bfloat16>};
  return loops;
}

}  // namespace ef::cpu::EF_ISA
