// Nodes that run another graph.
#include "graph/call.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "eager/tape.h"
#include "eager/variable.h"
#include "graph/random_streams.h"
#include "graph/record.h"
#include "graph/specialize.h"
#include "graph/static_value.h"
#include "graph/variables.h"
#include "ops/infer_context.h"

namespace ef::graph {
namespace {

class Call final : public NodeFunction {
 public:
  using Variables = std::shared_ptr<const VariablePairs>;

  Call(CallablePtr callee, Variables variables)
      : callee_(std::move(callee)), variables_(std::move(variables)) {}
  // Of the results, only those that `read` marks.
  Call(const Call& whole, std::span<const char> read)
      : callee_(whole.callee_),
        variables_(whole.variables_),
        part_(std::make_unique<PartialPlan>(callee_->graph(), read)),
        place_(whole.place_) {}

  const Graph& callee() const { return callee_->graph(); }
  std::vector<const Graph*> graphs() const override { return {&callee_->graph()}; }

  const char* type() const override {
    return callee_->has_effects() ? "StatefulPartitionedCall" : "PartitionedCall";
  }
  bool has_effects() const override { return callee_->has_effects(); }
  bool needs_host() const override { return callee_->needs_host(); }
  std::span<const std::pair<VariableRef, VariableRef>> exchanged() const override {
    return *variables_;
  }
  std::vector<Variable*> reads() const override {
    std::vector<Variable*> result = callee_->connections().variables;
    for (Variable*& variable : result) {
      const auto swapped = std::ranges::find(*variables_, variable,
                                             [](const auto& pair) { return pair.first.get(); });
      if (swapped != variables_->end()) variable = swapped->second.get();
    }
    return result;
  }
  bool connects(size_t source) const override { return callee_->connections().connected[source]; }
  DType row_indices(size_t source) const override {
    return callee_->connections().row_indices[source];
  }
  void run(std::span<const Tensor> inputs, TensorList& outputs) const override {
    TensorList own(inputs);
    consume(own, outputs);
  }
  void consume(std::span<Tensor> inputs, TensorList& outputs) const override {
    // A call that a tape records runs operation by operation, and so does a call with other
    // variables.
    if (callee_->program() && variables_->empty() && !callee_->is_watched(inputs)) {
      return callee_->program()(inputs, outputs);
    }
    const CalledFrom here(place_);
    if (variables_->empty()) return run_plan(inputs, outputs);
    const SwappedVariables swapped(*variables_);
    run_plan(inputs, outputs);
  }
  std::shared_ptr<const NodeFunction> returning(std::span<const char> read) const override {
    return std::make_shared<Call>(*this, read);
  }
  // Adds the callee's nodes in place of the call.
  void retrace(Graph&, std::span<const Tensor> inputs, TensorList& outputs) const override {
    const SwappedVariables swapped(*variables_);
    outputs = replayed(callee_->graph(), inputs);
  }

 private:
  void run_plan(std::span<Tensor> inputs, TensorList& outputs) const {
    if (part_) return part_->consume(inputs, outputs);
    callee_->plan().consume(inputs, outputs);
  }

  CallablePtr callee_;
  Variables variables_;
  std::unique_ptr<const PartialPlan> part_;  // null if all results are read
  const void* place_ = this;                 // random streams continue, whichever results are read
};

// Whether the arguments add no facts about the outputs: sizes, and integers that other operations
// use as sizes, are already known.
bool all_known(const Graph& callee) {
  return std::ranges::all_of(callee.outputs(), [](const Tensor& output) {
    const bool may_be_sizes = is_integer(output.dtype()) && output.shape().rank() <= 1;
    return output.shape().fully_known() && !may_be_sizes;
  });
}

// Infers the outputs of a call from its arguments and captures. The callee may have been traced for
// more general ones.
class CallInference {
 public:
  explicit CallInference(const Graph& callee) : callee_(callee), values_(size_t(callee.size())) {}

  TensorList outputs(std::span<const Tensor> arguments) {
    size_t index = 0;
    const auto bind = [&](const Tensor& placeholder) {
      values_[static_cast<size_t>(symbol_of(placeholder)->port().node)].push_back(
          arguments[index++]);
    };
    for (const Tensor& input : callee_.inputs()) bind(input);
    for (const Capture& capture : callee_.captures()) bind(capture.inner);
    for (NodeId id = 0; id < callee_.size(); ++id) {
      TensorList& results = values_[static_cast<size_t>(id)];
      if (results.empty()) infer(callee_.node(id), results);
    }
    TensorList outputs;
    for (const Tensor& output : callee_.outputs())
      outputs.push_back(get(symbol_of(output)->port()));
    return outputs;
  }

 private:
  const Tensor& get(const Port& port) const {
    return values_[static_cast<size_t>(port.node)][static_cast<size_t>(port.output)];
  }

  void infer(const Node& node, TensorList& results) const {
    TensorList inputs;
    for (const Port& port : node.inputs) inputs.push_back(get(port));
    if (const Graph* const callee = callee_of(node); callee && !all_known(*callee)) {
      results = CallInference(*callee).outputs(inputs);
      return;
    }
    if (!node.op) {
      results = node.outputs;
      return;
    }
    bool late = false;
    const SavedAttrs attrs = known_attrs(node, inputs, late);
    const auto own = std::span(inputs).first(static_cast<size_t>(node.num_op_inputs));
    for (const TensorSpec& spec : ef::infer(*node.op, own, attrs, true))
      results.push_back(symbolic(spec));
    find_values(*node.op, own, attrs, late, results);
  }

  const Graph& callee_;
  std::vector<TensorList> values_;  // by node
};

}  // namespace

bool any_effects(const Graph& graph) {
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (graph.node(id).has_effects()) return true;
  }
  return false;
}

bool needs_host(const Graph& graph) {
  for (NodeId id = 0; id < graph.size(); ++id) {
    const NodeFunction* const function = graph.node(id).function.get();
    if (function && function->needs_host()) return true;
  }
  return false;
}

Callable::Callable(GraphPtr graph)
    : graph_(std::move(graph)),
      has_effects_(any_effects(*graph_)),
      needs_host_(graph::needs_host(*graph_)),
      plan_(*graph_, graph_->outputs()),
      connections_(find_connections(*graph_)) {}

namespace {

bool is_known(const Tape& tape, const Tensor& tensor) {
  return tape.knows(tensor.impl()->id_or_zero());
}

// Connects outputs of a call with its sources on the tapes of one direction.
void connect(const Graph& callee, const Connections& connections, std::span<const Tensor> inputs,
             std::span<const Tensor> outputs, bool forward) {
  std::vector<Tape::Source> sources;
  size_t index = 0;
  const auto add = [&](uint64_t id, DType dtype, const Shape& shape) {
    if (connections.connected[index++] && id) sources.push_back({id, dtype, shape});
  };
  const auto add_tensor = [&](const Tensor& tensor) {
    add(tensor.impl()->id_or_zero(), tensor.dtype(), tensor.shape());
  };
  for (const Tensor& input : inputs.first(callee.inputs().size())) add_tensor(input);
  for (const Capture& capture : callee.captures()) add_tensor(capture.outer);
  for (Variable* const traced : connections.variables) {
    const Variable& variable = SwappedVariables::find(*traced);
    add(variable.id(), variable.dtype(), variable.shape());
  }
  for (Tape* const tape : active_tapes()) {
    if (tape->is_forward() == forward) tape->connect(sources, outputs);
  }
}

}  // namespace

bool Callable::is_watched(std::span<const Tensor> inputs) const {
  return std::ranges::any_of(active_tapes(), [&](const Tape* tape) {
    return std::ranges::any_of(connections_.variables,
                               [&](const Variable* v) { return tape->watches_reads_of(*v); }) ||
           std::ranges::any_of(inputs, [&](const Tensor& t) { return is_known(*tape, t); }) ||
           std::ranges::any_of(graph_->captures(),
                               [&](const Capture& c) { return is_known(*tape, c.outer); });
  });
}

void Callable::record_connections(std::span<const Tensor> inputs,
                                  std::span<const Tensor> outputs) const {
  if (!connections_.conditional) return;
  for (Variable* const traced : connections_.variables) {
    // A branch that did not run has not read it.
    for (Tape* const tape : active_tapes()) tape->watch_read(SwappedVariables::find(*traced));
  }
  connect(*graph_, connections_, inputs, outputs, false);
  if (std::ranges::none_of(active_tapes(), &Tape::is_forward)) return;
  // Backward, the outputs of a call have one gradient; forward, each has derivatives of its own.
  for (size_t j = 0; j < outputs.size(); ++j) {
    const Connections own = find_connections(*graph_, {&graph_->outputs()[j], 1});
    connect(*graph_, own, inputs, outputs.subspan(j, 1), true);
  }
}

void append_captures(const Graph& callee, TensorList& inputs) {
  for (const Capture& capture : callee.captures()) inputs.push_back(capture.outer);
}

TensorList add_whole_call(Graph& graph, const CallablePtr& callee, std::span<const Tensor> inputs,
                          VariablePairs variables) {
  TensorList found(callee->graph().outputs());
  if (!all_known(callee->graph())) {
    try {
      found = CallInference(callee->graph()).outputs(inputs);
    } catch (const Error&) {
      // The call raises this error when it runs, with the operation's line in its message.
    }
  }
  SpecList specs;
  for (const Tensor& output : found) specs.push_back({output.dtype(), output.shape()});
  const auto call =
      std::make_shared<Call>(callee, std::make_shared<const VariablePairs>(std::move(variables)));
  TensorList outputs = add_function(graph, call, inputs, specs, call->type());
  for (size_t k = 0; k < outputs.size(); ++k) {
    const std::optional<Ints> numbers = known_numbers(found[k]);
    Symbol* const symbol = symbol_of(outputs[k]);
    if (numbers && !symbol->numbers()) symbol->set_numbers(*numbers);
  }
  return outputs;
}

TensorList add_graph_call(Graph& graph, const CallablePtr& callee, std::span<const Tensor> inputs,
                          VariablePairs variables) {
  TensorList all(inputs);
  append_captures(callee->graph(), all);
  return add_whole_call(graph, callee, all, std::move(variables));
}

const Graph* callee_of(const Node& node) {
  const auto* const call = dynamic_cast<const Call*>(node.function.get());
  return call ? &call->callee() : nullptr;
}

}  // namespace ef::graph
