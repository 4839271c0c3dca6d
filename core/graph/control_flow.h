// Nodes of conditionals and loops, which contain graphs.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "graph/call.h"

namespace ef::graph {

// Adds a node that runs one of the branches. These have no inputs but captures, and results of the
// same dtypes. `index` is a boolean, where true selects the first branch, or an int32, where a
// value out of range selects the last one. Throws a TypeError if dtypes or numbers of results
// differ.
TensorList add_choice(Graph& graph, const Tensor& index, std::span<const CallablePtr> branches,
                      std::string_view name);

struct Loop {
  GraphPtr condition;  // its inputs are the variables; its result is a boolean
  GraphPtr body;       // has the same inputs; its results are their next values
  Tensor limit;        // of iterations, an integer scalar; or empty
};

// Adds a node that runs the body as long as the condition holds. Returns the last values of the
// variables, with the specs of the body's inputs.
TensorList add_loop(Graph& graph, const Loop& loop, std::span<const Tensor> variables,
                    std::string_view name);

// The parts of a loop's node. Captures are indices of the node's inputs; a limit is the input
// behind the variables.
struct LoopParts {
  const Graph* condition;
  const Graph* body;
  const std::vector<size_t>* condition_captures;
  const std::vector<size_t>* body_captures;
  size_t variables;
  bool limited;
};
std::optional<LoopParts> loop_of(const Node& node);
// Whether a node is a conditional: it runs one of its graphs, selected by its first input.
bool is_choice(const Node& node);

}  // namespace ef::graph
