// Nodes with graphs inside: choices and loops.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "graph/call.h"

namespace ef::graph {

// Adds a node that runs one of the branches, which have no inputs but captures, and results of the
// same dtypes. `index` is a boolean, of which true chooses the first branch, or an int32, whose
// other values choose the last one. Throws a TypeError if dtypes or numbers of results differ.
TensorList add_choice(Graph& graph, const Tensor& index, std::span<const CallablePtr> branches,
                      std::string_view name);

struct Loop {
  GraphPtr condition;  // its inputs are the variables; its result is a boolean
  GraphPtr body;       // has the same inputs; its results are their next values
  Tensor limit;        // of iterations, an integer scalar; or empty
};

// Adds a node that runs the body as long as the condition holds; the last values of the variables,
// with the specs of the body's inputs.
TensorList add_loop(Graph& graph, const Loop& loop, std::span<const Tensor> variables,
                    std::string_view name);

// What a node that is a loop consists of. Captures say which inputs of the node they are; a limit
// is the input behind the variables.
struct LoopParts {
  const Graph* condition;
  const Graph* body;
  const std::vector<size_t>* condition_captures;
  const std::vector<size_t>* body_captures;
  size_t variables;
  bool limited;
};
std::optional<LoopParts> loop_of(const Node& node);
// Whether a node runs one of its graphs, which its first input chooses.
bool is_choice(const Node& node);

}  // namespace ef::graph
