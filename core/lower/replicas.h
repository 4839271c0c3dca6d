// Graphs of a strategy's replicas, which hold the operations of all of them, as one program that
// every replica runs on its device.
//
// The program has the operations of the first replica. The operations of all others are matched
// with them, from the variables' new values and the function's outputs back to its arguments: they
// must be the same operations, on the variables and arguments of the other replica. Sums over a
// value of each replica become all-reduces, and concatenations become all-gathers.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "eager/variable_ref.h"
#include "graph/graph.h"

namespace ef::lower {

struct Replicas {
  // A value for each replica, in their order: ports of the same node if they share it.
  using Ports = std::vector<graph::Port>;

  const graph::Graph* graph = nullptr;
  size_t count = 0;
  // Arguments of the program: placeholders, parts of placeholders that are cut for the replicas,
  // and known values that differ. The port of the first replica comes first.
  std::vector<Ports> arguments;
  // Variables that the graph uses: the copy of each replica, or one that they share.
  std::vector<std::vector<Variable*>> variables;
  std::set<graph::NodeId> sums, gathers;  // of a value of each replica
  std::vector<char> skipped;              // nodes that change variables of the other replicas
  // The sources of outputs of the graph, and of ports for the host: a port of the first replica,
  // and the replica that has the value.
  std::vector<std::pair<graph::Port, size_t>> outputs, for_host;

  bool is_sum(const graph::Graph& of, graph::NodeId id) const {
    return &of == graph && sums.contains(id);
  }
  bool is_gather(const graph::Graph& of, graph::NodeId id) const {
    return &of == graph && gathers.contains(id);
  }
};

// Throws Unimplemented, with the reason, if the replicas do not do the same. `skipped` are nodes
// that the program leaves to the host, which asks for `for_host`.
Replicas match_replicas(const graph::Graph& graph, std::span<const char> skipped,
                        std::span<const graph::Port> for_host);

// The variables that the nodes of a graph use, or only those that they change.
void collect_variables(const graph::Graph& graph, bool changed, std::vector<Variable*>& found);

}  // namespace ef::lower
