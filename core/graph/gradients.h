// tf.gradients: derivatives of a graph's tensors after they were computed.
#pragma once

#include <span>
#include <vector>

#include "eager/tape.h"
#include "graph/graph.h"

namespace ef::graph {

// A tensor or a variable.
struct DifferentiatedBy {
  Tensor tensor;
  Variable* variable = nullptr;
};

// The nodes from `begin` on belong to the gradient of a node, as far as to the next such entry.
struct GradientNodes {
  NodeId begin;
  NodeId of;
};

// Adds nodes that compute the gradients of the sum of `ys`, weighted by `weights` (empty tensors
// count as ones), with respect to `xs`. `constants` count as independent of their operands. With
// `origins`, they are placed on the devices of the nodes whose gradients they compute, and those
// are reported.
std::vector<Gradient> gradients(Graph& graph, std::span<const Tensor> ys,
                                std::span<const Tensor> weights,
                                std::span<const DifferentiatedBy> xs,
                                std::span<const Tensor> constants,
                                std::vector<GradientNodes>* origins = nullptr);

}  // namespace ef::graph
