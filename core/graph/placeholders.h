// Nodes of programs' graphs that return what they are given, or nothing.
#pragma once

#include <string>

#include "graph/graph.h"
#include "tensor/tensor.h"

namespace ef::graph {

// Adds a node that does nothing.
void add_no_op(Graph& graph, const std::string& name);

// Adds a node that returns the value, which does not count as known: sessions may give another one,
// of this shape.
Tensor add_placeholder_with_default(Graph& graph, const Tensor& value, const Shape& shape,
                                    const std::string& name);

}  // namespace ef::graph
