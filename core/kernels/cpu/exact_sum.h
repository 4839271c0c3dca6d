// Adding to sums without losing what their dtype has no room for.
#pragma once

#include "tensor/tensor.h"

namespace ef::cpu {

// sum += delta (or -= delta), where `remainder` has what the sums before have lost to rounding, and
// gets what this one loses: sum + remainder is exact to twice the precision of the dtype. All are
// of one shape and one of kFloatTypes, and nobody else holds `sum` and `remainder`.
void add_exactly(const Tensor& sum, const Tensor& remainder, const Tensor& delta, bool subtracts);

}  // namespace ef::cpu
