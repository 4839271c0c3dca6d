// Gradients of nodes that run functions: the node keeps the tape of its run as one more output,
// and a later node goes back through it. Nothing runs twice, and the tape has only what the
// gradient reads.
#pragma once

#include <span>

#include "eager/tape.h"
#include "graph/graph.h"

namespace ef::graph {

// Records a node that runs a function on tapes.
void record_function(Graph& graph, NodeId id, std::span<const Tensor> inputs,
                     std::span<Tape* const> tapes);

// Whether a tensor of a graph is the tape of a node's run.
bool is_tape(const Tensor& tensor);

}  // namespace ef::graph
