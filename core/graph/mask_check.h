// Masks whose sizes are checked when they run.
#pragma once

#include "graph/graph.h"

namespace ef::graph {

// A mask that has the sizes of the axes that it indexes, an integer vector, the first of which is
// `axis`. Adds a node that raises an InvalidArgumentError where it has others.
Tensor add_mask_check(Graph& graph, const Tensor& mask, const Tensor& sizes, int64_t axis);

}  // namespace ef::graph
