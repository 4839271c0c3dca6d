// Nodes of graphs as Python objects.
#pragma once

#include <nanobind/nanobind.h>

#include "graph/graph.h"

namespace ef::py {

// A node, as long as its graph lives.
struct PyNode {
  graph::GraphPtr graph;
  graph::NodeId id;
  const graph::Node& node() const { return graph->node(id); }
};

void add_nodes(nanobind::module_& m);

}  // namespace ef::py
