// The names of nodes that the program does not name.
#pragma once

#include <string_view>

#include "ops/attrs.h"

namespace ef::graph {

// TensorFlow names a node by the function that adds it: "stack", where the operation is "Pack".
std::string_view default_node_name(const Op& op);

// Whether TensorFlow's function adds the node in a scope that has the name it is given.
bool is_in_scope_of_name(const Op& op);

}  // namespace ef::graph
