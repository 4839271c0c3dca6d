// Parts of graphs.
#pragma once

#include <span>

#include "graph/graph.h"
#include "tensor/tensor.h"

namespace ef::graph {

// Builds `part`, a new graph, of the nodes that give `fetches` when `feeds`, its inputs, are known.
// Throws an IndexError with the name of a placeholder that is needed and not fed.
void prune(Graph& graph, std::span<const Tensor> feeds, std::span<const Tensor> fetches,
           Graph& part);

// The value that a tensor has for these inputs of its graph, which may be unfinished; only what it
// needs is run. If there are no inputs, it must not depend on any. Throws an IndexError as above.
Tensor evaluated(Graph& graph, const Tensor& tensor, std::span<const Tensor> inputs);

}  // namespace ef::graph
