// Gradients of slices whose indices depend on values, in graphs that become devices' programs.
#pragma once

#include <span>

#include "graph/vjp.h"

namespace ef::graph {

// The gradient with respect to the input of slice or strided_slice, with this shape, as operations;
// `inputs` are the inputs of the gradient's node. Empty for other operations, and for slices whose
// sizes depend on values.
Tensor late_slice_gradient(const DifferentiatedOperation& operation, const Shape& shape,
                           const Tensor& dy, std::span<const Tensor> inputs);

}  // namespace ef::graph
