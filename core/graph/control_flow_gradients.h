// Gradients of conditionals and loops as conditionals and loops, in graphs from which programs of
// devices are written.
//
// A branch or an iteration is computed again for its gradient. A loop keeps only its variables at
// the beginning of each iteration. (Graphs that run node by node keep tapes instead:
// graph/taping.h.)
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "eager/tape.h"
#include "graph/control_flow.h"

namespace ef::graph {

// Records a conditional on tapes: its inputs, which of them each branch captures, and its outputs.
void record_choice(std::span<const CallablePtr> branches,
                   std::span<const std::vector<size_t>> captures, std::span<Tape* const> tapes,
                   std::span<const Tensor> inputs, std::span<const Tensor> outputs);

// The number of iterations of a loop, if it can be inferred; at most `most`.
std::optional<int64_t> known_iterations(const Loop& loop, std::span<const Tensor> variables,
                                        int64_t most);

// Whether the gradient of a loop can be a loop: the loop has no effects, shapes are known, and an
// iteration reads no list that it changes.
bool is_reversible(const Loop& loop);

// Adds a loop of at most `bound` iterations, recorded on the active tapes; the last values of its
// variables.
TensorList add_reversible_loop(Graph& graph, const Loop& loop, std::span<const Tensor> variables,
                               int64_t bound);

}  // namespace ef::graph
