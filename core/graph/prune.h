// Subgraphs, and values of a graph's tensors.
#pragma once

#include <span>

#include "graph/graph.h"
#include "tensor/tensor.h"

namespace ef::graph {

// Builds `part`, a new graph, of the nodes that compute `fetches` from `feeds`, its inputs; if
// `effects`, also of those with effects. Throws an IndexError with the name of a placeholder that
// is needed and not fed.
void prune(Graph& graph, std::span<const Tensor> feeds, std::span<const Tensor> fetches,
           Graph& part, bool effects = false);

// The value of a tensor for these inputs of its graph, which may be unfinished; runs only the nodes
// that the tensor needs. If `inputs` is empty, the tensor must not depend on inputs. Throws an
// IndexError as above.
Tensor evaluated(Graph& graph, const Tensor& tensor, std::span<const Tensor> inputs);

}  // namespace ef::graph
