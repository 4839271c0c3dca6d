// Gradients of operations whose shapes or attributes are unknown while tracing: one more node,
// which calls the gradient function when it runs.
#pragma once

#include <memory>

#include "eager/tape.h"
#include "graph/graph.h"

namespace ef::graph {

// The backward step of a node that runs an operation: it adds a node to the graph that is being
// built then. That node takes the values that the gradient reads, and the shapes of others.
std::shared_ptr<BackwardFunction> operation_backward(GraphPtr graph, NodeId id);

}  // namespace ef::graph
