// Gradients of operations whose shapes or attributes are unknown while tracing: one more node,
// which calls the gradient function when it runs.
#pragma once

#include <memory>

#include "eager/tape.h"
#include "graph/graph.h"

namespace ef::graph {

// The operation whose gradient a node computes, with what the node knows of it.
struct DifferentiatedOperation {
  // How the node knows an input or output of the operation.
  struct Known {
    DType dtype = DType::kInvalid;
    Shape shape;         // if it is known while tracing
    int32_t value = -1;  // which input of the node is its value,
    int32_t like = -1;   // or has its shape,
    int32_t sizes = -1;  // or is its shape
  };

  const Op* op = nullptr;
  SavedAttrs attrs;
  std::vector<LateAttr> late;  // inputs are those of the node
  std::vector<Known> inputs, outputs;
  std::vector<int32_t> wanted;  // inputs of the operation
  std::vector<int32_t> dy;      // for each output the node's input that is its gradient, or -1
  // The node of the operation itself.
  std::weak_ptr<Graph> graph;
  NodeId node = -1;
};

// The operation that a node differentiates; null for other nodes.
const DifferentiatedOperation* differentiated_operation(const Node& node);

// Throws Unimplemented if the graph has a gradient that is deferred because sizes are unknown.
void require_sizes(const Graph& graph);

// The backward step of a node that runs an operation. It adds a node to the graph that is being
// built at that time. The inputs of that node are the values that the gradient reads, and the
// shapes of the other tensors.
std::shared_ptr<BackwardFunction> operation_backward(GraphPtr graph, NodeId id);

}  // namespace ef::graph
