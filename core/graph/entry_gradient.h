// The gradient of an operation from the op table, recorded for tensors whose sizes are unknown.
#pragma once

#include <span>
#include <vector>

#include "graph/graph.h"

namespace ef::graph {

// Whether the op table has a gradient of a node's operation that can be recorded for unknown sizes.
bool has_entry_gradient(const Node& node);

// The gradient with respect to one input; empty if there is none.
struct EntryGradient {
  Tensor values;
  // Whether the input may have been broadcast: the caller sums over the axes that this stretched.
  bool unsummed = false;
};

// Adds the nodes of the op table's gradient of a node's operation to the graph that is being built.
// `dy` has one gradient per output; `x` and `y` are the node's inputs, with those that provide
// attributes, and its outputs. The result has one gradient per input of the operation.
std::vector<EntryGradient> entry_gradient(const Node& node, std::span<const char> wanted,
                                          std::span<const Tensor> dy, std::span<const Tensor> x,
                                          std::span<const Tensor> y);

}  // namespace ef::graph
