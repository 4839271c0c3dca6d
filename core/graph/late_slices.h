// Gradients of slices whose places depend on values, in graphs that programs are written from.
#pragma once

#include <span>

#include "graph/vjp.h"

namespace ef::graph {

// The gradient by the input of slice or strided_slice, of this shape, as operations; `inputs` are
// those of the gradient's node. Empty for other operations, and for slices whose sizes depend on
// values.
Tensor late_slice_gradient(const DifferentiatedOperation& operation, const Shape& shape,
                           const Tensor& dy, std::span<const Tensor> inputs);

}  // namespace ef::graph
