// The sources of a graph that its outputs depend on.
#pragma once

#include <span>
#include <vector>

#include "graph/graph.h"
#include "tensor/dtype.h"

namespace ef::graph {

// Sources are the inputs of a graph, its captures, and the variables that it reads.
struct Connections {
  std::vector<Variable*> variables;
  std::vector<char> connected;     // by source: whether a differentiable path leads to an output
  std::vector<DType> row_indices;  // by source: see NodeFunction
  // Whether a call may compute outputs without a source that is connected: another output depends
  // on it, or a branch that is not taken.
  bool conditional = false;
};

Connections find_connections(const Graph& graph);
// The same for some of the graph's outputs.
Connections find_connections(const Graph& graph, std::span<const Tensor> outputs);

// Appends the variables that `result` lacks.
void add_missing(std::span<Variable* const> variables, std::vector<Variable*>& result);

}  // namespace ef::graph
