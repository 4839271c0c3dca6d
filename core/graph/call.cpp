// Nodes that run another graph.
#include "graph/call.h"

#include <algorithm>

#include "eager/tape.h"
#include "graph/random_streams.h"
#include "graph/record.h"
#include "graph/variables.h"

namespace ef::graph {
namespace {

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
    TensorList own(inputs);
    consume(own, outputs);
  }
  void consume(std::span<Tensor> inputs, TensorList& outputs) const override {
    const CalledFrom here(this);
    if (variables_.empty()) return callee_->plan().consume(inputs, outputs);
    const SwappedVariables swapped(variables_);
    callee_->plan().consume(inputs, outputs);
  }

 private:
  CallablePtr callee_;
  VariablePairs variables_;
};

}  // namespace

bool any_effects(const Graph& graph) {
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (graph.node(id).has_effects()) return true;
  }
  return false;
}

Callable::Callable(GraphPtr graph)
    : graph_(std::move(graph)),
      has_effects_(any_effects(*graph_)),
      plan_(*graph_, graph_->outputs()) {
  for (NodeId id = 0; id < graph_->size(); ++id) {
    for (const VariableRef& variable : graph_->node(id).variables()) {
      if (variable->trainable()) variables_.emplace_back(*variable);
    }
  }
}

bool Callable::is_watched(std::span<const Tensor> inputs) const {
  return std::ranges::any_of(active_tapes(), [&](const Tape* tape) {
    return (tape->watches_accessed_variables() && !variables_.empty()) ||
           std::ranges::any_of(variables_,
                               [&](const VariableRef& v) { return tape->watches(*v); }) ||
           std::ranges::any_of(
               inputs, [&](const Tensor& t) { return tape->knows(t.impl()->id_or_zero()); });
  });
}

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
