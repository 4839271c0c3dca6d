// The formula of kernels/cpu/exact_sum.simd.cpp as operations.
#include "eager/exact_sum.h"

#include "ops/compose.h"
#include "ops/elementwise.h"

namespace ef {

ExactSum exact_sum(const Tensor& sum, const Tensor& remainder, const Tensor& delta,
                   bool subtracts) {
  const Tensor change = subtracts ? -delta : delta;
  const Tensor total = sum + change;
  const Tensor added = total - sum;
  const Tensor lost = ((sum - (total - added)) + (change - added)) + remainder;
  const Tensor rounded = select(call(ops::is_finite, {total}), total + lost, total);
  const Tensor left = lost - (rounded - total);
  return {rounded, select(call(ops::is_finite, {rounded}), left, zeros_like(left))};
}

}  // namespace ef
