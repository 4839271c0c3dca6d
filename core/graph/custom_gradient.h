// Results with a gradient of their own.
#pragma once

#include <memory>
#include <vector>

#include "eager/tape.h"
#include "graph/call.h"

namespace ef::graph {

// The backward step of a custom gradient.
struct CustomStep {
  // The outputs of the graph. Each argument and then each variable has no output, a gradient, or
  // two outputs: the values and the indices of rows.
  enum class Kind : uint8_t { kNone, kDense, kRows };

  CallablePtr graph;  // a function of one gradient per result
  // The host language's object for the graph, kept alive here.
  std::shared_ptr<void> owner;
  std::vector<Kind> kinds;
  std::vector<Variable*> variables;
  // Instead of a graph, a function that raises the error of its tracing.
  std::shared_ptr<BackwardFunction> failure;
};

// The parts of a node of add_custom_gradient. Its inputs are the results' values, the arguments,
// and the captures of the step's graph.
struct CustomGradientParts {
  const CustomStep* step = nullptr;
  size_t num_results = 0;
};
// The step is null for other nodes.
CustomGradientParts custom_gradient_parts(const Node& node);

// Adds a node whose results have the values of `results`. The step computes the gradients with
// respect to the arguments and variables. The operations that compute the values are nodes of the
// graph, too, so other tensors have gradients if no argument is watched.
TensorList add_custom_gradient(Graph& graph, std::span<const Tensor> results,
                               std::span<const Tensor> arguments, CustomStep step);

}  // namespace ef::graph
