// Jacobians while tracing.
#pragma once

#include "graph/call.h"

namespace ef::graph {

// Adds a node that runs a graph, a function of its only input, for each of the rows of a tensor.
// Results have one more axis in front.
TensorList add_rows(Graph& graph, const CallablePtr& callee, const Tensor& rows);

}  // namespace ef::graph
