// Infers values while tracing.
#pragma once

#include <optional>
#include <span>

#include "graph/graph.h"
#include "ops/attrs.h"

namespace ef::graph {

// Sets the values, or the values of elements, of an operation's outputs that are known from its
// inputs.
void find_values(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs, bool late,
                 std::span<const Tensor> outputs);

// The elements of an integer scalar or vector, kUnknownInt for unknown ones. Nothing for other
// tensors, or if the number of elements is unknown.
std::optional<Ints> known_numbers(const Tensor& tensor);

// Sets the elements of a symbolic integer scalar or vector, kUnknownInt for unknown ones. If all
// are known, the tensor has a value.
void set_known_numbers(const Tensor& tensor, const Ints& numbers);

}  // namespace ef::graph
