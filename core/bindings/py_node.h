// Nodes of graphs as Python objects.
#pragma once

#include <nanobind/nanobind.h>

#include "graph/graph.h"

namespace ef::py {

// A node, valid as long as its graph lives.
struct PyNode {
  graph::GraphPtr graph;
  graph::NodeId id;
  const graph::Node& node() const { return graph->node(id); }
};

// An attribute as a Python object; None for an optional one without a value.
nanobind::object attr_object(const AttrField& field, AttrsRef attrs);

void add_nodes(nanobind::module_& m);

}  // namespace ef::py
