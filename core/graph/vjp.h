// Gradients of operations whose shapes or attributes are unknown while tracing: one more node,
// which calls the gradient function when it runs.
#pragma once

#include <memory>

#include "eager/tape.h"
#include "graph/graph.h"

namespace ef::graph {

// The operation whose gradient a node computes, as far as the node knows it.
struct DifferentiatedOperation {
  // How the node knows an input or output of the operation.
  struct Known {
    DType dtype = DType::kInvalid;
    Shape shape;         // where that is known while tracing
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
  // Where the operation itself is.
  std::weak_ptr<Graph> graph;
  NodeId node = -1;
};

// What a node differentiates; null if it computes no gradient of one operation.
const DifferentiatedOperation* differentiated_operation(const Node& node);

// Throws Unimplemented if the gradient of an operation in the graph still waits for sizes.
void require_sizes(const Graph& graph);

// The backward step of a node that runs an operation: it adds a node to the graph that is being
// built then. That node takes the values that the gradient reads, and the shapes of others.
std::shared_ptr<BackwardFunction> operation_backward(GraphPtr graph, NodeId id);

}  // namespace ef::graph
