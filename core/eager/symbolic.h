// Symbolic tensors: dtype and shape are known, the value is not. Graphs are inferred with them.
//
// An operation with such an input is checked and inferred as usual, but its kernel does not run:
// its results are symbolic, too. Tapes record it, so that gradients can be inferred as well.
#pragma once

#include "ops/op.h"

namespace ef {

// Reading its value is a TypeError.
Tensor symbolic(const TensorSpec& spec);
bool is_symbolic(const Tensor& tensor);

}  // namespace ef
