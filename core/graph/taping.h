// Gradients of nodes that run functions. The node keeps the tape of its run as one more output, and
// a later node goes back through it. Nothing runs twice, and the tape holds only the values that
// the gradient reads.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "eager/tape.h"
#include "graph/graph.h"

namespace ef::graph {

// Records a node that runs a function on tapes.
void record_function(Graph& graph, NodeId id, std::span<const Tensor> inputs,
                     std::span<Tape* const> tapes);

// Whether a tensor of a graph is the tape of a node's run.
bool is_tape(const Tensor& tensor);

// The node that keeps a tape, and its graph.
std::pair<GraphPtr, NodeId> origin_of(const Tensor& tape);

// The gradient that a node computes by going back through the tape of another node.
struct TapedRun {
  struct Wanted {
    // The inputs of the run, then the variables that it reads. If the run itself goes back through
    // another run, the sources of that one come first.
    size_t source;
    DType row_indices;  // kInvalid unless the gradient is rows: values, then indices
  };
  // The node that keeps the tape, and its graph: the node's own or one outside of it.
  GraphPtr graph;
  NodeId node = 0;
  const std::vector<Wanted>* wanted = nullptr;
  // The outputs of the run that have gradients.
  const std::vector<size_t>* given = nullptr;
};

// The run that a node of a graph goes back through, which may itself go back through another run of
// its graph. Nothing for other nodes.
std::optional<TapedRun> taped_run(Graph& graph, const Node& node);

// The function that a node runs, with or without keeping its tape.
const NodeFunction& plain_function(const Node& node);

}  // namespace ef::graph
