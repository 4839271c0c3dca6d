// What is known of values while tracing.
#pragma once

#include <optional>
#include <span>

#include "graph/graph.h"

namespace ef::graph {

// Gives the outputs of an operation the values, or numbers, that follow from its inputs.
void find_values(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs, bool late,
                 std::span<const Tensor> outputs);

// The numbers of an integer scalar or vector as far as they are known (else kUnknownInt); nothing
// if not even their count is known, or for other tensors.
std::optional<Ints> known_numbers(const Tensor& tensor);

// Says which numbers a symbolic integer scalar or vector holds, kUnknownInt where that is unknown.
// If all are known, it has a value.
void set_known_numbers(const Tensor& tensor, const Ints& numbers);

}  // namespace ef::graph
