// What lists of tensors hold, as far as that is known while a graph is traced for a program.
#pragma once

#include <span>

#include "graph/graph.h"

namespace ef::graph {

// What is known of a list; of one without a value and without a known spec, nothing.
ListSpec known_list(const Tensor& tensor);

// Refines what an operation on lists gives, and returns what its first output holds, if that is a
// list.
ListSpec infer_lists(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs, SpecList& specs);

// Gives outputs the values that follow from what a list holds.
void find_list_values(const Op& op, const ListSpec& list, std::span<const Tensor> outputs);

// What two lists have in common, of which a loop or a choice gives one.
ListSpec common(const ListSpec& a, const ListSpec& b);

}  // namespace ef::graph
