// Comparisons whose shapes may turn out not to broadcast.
#pragma once

#include "graph/graph.h"

namespace ef::graph {

// Whether tensors are equal, element by element, or the scalar false (for `equal`; else true) if
// their shapes do not broadcast. While a graph is built whose shapes do not say so, a node looks
// when it runs.
Tensor equality(const Tensor& a, const Tensor& b, bool equal);

}  // namespace ef::graph
