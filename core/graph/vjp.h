// Gradients of operations whose shapes or attributes are unknown while tracing: one more node,
// which calls the gradient function when it runs.
#pragma once

#include <memory>

#include "eager/tape.h"
#include "graph/graph.h"

namespace ef::graph {

// The operation whose gradient a node computes, with the facts that the node has about it.
struct DifferentiatedOperation {
  // The source of an input or output of the operation: its shape, or indices of the node's inputs.
  struct Known {
    DType dtype = DType::kInvalid;
    Shape shape;         // if known while tracing
    int32_t value = -1;  // the index of the input with its value,
    int32_t like = -1;   // or with its shape,
    int32_t sizes = -1;  // or that holds its shape
  };

  const Op* op = nullptr;
  SavedAttrs attrs;
  std::vector<LateAttr> late;  // `input` is an index of the node's inputs
  std::vector<Known> inputs, outputs;
  std::vector<int32_t> wanted;  // indices of the operation's inputs
  std::vector<int32_t>
      dy;  // for each output the index of its gradient among the node's inputs, or -1
  // The node of the operation itself.
  std::weak_ptr<Graph> graph;
  NodeId node = -1;
};

// The operation that a node differentiates; null for other nodes.
const DifferentiatedOperation* differentiated_operation(const Node& node);

// Throws Unimplemented if the graph has a gradient that is deferred because of unknown sizes.
void require_sizes(const Graph& graph);

// The backward step of a node that runs an operation. It adds a node to the graph that is being
// built at that time. The inputs of that node are the values that the gradient reads, and the
// shapes of the other tensors.
std::shared_ptr<BackwardFunction> operation_backward(GraphPtr graph, NodeId id);

}  // namespace ef::graph
