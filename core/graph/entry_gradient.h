// The gradient of an elementwise operation, recorded on symbols whose sizes are unknown.
#pragma once

#include <span>

#include "graph/graph.h"

namespace ef::graph {

// Whether the op table has a gradient of an operation, and the operation is elementwise.
bool has_elementwise_gradient(const Op& op);

// Adds the nodes of the op table's gradient of an elementwise operation to the graph that is being
// built. `dy` has one gradient per output; `x` and `y` are the operation's inputs and outputs. The
// result has one gradient per input, empty where there is none. Gradients of operands that were
// broadcast have the shape of the result: the caller sums them.
TensorList gradient_of_elementwise(const Op& op, AttrsRef attrs, std::span<const char> wanted,
                                   std::span<const Tensor> dy, std::span<const Tensor> x,
                                   std::span<const Tensor> y);

}  // namespace ef::graph
