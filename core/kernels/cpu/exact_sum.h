// Adds to sums and keeps the rounding errors.
#pragma once

#include "tensor/tensor.h"

namespace ef::cpu {

// sum += delta (or -= delta). `remainder` holds the rounding errors of earlier additions and
// receives the error of this one: sum + remainder has twice the precision of the dtype. All tensors
// have one shape and one dtype of kFloatTypes. There are no other handles on `sum` and `remainder`.
void add_exactly(const Tensor& sum, const Tensor& remainder, const Tensor& delta, bool subtracts);

}  // namespace ef::cpu
