// The names of nodes that the program does not name.
#pragma once

#include <string_view>

#include "ops/op.h"

namespace ef::graph {

// TensorFlow names a node by the function that adds it: "stack", where the operation is "Pack".
std::string_view default_node_name(const Op& op);

}  // namespace ef::graph
