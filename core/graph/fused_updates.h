// Nodes that update variables as an optimizer does.
#pragma once

#include <span>
#include <vector>

#include "eager/fused_update.h"
#include "graph/graph.h"

namespace ef::graph {

// A rule's hyperparameters in its order, of which some may be scalars of the graph.
struct Hyperparameters {
  cpu::OptimizerStep (*make)(std::span<const double> numbers);
  std::vector<double> numbers;
  std::vector<Tensor> symbolic;  // empty where the number is known
};

// Adds a node that updates the targets, whose gradients and rows may be symbolic.
void add_update(Graph& graph, const char* type, const Hyperparameters& hyperparameters,
                std::span<const UpdateTarget> targets);

}  // namespace ef::graph
