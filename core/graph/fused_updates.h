// Nodes that apply an optimizer's update to variables.
#pragma once

#include <span>
#include <vector>

#include "eager/fused_update.h"
#include "graph/graph.h"

namespace ef::graph {

// The hyperparameters of a rule in its order; some may be scalars of the graph.
struct Hyperparameters {
  cpu::OptimizerStep (*make)(std::span<const double> numbers);
  std::vector<double> numbers;
  std::vector<Tensor> symbolic;  // empty where the value is known
};

// Adds a node that updates the targets, whose gradients and rows may be symbolic.
void add_update(Graph& graph, const char* type, const Hyperparameters& hyperparameters,
                std::span<const UpdateTarget> targets);

}  // namespace ef::graph
