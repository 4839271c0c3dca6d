// The names of nodes that the program does not name.
#pragma once

#include <string_view>

#include "ops/attrs.h"

namespace ef::graph {

// TensorFlow names a node after the function that adds it: "stack", where the operation is "Pack".
std::string_view default_node_name(const Op& op);

// Whether TensorFlow's function opens a scope with its `name`, and adds the node inside it.
bool is_in_scope_of_name(const Op& op);

}  // namespace ef::graph
