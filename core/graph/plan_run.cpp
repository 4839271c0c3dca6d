// Runs plans.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "device/devices.h"
#include "eager/dispatch.h"
#include "eager/lazy.h"
#include "eager/observer.h"
#include "eager/profile.h"
#include "eager/tape.h"
#include "graph/attention.h"
#include "graph/part_sums.h"
#include "graph/plan.h"
#include "graph/plan_by_images.h"
#include "graph/record.h"
#include "ops/op.h"

namespace ef::graph {
namespace {

// Results up to this size stay in their slots until the next run, which may overwrite them.
constexpr int64_t kSmall = 256;

// The inputs of a step, as handles. For slots with later readers the handles do not count.
class Inputs {
 public:
  explicit Inputs(size_t count) : count_(count) {}
  void set(size_t i, TensorImpl* impl) { impls_[i] = impl; }
  std::span<const Tensor> tensors() const {
    static_assert(sizeof(Tensor) == sizeof(TensorImpl*));
    return {reinterpret_cast<const Tensor*>(impls_), count_};
  }

 private:
  size_t count_;
  TensorImpl* impls_[kMostDirectInputs];
};

}  // namespace

void run_node(const Node& node, std::span<const Tensor> inputs, TensorList& outputs) {
  if (node.function) return node.function->run(inputs, outputs);
  const auto own = inputs.first(static_cast<size_t>(node.num_op_inputs));
  if (node.late.empty()) return run(*node.op, own, node.attrs, outputs);
  run(*node.op, own, completed_attrs(node.attrs, node.late, inputs), outputs);
}

PartialPlan::PartialPlan(const Graph& graph, std::span<const char> read) : graph_(graph) {
  for (size_t k = 0; k < read.size(); ++k) {
    if (read[k]) read_.push_back(k);
  }
}

void PartialPlan::consume(std::span<Tensor> arguments, TensorList& results) const {
  std::call_once(once_, [&] {
    TensorList wanted;
    for (const size_t k : read_) wanted.push_back(graph_.outputs()[k]);
    plan_.emplace(graph_, wanted);
  });
  TensorList values;
  plan_->consume(arguments, values);
  results.resize(graph_.outputs().size());
  for (size_t j = 0; j < read_.size(); ++j) results[read_[j]] = std::move(values[j]);
}

void Plan::run(std::span<const Tensor> arguments, TensorList& results) const {
  PlanRun run(*this);
  for (size_t k = 0; k < std::min(arguments.size(), arguments_.size()); ++k)
    run.set(k, arguments[k]);
  run.run();
  for (size_t k = 0; k < results_.size(); ++k) results.push_back(run.take(k));
}

[[gnu::hot]] void Plan::consume(std::span<Tensor> arguments, TensorList& results) const {
  PlanRun run(*this);
  for (size_t k = 0; k < std::min(arguments.size(), arguments_.size()); ++k)
    run.set(k, std::move(arguments[k]));
  run.run();
  for (size_t k = 0; k < results_.size(); ++k) results.push_back(run.take(k));
}

namespace {

thread_local const Node* running = nullptr;
thread_local FailedNodes failed_nodes;

class Running {
 public:
  explicit Running(const Node* node) : outer_(std::exchange(running, node)) {}
  ~Running() { running = outer_; }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  const Node* outer_;
};

}  // namespace

const Node* running_node() { return running; }

FailedNodes taken_failed_nodes() { return std::exchange(failed_nodes, {}); }

namespace {

// The names of a step's operations, for profiles.
std::string event_name(const auto& step) {
  if (step.members.empty()) return step.node->type();
  std::string names;
  for (const auto& member : step.members) {
    names += (names.empty() ? "" : ", ") + std::string(member.node->type());
  }
  return names;
}

// The values that a step reads. The slots keep theirs, until `release_inputs` empties those that no
// later step reads.
TensorList values_read(const auto& step, const Tensor* slots) {
  TensorList inputs;
  for (const auto& input : step.inputs) inputs.push_back(slots[static_cast<size_t>(input.slot)]);
  return inputs;
}

void release_inputs(const auto& step, Tensor* slots) {
  for (const auto& input : step.inputs) {
    if (input.last) slots[static_cast<size_t>(input.slot)] = {};
  }
}

}  // namespace

[[gnu::hot]] PlanRun::PlanRun(const Plan& plan) : plan_(plan), own_(plan.spare_.exchange(nullptr)) {
  if (!own_) {
    own_ = std::make_unique<Plan::Slots>(static_cast<size_t>(plan.num_slots_));
    for (const auto& [slot, value] : plan.constants_) (*own_)[static_cast<size_t>(slot)] = value;
  }
  slots_ = own_->data();
}

[[gnu::hot]] PlanRun::~PlanRun() {
  if (!done_) return;  // the slots of a failed run are dropped
  for (size_t k = 0; gives_captures_ && k < plan_.captured_.size(); ++k) {
    set(plan_.num_inputs_ + k, plan_.captured_[k]);
  }
  delete plan_.spare_.exchange(own_.release());
}

[[gnu::hot]] void PlanRun::run() {
  const bool pauses = building() != nullptr;
  if (pauses) begin_building(nullptr);
  const struct Resume {
    bool paused;
    ~Resume() {
      if (paused) end_building();
    }
  } resume{pauses};
  done_ = false;
  const FlushSubnormals flush;
  const bool elsewhere = computes_elsewhere();
  const bool watched = recording() || !observers.empty() || elsewhere;
  if (!running) failed_nodes.clear();
  const Node* node = nullptr;
  try {
    if (plan_.too_large_ && !elsewhere) [[unlikely]] {
      node = plan_.too_large_;
      fail(Code::kResourceExhausted, "Out of memory: a result of shape ", node->outputs[0].shape(),
           " is larger than the memory of this machine, so that nothing is computed. [Op:",
           node->op->tf_name, "]");
    }
    const Mode mode{watched, elsewhere, profile::active()};
    for (const Plan::Step& step : plan_.steps_) run_step(step, mode, node);
  } catch (...) {
    failed_nodes.push_back(node);
    throw;
  }
  done_ = true;
}

// Sets `node` to the node that runs.
[[gnu::hot]] inline void PlanRun::run_step(const Plan::Step& step, Mode mode, const Node*& node) {
  node = step.node;
  if (step.by_images) [[unlikely]] {
    if (!mode.watched && !mode.profiled && run_by_images(step)) return;
    for (const Plan::Step& member : step.members) run_step(member, mode, node);
    return;
  }
  std::optional<profile::Scope> scope;
  if (mode.profiled) [[unlikely]]
    scope.emplace(event_name(step), step.node->source);
  if (scope && !step.members.empty()) scope->cover();
  if (step.direct && !mode.watched && run_directly(step)) return;
  if (step.members.empty()) {
    // The dispatch adds the event of an operation.
    if (scope && step.node->op) scope->cancel();
    run_in_general(step, step.deferred);
  } else if (mode.elsewhere || !run_joined(step)) {
    if (scope) scope->cancel();
    run_members(step, node);
  }
}

[[gnu::hot]] Tensor PlanRun::take(size_t k) {
  const Plan::End& end = plan_.results_[k];
  Tensor& value = slots_[static_cast<size_t>(end.slot)];
  return end.last ? std::move(value) : value;
}

[[gnu::hot]] bool PlanRun::run_directly(const Plan::Step& step) {
  Inputs inputs(step.inputs.size());
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    TensorImpl* const impl = slots_[static_cast<size_t>(step.inputs[i].slot)].impl();
    // set_shape may have asserted a wrong shape.
    if (impl->lazy() || impl->shape() != *step.inputs[i].shape) return false;
    inputs.set(i, impl);
  }
  const Op& op = *step.node->op;
  Tensor* const slots = slots_ + step.first_slot;
  TensorList outputs;
  if (op.makes_outputs) {
    outputs.resize(step.specs.size());
  } else {
    for (size_t k = 0; k < step.specs.size(); ++k) {
      // The result of the last run, if there are no other handles on it.
      if (slots[k].exclusively_owned()) {
        slots[k].impl()->reset_id();
        outputs.push_back(std::move(slots[k]));
      } else {
        outputs.push_back(Tensor::empty(step.specs[k].dtype, step.specs[k].shape));
      }
    }
  }
  KernelContext context(op, inputs.tensors(), step.node->attrs, step.specs, outputs);
  op.kernel(context);
  for (size_t k = 0; k < step.specs.size(); ++k) slots[k] = std::move(outputs[k]);
  for (const Plan::Input& input : step.inputs) {
    Tensor& value = slots_[static_cast<size_t>(input.slot)];
    if (input.last && (input.from_outside || value.bytes() > kSmall)) value = {};
  }
  for (const int32_t unused : step.unused) {
    Tensor& value = slots_[static_cast<size_t>(unused)];
    if (value.bytes() > kSmall) value = {};
  }
  return true;
}

bool PlanRun::run_chain(const Plan::Step& step) {
  TensorList inputs = values_read(step, slots_), outputs;
  const std::optional<Shape> shape = step.chain->accepts(inputs);
  if (!shape || (step.deferred && shape->num_elements() >= kLazyElements)) return false;
  if (std::ranges::any_of(inputs, is_pending)) return false;
  release_inputs(step, slots_);
  step.chain->run(*shape, inputs, outputs);
  for (size_t k = 0; k < outputs.size(); ++k) {
    slots_[static_cast<size_t>(step.chain_outputs[k])] = std::move(outputs[k]);
  }
  return true;
}

bool PlanRun::run_fusion(const Plan::Step& step) {
  TensorList inputs = values_read(step, slots_), outputs;
  if (!step.fusion->run(inputs, outputs)) return false;
  release_inputs(step, slots_);
  slots_[static_cast<size_t>(step.first_slot)] = std::move(outputs[0]);
  return true;
}

// Returns false, with nothing done, if the members have to run one by one.
bool PlanRun::run_joined(const Plan::Step& step) {
  if (step.attention) return run_attention(step);
  if (step.fusion) return run_fusion(step);
  return step.adds_part ? run_part_sum(step) : run_chain(step);
}

// The part is added to the first input.
bool PlanRun::run_part_sum(const Plan::Step& step) {
  const auto value_of = [&](int32_t slot) -> Tensor& { return slots_[static_cast<size_t>(slot)]; };
  TensorList inputs = values_read(step, slots_);
  Tensor& whole = value_of(step.inputs[0].slot);
  inputs[0] = {};  // so that the slot has the only handle
  const auto part = std::span<const Tensor>(inputs).subspan(1);
  if (!step.inputs[0].last || !add_part(*step.node, part, whole)) return false;
  value_of(step.first_slot) = std::move(whole);
  for (size_t k = 1; k < step.inputs.size(); ++k) {
    if (step.inputs[k].last) value_of(step.inputs[k].slot) = {};
  }
  return true;
}

bool PlanRun::run_attention(const Plan::Step& step) {
  TensorList inputs = values_read(step, slots_), outputs;
  if (!step.attention->run(inputs, outputs)) return false;
  release_inputs(step, slots_);
  for (size_t k = 0; k < outputs.size(); ++k) {
    const int32_t slot = step.attention->outputs()[k];
    if (slot >= 0) slots_[static_cast<size_t>(slot)] = std::move(outputs[k]);
  }
  return true;
}

// Sets `running` to each member's node while it runs.
void PlanRun::run_members(const Plan::Step& step, const Node*& running) {
  const bool there = step.recomputing > 0 && slots_[static_cast<size_t>(step.recomputed)];
  if (step.attention) {  // drops results of an earlier run
    for (const int32_t slot : step.attention->outputs()) {
      if (slot >= 0) slots_[static_cast<size_t>(slot)] = {};
    }
  }
  // Operations on deferred values are deferred, too, so that these need no memory.
  const auto pending = [&](const Plan::Input& input) {
    return is_pending(slots_[static_cast<size_t>(input.slot)]);
  };
  const bool defers = step.chain && (step.deferred || std::ranges::any_of(step.inputs, pending));
  for (size_t k = there ? step.recomputing : 0; k < step.members.size(); ++k) {
    running = step.members[k].node;
    run_in_general(step.members[k], defers);
  }
}

[[gnu::hot]] void PlanRun::run_in_general(const Plan::Step& step, bool defers) {
  const Running here(step.node);
  TensorList inputs, outputs;
  for (const Plan::Input& input : step.inputs) {
    Tensor& value = slots_[static_cast<size_t>(input.slot)];
    inputs.push_back(input.last ? std::move(value) : value);
  }
  if (step.calls_host) {
    const KeepSubnormals keep;
    step.node->function->consume(inputs, outputs);
  } else if (step.node->function) {
    step.node->function->consume(inputs, outputs);
  } else if (defers && step.node->late.empty()) {
    graph::run_node(*step.node, inputs, outputs);
  } else if (!step.overwrites || !run_in_place(*step.node, inputs, outputs)) {
    const Node& node = *step.node;
    const auto own = std::span<const Tensor>(inputs).first(static_cast<size_t>(node.num_op_inputs));
    if (node.late.empty()) {
      run_consuming(*node.op, own, node.attrs, outputs);
    } else {
      run_consuming(*node.op, own, completed_attrs(node.attrs, node.late, inputs), outputs);
    }
  }
  auto slot = static_cast<size_t>(step.first_slot);
  for (Tensor& output : outputs) slots_[slot++] = std::move(output);
  for (const int32_t unused : step.unused) slots_[static_cast<size_t>(unused)] = {};
}

}  // namespace ef::graph
