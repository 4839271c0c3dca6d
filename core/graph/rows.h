// Jacobians and tf.vectorized_map while tracing.
#pragma once

#include "graph/call.h"

namespace ef::graph {

// Whether a node of a graph, or of the graphs inside it, draws random values of one row.
bool draws(const Graph& graph);

// Whether a tensor of the graph depends on the graph's inputs.
bool depends_on_inputs(const Graph& graph, const Tensor& tensor);

// Whether a graph can run for many rows at once: it has no effects, draws nothing, and its
// operations have the same attributes for all rows.
bool can_run_rows(const Graph& graph);

// Adds a node that runs a graph, each of whose inputs is a row of a tensor, for all rows. Results
// have one more axis in front.
TensorList add_rows(Graph& graph, const CallablePtr& callee, std::span<const Tensor> rows);

}  // namespace ef::graph
