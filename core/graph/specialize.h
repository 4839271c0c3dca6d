// Traces graphs again with facts that are known when they are called: shapes, and values of
// constants.
//
// Nodes are added again. Calls are replaced by the nodes of the called graph, conditionals by the
// selected branch if the index is known, and deferred gradients by their operations.
#pragma once

#include <span>

#include "graph/graph.h"
#include "tensor/tensor_list.h"
#include "tensor/tensor_spec.h"

namespace ef::graph {

// Adds the nodes of a finished graph to the graph that is being built, with `arguments` in place of
// its inputs and captures. Returns the outputs. Throws the errors of operations for such arguments.
TensorList replayed(const Graph& graph, std::span<const Tensor> arguments);

// Adds a node of another graph to the one that is being built, for these inputs.
void replay_node(const Node& node, std::span<const Tensor> inputs, TensorList& outputs);

// A graph that computes the same for arguments of these specs. All of them are inputs; it has no
// captures.
GraphPtr specialized(const Graph& graph, std::span<const TensorSpec> arguments);
// The same without the nodes of `ports`, whose outputs are inputs behind the arguments, with these
// specs.
GraphPtr specialized(const Graph& graph, std::span<const TensorSpec> arguments,
                     std::span<const NodeId> without, std::span<const Port> ports,
                     std::span<const TensorSpec> given);

}  // namespace ef::graph
