// Running nodes through the dispatch of operations.
#include "session/execution.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "eager/dispatch.h"
#include "ops/compose.h"
#include "ops/elementwise.h"
#include "tensor/error.h"

namespace ef::session {
namespace {

[[noreturn]] void missing_feed(const Node& node) {
  const PartialSpec& spec = node.outputs[0];
  std::string sizes = "<unknown>";
  if (spec.ranked) {
    sizes = "[";
    for (int axis = 0; axis < spec.shape.rank(); ++axis) {
      sizes += axis ? "," : "";
      sizes += spec.shape[axis] < 0 ? "?" : std::to_string(spec.shape[axis]);
    }
    sizes += "]";
  }
  invalid_argument("You must feed a value for placeholder tensor '", node.name, "' with dtype ",
                   dtype_runtime_name(spec.dtype), " and shape ", sizes);
}

}  // namespace

void Store::set(NodeId node, Variable& variable) {
  variable.retain();
  if (Variable* old = std::exchange(variables_[node], &variable)) old->release();
}

Variable* Store::find(NodeId node) const {
  const auto entry = variables_.find(node);
  return entry == variables_.end() ? nullptr : entry->second;
}

void Store::clear() {
  for (const auto& [node, variable] : std::exchange(variables_, {})) variable->release();
}

Execution::Execution(const Graph& graph, const Plan& plan, Store& store, Host& host)
    : graph_(graph),
      plan_(plan),
      store_(store),
      host_(host),
      values_(static_cast<size_t>(plan.num_slots())),
      done_(plan.has_choices() ? plan.num_planned() : 0),
      gradients_left_(plan.num_gradients()) {
  if (gradients_left_ > 0)
    tape_ = new Tape({.persistent = plan.differentiates_often(), .watch_accessed = false});
}

Execution::~Execution() {
  if (!tape_) return;
  pop_tape(tape_);
  tape_->release();
}

void Execution::run(std::span<const Tensor> feeds) {
  if (static_cast<int32_t>(feeds.size()) != plan_.num_feeds()) {
    fail(Code::kValueError, "The plan takes ", plan_.num_feeds(), " values, got ", feeds.size());
  }
  if (tape_) push_tape(tape_);
  for (size_t k = 0; k < feeds.size(); ++k) {
    values_[k].tensor = feeds[k];
    if (tape_ && plan_.watched(static_cast<int32_t>(k))) tape_->watch(feeds[k]);
  }
  run_all(plan_.order());
  if (tape_) pop_tape(tape_);
}

Value Execution::value(Port port) {
  const Input input = plan_.find(port);
  if (input.slot < 0 && input.variable < 0) return {};
  return value_of(input);
}

void Execution::run_all(std::span<const int32_t> order) {
  for (const int32_t index : order) {
    if (!done_.empty() && std::exchange(done_[static_cast<size_t>(index)], 1)) continue;
    execute(plan_.planned(index));
  }
}

void Execution::execute(const PlannedNode& planned) {
  const Node& node = graph_.node(planned.node);
  current_ = planned.node;
  switch (node.kind) {
    case Kind::kProgram: run_program(planned, node); break;
    case Kind::kHost: run_host(planned, node); break;
    case Kind::kNothing: break;
    case Kind::kFeed: missing_feed(node);
    case Kind::kVariable: break;  // read where it is used
    case Kind::kAssign: assign(planned, node); break;
    case Kind::kGradient: differentiate(planned, node); break;
    case Kind::kChoice: choose(planned, node); break;
  }
  if (planned.watched && tape_) watch_results(planned, node);
  for (const int32_t unused : planned.last_used) slot(unused) = {};
}

void Execution::watch_results(const PlannedNode& planned, const Node& node) {
  for (size_t k = 0; k < node.outputs.size(); ++k) {
    const int32_t index = planned.first_slot + static_cast<int32_t>(k);
    Tensor& tensor = slot(index).tensor;
    if (!tensor || !plan_.watched(index)) continue;
    // Values that are passed on or kept by the graph get new identities.
    if (node.kind == Kind::kProgram && node.program.steps.empty()) {
      tensor = call(ops::identity, {tensor});
    }
    tape_->watch(tensor);
  }
}

Variable& Execution::variable(const Input& input) {
  Variable* variable = store_.find(input.variable);
  if (!variable) {
    fail(Code::kFailedPrecondition, "Attempting to use uninitialized value ",
         graph_.node(input.variable).name,
         ": run its initializer first, such as tf.global_variables_initializer().");
  }
  if (input.watched && tape_) tape_->watch(*variable);
  return *variable;
}

Value Execution::value_of(const Input& input) {
  if (input.slot >= 0) return slot(input.slot);
  return {variable(input).read(), nullptr};
}

Tensor Execution::tensor_of(const Input& input) {
  Value value = value_of(input);
  if (!value.tensor) {
    fail(Code::kTypeError, "A tensor is needed, and not an object made of several.");
  }
  return std::move(value.tensor);
}

uint64_t Execution::identity_of(const Input& input) {
  if (input.slot < 0) return variable(input).id();
  const Tensor& tensor = slot(input.slot).tensor;
  return tensor ? tensor.impl()->id() : 0;
}

void Execution::run_program(const PlannedNode& planned, const Node& node) {
  TensorList arguments;
  for (const Input& input : planned.inputs) {
    if (input.slot < 0) {
      arguments.push_back(variable(input).read());
      continue;
    }
    const Value& value = slot(input.slot);
    if (!value.tensor) return run_host(planned, node);
    arguments.push_back(value.tensor);
  }
  TensorList outputs;
  node.program.run(arguments, outputs);
  for (size_t k = 0; k < outputs.size(); ++k) {
    slot(planned.first_slot + static_cast<int32_t>(k)).tensor = std::move(outputs[k]);
  }
}

void Execution::run_host(const PlannedNode& planned, const Node& node) {
  std::vector<Value> outputs;
  host_.run(planned.node, *this, outputs);
  current_ = planned.node;
  if (outputs.size() != node.outputs.size()) {
    fail(Code::kInternal, "Operation '", node.name, "' gave ", outputs.size(),
         " values in place of ", node.outputs.size());
  }
  for (size_t k = 0; k < outputs.size(); ++k) {
    slot(planned.first_slot + static_cast<int32_t>(k)) = std::move(outputs[k]);
  }
}

void Execution::assign(const PlannedNode& planned, const Node& node) {
  // A variable may get its first value from an assignment, but only the host makes variables.
  const bool missing = planned.inputs[0].slot < 0 && !store_.find(planned.inputs[0].variable);
  if (missing && node.change == Change::kReplace) return run_host(planned, node);
  const VariableRef held(variable(planned.inputs[0]));
  Variable& changed = *held;
  const Value value = value_of(planned.inputs[1]);
  if (!value.tensor || value.tensor.dtype() != changed.dtype() ||
      value.tensor.shape() != changed.peek().shape()) {
    return run_host(planned, node);
  }
  switch (node.change) {
    case Change::kReplace: changed.assign(value.tensor); break;
    case Change::kAdd: changed.assign_add(value.tensor); break;
    case Change::kSubtract: changed.assign_sub(value.tensor); break;
  }
  slot(planned.first_slot).tensor = changed.read();
}

void Execution::choose(const PlannedNode& planned, const Node& node) {
  const Tensor condition = tensor_of(planned.inputs[0]);
  if (condition.dtype() != DType::kBool || condition.size() != 1) {
    invalid_argument("The condition must be a boolean scalar, got dtype ", condition.dtype(),
                     " and shape ", condition.shape());
  }
  const auto& branch = planned.branches[*condition.data<bool>() ? 1 : 0];
  run_all(branch.order);
  current_ = planned.node;
  for (size_t k = 0; k < node.outputs.size(); ++k) {
    Value value = value_of(branch.results[k]);
    // A new identity, so that gradients refer to this value.
    if (value.tensor) value.tensor = call(ops::identity, {value.tensor});
    slot(planned.first_slot + static_cast<int32_t>(k)) = std::move(value);
  }
}

std::vector<Gradient> Execution::gradients(std::span<const Tensor> targets,
                                           std::span<const Tensor> weights,
                                           std::span<const uint64_t> sources) {
  return tape_->gradient(targets, weights, sources);
}

void Execution::differentiate(const PlannedNode& planned, const Node& node) {
  const std::span<const Input> inputs = planned.inputs;
  const auto num_targets = static_cast<size_t>(node.targets);
  const auto num_sources = static_cast<size_t>(node.sources);
  std::vector<Tensor> targets, weights(num_targets);
  for (const Input& input : inputs.first(num_targets)) targets.push_back(tensor_of(input));
  const auto sources = inputs.subspan(num_targets, num_sources);
  auto rest = inputs.subspan(num_targets + num_sources);
  if (node.weighted) {
    for (size_t k = 0; k < num_targets; ++k) weights[k] = tensor_of(rest[k]);
    rest = rest.subspan(num_targets);
  }
  std::vector<uint64_t> identities;
  for (const Input& source : sources) identities.push_back(identity_of(source));

  // Only gradients of gradients have to be recorded.
  std::optional<StopRecording> paused;
  if (!plan_.nested_gradients()) paused.emplace();
  std::vector<Gradient> results = gradients(targets, weights, identities);
  for (const Input& constant : rest) {
    // Subtracts the gradient through tensors that count as constants.
    const uint64_t identity = identity_of(constant);
    if (std::ranges::find(identities, identity) != identities.end()) continue;
    const std::vector<Gradient> through = gradients(targets, weights, {&identity, 1});
    if (!through[0]) continue;
    const Tensor value = tensor_of(constant), weight = densify(through[0]);
    const std::vector<Gradient> beyond = gradients({&value, 1}, {&weight, 1}, identities);
    for (size_t k = 0; k < num_sources; ++k) {
      if (beyond[k] && results[k]) results[k] = {densify(results[k]) - densify(beyond[k]), {}, {}};
    }
  }
  for (size_t k = 0; k < num_sources; ++k) {
    Value& result = slot(planned.first_slot + static_cast<int32_t>(k));
    if (results[k].sparse()) {
      result.object = host_.sparse(std::move(results[k]));
    } else {
      result.tensor = results[k] ? std::move(results[k].values) : zeros_like(tensor_of(sources[k]));
    }
  }
  if (--gradients_left_ == 0) {
    pop_tape(tape_);
    std::exchange(tape_, nullptr)->release();
  }
}

}  // namespace ef::session
