// Checks for infinities and NaNs.
#pragma once

#include "tensor/tensor.h"

namespace ef::cpu {

// Whether an element of a floating or complex tensor is infinite or not a number.
bool has_nonfinite(const Tensor& tensor);

}  // namespace ef::cpu
