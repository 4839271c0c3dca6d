// Gradients of nodes whose shapes or attributes are unknown while tracing, and of functions: one
// more node, which differentiates when it runs.
#pragma once

#include <span>

#include "graph/graph.h"

namespace ef::graph {

// Records a node on the active tapes. When a gradient is asked for, they add a node to the graph
// that is being built then.
void record_vjp(Graph& graph, NodeId id, std::span<const Tensor> inputs);

}  // namespace ef::graph
