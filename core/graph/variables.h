// Nodes that read and change variables.
#pragma once

#include "eager/variable.h"
#include "graph/graph.h"

namespace ef::graph {

enum class Change : uint8_t { kReplace, kAdd, kSubtract };

// Adds a node that reads the variable when it runs; its result.
Tensor add_read(Graph& graph, Variable& variable);
// Adds a node that changes the variable. The caller has checked the dtype.
void add_assign(Graph& graph, Variable& variable, Change change, const Tensor& value);

// The variable that a node reads or changes; null for other nodes.
Variable* variable_of(const Node& node);

}  // namespace ef::graph
