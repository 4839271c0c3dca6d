// Adds to sums and keeps the rounding errors.
#include "kernels/cpu/exact_sum.h"

#include "kernels/cpu/exact_sum_loops.h"

namespace ef::cpu {
namespace {

template <class T>
void run_loop(ExactSumLoop<T> loop, const Tensor& sum, const Tensor& remainder, const Tensor& delta,
              bool subtracts) {
  loop(sum.mutable_data<T>(), remainder.mutable_data<T>(), delta.data<T>(), sum.size(), subtracts);
}

}  // namespace

void add_exactly(const Tensor& sum, const Tensor& remainder, const Tensor& delta, bool subtracts) {
  const ExactSumLoops& loops = best::exact_sum_loops();
  switch (sum.dtype()) {
    case DType::kFloat32: return run_loop(loops.float32, sum, remainder, delta, subtracts);
    case DType::kFloat64: return run_loop(loops.float64, sum, remainder, delta, subtracts);
    case DType::kFloat16: return run_loop(loops.float16, sum, remainder, delta, subtracts);
    default: return run_loop(loops.bfloat16, sum, remainder, delta, subtracts);
  }
}

}  // namespace ef::cpu
