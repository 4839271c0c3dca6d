// Sums that keep their rounding errors, as operations.
#pragma once

#include "tensor/tensor.h"

namespace ef {

struct ExactSum {
  Tensor rounded;
  Tensor remainder;  // the rounding error
};

// sum + remainder + delta (or - delta), as operations, for devices and for graphs that become
// devices' programs. kernels/cpu/exact_sum.h computes the same in the host's memory.
ExactSum exact_sum(const Tensor& sum, const Tensor& remainder, const Tensor& delta, bool subtracts);

}  // namespace ef
