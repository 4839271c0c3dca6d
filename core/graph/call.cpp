// Nodes that run another graph.
#include "graph/call.h"

#include <algorithm>

#include "graph/record.h"

namespace ef::graph {
namespace {

bool any_effects(const Graph& graph) {
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (graph.node(id).has_effects()) return true;
  }
  return false;
}

class Call final : public NodeFunction {
 public:
  Call(CallablePtr callee, VariablePairs variables)
      : callee_(std::move(callee)), variables_(std::move(variables)) {}

  const Graph& callee() const { return callee_->graph(); }

  const char* type() const override {
    return callee_->has_effects() ? "StatefulPartitionedCall" : "PartitionedCall";
  }
  bool has_effects() const override { return callee_->has_effects(); }
  void run(std::span<const Tensor> inputs, TensorList& outputs) const override {
    if (variables_.empty()) return callee_->plan().run(inputs, outputs);
    const SwappedVariables swapped(variables_);
    callee_->plan().run(inputs, outputs);
  }

 private:
  CallablePtr callee_;
  VariablePairs variables_;
};

}  // namespace

Callable::Callable(GraphPtr graph)
    : graph_(std::move(graph)),
      has_effects_(any_effects(*graph_)),
      plan_(*graph_, graph_->outputs()) {}

void append_captures(const Graph& callee, TensorList& inputs) {
  for (const Capture& capture : callee.captures()) inputs.push_back(capture.outer);
}

TensorList add_graph_call(Graph& graph, const CallablePtr& callee, std::span<const Tensor> inputs,
                          VariablePairs variables) {
  SpecList specs;
  for (const Tensor& output : callee->graph().outputs()) {
    specs.push_back({output.dtype(), output.shape()});
  }
  TensorList all(inputs);
  append_captures(callee->graph(), all);
  const auto call = std::make_shared<Call>(callee, std::move(variables));
  return add_function(graph, call, all, specs, call->type());
}

const Graph* callee_of(const Node& node) {
  const auto* const call = dynamic_cast<const Call*>(node.function.get());
  return call ? &call->callee() : nullptr;
}

}  // namespace ef::graph
