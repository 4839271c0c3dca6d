// Sums that keep what rounding loses, as operations.
#pragma once

#include "tensor/tensor.h"

namespace ef {

struct ExactSum {
  Tensor rounded;
  Tensor remainder;  // what has been lost
};

// sum + remainder + delta (or - delta), as kernels/cpu/exact_sum.h computes it for the host's
// memory: for devices, and for graphs of which programs are made.
ExactSum exact_sum(const Tensor& sum, const Tensor& remainder, const Tensor& delta, bool subtracts);

}  // namespace ef
