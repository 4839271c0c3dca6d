// Results with a gradient of their own.
#pragma once

#include <memory>
#include <vector>

#include "eager/tape.h"
#include "graph/call.h"

namespace ef::graph {

// The backward step of a custom gradient.
struct CustomStep {
  // What the outputs of the graph are: for each argument and then each variable nothing, a
  // gradient, or the values and the indices of rows.
  enum class Kind : uint8_t { kNone, kDense, kRows };

  CallablePtr graph;  // a function of one gradient per result
  // What the host language has for the graph, which lives as long.
  std::shared_ptr<void> owner;
  std::vector<Kind> kinds;
  std::vector<Variable*> variables;
  // Instead of a graph, what raises the error that its tracing raised.
  std::shared_ptr<BackwardFunction> failure;
};

// What a node of add_custom_gradient consists of: its inputs are the results' values, the
// arguments, and what the step's graph captures.
struct CustomGradientParts {
  const CustomStep* step = nullptr;
  size_t num_results = 0;
};
// Null as the step if the node is another one.
CustomGradientParts custom_gradient_parts(const Node& node);

// Adds a node whose results have the values of `results`, and gradients with respect to the
// arguments and variables as the step says. As the operations that compute the values are nodes of
// the graph, too, tensors that are no arguments keep their gradients where no argument is watched.
TensorList add_custom_gradient(Graph& graph, std::span<const Tensor> results,
                               std::span<const Tensor> arguments, CustomStep step);

}  // namespace ef::graph
