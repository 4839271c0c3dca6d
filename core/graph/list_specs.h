// Inferred specs of lists of tensors, for graphs that become devices' programs.
#pragma once

#include <span>

#include "graph/graph.h"
#include "ops/attrs.h"
#include "tensor/tensor.h"
#include "tensor/tensor_spec.h"

namespace ef::graph {

// The spec of a list; empty for a list without a value and without a known spec.
ListSpec known_list(const Tensor& tensor);

// Refines the specs of an operation on lists, and returns the spec of its first output if that is a
// list.
ListSpec infer_lists(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs, SpecList& specs);

// Sets the values of outputs that are known from the specs of lists.
void find_list_values(const Op& op, const ListSpec& list, std::span<const Tensor> outputs);

// The common spec of two lists, one of which a loop or a conditional returns.
ListSpec common(const ListSpec& a, const ListSpec& b);

}  // namespace ef::graph
