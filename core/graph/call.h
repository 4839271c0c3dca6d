// Nodes that run another graph.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "graph/connections.h"
#include "graph/graph.h"
#include "graph/plan.h"
#include "graph/variables.h"

namespace ef::graph {

// Whether a node of the graph has effects.
bool any_effects(const Graph& graph);
// Whether a node of the graph, or of graphs that it runs, may run code of the host language.
bool needs_host(const Graph& graph);

// A finished graph and how it runs.
class Callable {
 public:
  explicit Callable(GraphPtr graph);

  const Graph& graph() const { return *graph_; }
  const GraphPtr& graph_ptr() const { return graph_; }
  bool has_effects() const { return has_effects_; }
  bool needs_host() const { return needs_host_; }
  const Plan& plan() const { return plan_; }
  // Whether tapes watch inputs, captures or variables of a call.
  bool is_watched(std::span<const Tensor> inputs) const;
  // Tells the tapes after a call, which have recorded its operations, what its outputs are
  // connected with. As in TensorFlow, the gradient by a source that this call did not need is zero.
  void record_connections(std::span<const Tensor> inputs, std::span<const Tensor> outputs) const;
  const Connections& connections() const { return connections_; }

  // A compiled program that runs in place of the plan, given inputs and captures. May be empty.
  using Program = std::function<void(std::span<const Tensor> arguments, TensorList& outputs)>;
  const Program& program() const { return program_; }
  void set_program(Program program) { program_ = std::move(program); }

 private:
  GraphPtr graph_;
  bool has_effects_;
  bool needs_host_;
  Plan plan_;
  Connections connections_;
  Program program_;
};
using CallablePtr = std::shared_ptr<const Callable>;

// Adds a node that runs the callee on `inputs`. The call uses other variables in place of those
// that the callee was traced with.
TensorList add_graph_call(Graph& graph, const CallablePtr& callee, std::span<const Tensor> inputs,
                          VariablePairs variables = {});
// The same; `inputs` include the captures.
TensorList add_whole_call(Graph& graph, const CallablePtr& callee, std::span<const Tensor> inputs,
                          VariablePairs variables = {});
// The graph that a node calls; null for other nodes.
const Graph* callee_of(const Node& node);

// Appends the values of a graph's captures, for a call in `graph`, which is being built.
void append_captures(const Graph& callee, TensorList& inputs);

}  // namespace ef::graph
