// Nodes of programs' graphs that return their inputs, or nothing.
#pragma once

#include <string>

#include "graph/graph.h"
#include "tensor/tensor.h"

namespace ef::graph {

// Adds a node that does nothing.
void add_no_op(Graph& graph, const std::string& name);

// Adds a node that returns the value. The value does not count as known, because sessions may feed
// another one of this shape.
Tensor add_placeholder_with_default(Graph& graph, const Tensor& value, const Shape& shape,
                                    const std::string& name);

}  // namespace ef::graph
