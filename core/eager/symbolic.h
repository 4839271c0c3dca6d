// Tensors whose dtype and shape are known and whose value is not: what graphs are inferred on.
//
// An operation with such an input is checked and inferred as ever, but its kernel does not run: its
// results are symbolic too. Tapes record it, so that gradients can be inferred as well.
#pragma once

#include "ops/op.h"

namespace ef {

// Reading its value is a TypeError.
Tensor symbolic(const TensorSpec& spec);
bool is_symbolic(const Tensor& tensor);

}  // namespace ef
