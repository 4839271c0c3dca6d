// A list of tensors; a few are stored in the list itself.
#pragma once

#include "tensor/inline_vector.h"
#include "tensor/tensor.h"

namespace ef {

using TensorList = InlineVector<Tensor, 4>;

}  // namespace ef
