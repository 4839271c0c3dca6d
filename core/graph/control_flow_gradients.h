// Gradients of choices and loops as choices and loops, in graphs that programs are written from.
//
// A branch, or an iteration, is computed again for its gradient: of a loop only the variables are
// kept, those at the beginning of each iteration. (Where graphs run node by node, tapes are kept
// instead: graph/taping.h.)
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "eager/tape.h"
#include "graph/control_flow.h"

namespace ef::graph {

// Records a choice on tapes: its inputs, which of them each branch captures, and its outputs.
void record_choice(std::span<const CallablePtr> branches,
                   std::span<const std::vector<size_t>> captures, std::span<Tape* const> tapes,
                   std::span<const Tensor> inputs, std::span<const Tensor> outputs);

// How many iterations a loop makes, if that follows from what is known; at most `most`.
std::optional<int64_t> known_iterations(const Loop& loop, std::span<const Tensor> variables,
                                        int64_t most);

// Whether the gradient of a loop can be a loop: it has no effects, shapes are known, and what an
// iteration reads of lists that it changes is nothing.
bool is_reversible(const Loop& loop);

// Adds a loop of at most `bound` iterations, recorded on the active tapes; the last values of its
// variables.
TensorList add_reversible_loop(Graph& graph, const Loop& loop, std::span<const Tensor> variables,
                               int64_t bound);

}  // namespace ef::graph
