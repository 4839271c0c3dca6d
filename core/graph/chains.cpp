// Selects elementwise nodes that run together.
#include "graph/chains.h"

#include <algorithm>
#include <optional>

#include "device/devices.h"
#include "eager/batched.h"
#include "eager/fusion_log.h"
#include "eager/interruptible_region.h"
#include "eager/lazy.h"
#include "eager/observer.h"
#include "eager/profile.h"
#include "eager/tape.h"
#include "ops/element_call.h"
#include "ops/op.h"

namespace ef::graph {

ElementLoop element_loop(const NodeSlots& step, std::span<const DType> types) {
  const Node& node = *step.node;
  if (!node.op || node.outputs.empty() || !node.late.empty()) return {};
  InlineVector<DType, 3> inputs;
  for (const int32_t slot : step.inputs) inputs.push_back(types[static_cast<size_t>(slot)]);
  return ef::element_loop({*node.op, inputs, node.outputs[0].dtype(), node.attrs});
}

bool is_single(const Shape& shape) {
  return shape.ranked() && std::ranges::all_of(shape, [](int64_t size) { return size == 1; });
}

namespace {

// Steps that become one group. The group runs in place of its last step. It is closed when a step
// outside reads one of its results: later steps cannot join it.
struct Group {
  std::vector<size_t> steps;
  int computing = 0;  // steps that compute, not counting those that return their input
  Shape shape;
  bool closed = false;
};

class Groups {
 public:
  Groups(std::span<const NodeSlots> steps, std::span<const DType> types)
      : steps_(steps), producer_(types.size(), -1), group_of_(steps.size(), -1) {
    for (size_t i = 0; i < steps.size(); ++i) {
      if (const ElementLoop loop = element_loop(steps[i], types)) {
        add(i, !loop.forwards);
      } else {
        for (const int32_t slot : steps[i].inputs) close(slot);
      }
      for (size_t k = 0; k < steps[i].node->outputs.size(); ++k) {
        producer_[static_cast<size_t>(steps[i].first_output) + k] = static_cast<int32_t>(i);
      }
    }
  }

  // The groups of more than one computing step.
  std::vector<std::vector<size_t>> take() {
    std::vector<std::vector<size_t>> result;
    for (Group& group : groups_) {
      if (group.computing > 1) result.push_back(std::move(group.steps));
    }
    return result;
  }

 private:
  // The group of the step that computes a slot, or -1.
  int32_t group_of(int32_t slot) const {
    const int32_t step = producer_[static_cast<size_t>(slot)];
    return step < 0 ? -1 : group_of_[static_cast<size_t>(step)];
  }
  void close(int32_t slot) {
    if (const int32_t group = group_of(slot); group >= 0) {
      groups_[static_cast<size_t>(group)].closed = true;
    }
  }

  void add(size_t i, bool computes) {
    const Shape& shape = steps_[i].node->outputs[0].shape();
    int32_t chosen = -1;
    for (const int32_t slot : steps_[i].inputs) {
      const int32_t index = group_of(slot);
      if (index < 0 || index == chosen) continue;
      Group& group = groups_[static_cast<size_t>(index)];
      // Single elements may join a group of any shape.
      if (group.closed || (group.shape != shape && !is_single(group.shape))) {
        group.closed = true;
      } else if (chosen < 0) {
        chosen = index;
      } else {
        merge(group, chosen);
      }
    }
    if (chosen < 0) {
      chosen = static_cast<int32_t>(groups_.size());
      groups_.emplace_back();
    }
    Group& group = groups_[static_cast<size_t>(chosen)];
    group.shape = shape;
    group.steps.push_back(i);
    group.computing += computes;
    group_of_[i] = chosen;
  }

  void merge(Group& from, int32_t into) {
    Group& group = groups_[static_cast<size_t>(into)];
    group.computing += std::exchange(from.computing, 0);
    const auto middle = static_cast<std::ptrdiff_t>(group.steps.size());
    for (const size_t step : from.steps) {
      group_of_[step] = into;
      group.steps.push_back(step);
    }
    std::inplace_merge(group.steps.begin(), group.steps.begin() + middle, group.steps.end());
    from.steps.clear();
  }

  std::span<const NodeSlots> steps_;
  std::vector<int32_t> producer_;  // the step that computes a slot, or -1
  std::vector<int32_t> group_of_;  // of the steps; -1 if they are not elementwise
  std::vector<Group> groups_;
};

cpu::Chain chain_of(std::span<const NodeSlots> nodes, std::span<const int32_t> inputs,
                    std::span<const int32_t> outputs, std::span<const DType> types) {
  const auto type_of = [&](int32_t slot) { return types[static_cast<size_t>(slot)]; };
  std::vector<DType> dtypes;
  std::vector<int> numbers(types.size(), -1);  // of the values in the slots
  const auto number_of = [&](int32_t slot) -> int& { return numbers[static_cast<size_t>(slot)]; };
  for (const int32_t slot : inputs) {
    number_of(slot) = static_cast<int>(dtypes.size());
    dtypes.push_back(type_of(slot));
  }
  cpu::Chain chain(dtypes);
  for (const NodeSlots& node : nodes) {
    InlineVector<int, 4> operands;
    for (const int32_t slot : node.inputs) operands.push_back(number_of(slot));
    number_of(node.first_output) =
        chain.add(*node.node->op, node.node->attrs, operands, type_of(node.first_output));
  }
  std::vector<int> results;
  for (const int32_t slot : outputs) results.push_back(number_of(slot));
  chain.finish(results);
  return chain;
}

// From this size on, searching for an input to overwrite is cheaper than new memory.
constexpr int64_t kReusedElements = 16'384;

}  // namespace

std::vector<std::vector<size_t>> elementwise_groups(std::span<const NodeSlots> steps,
                                                    std::span<const DType> types) {
  return Groups(steps, types).take();
}

NodeChain::NodeChain(std::span<const NodeSlots> nodes, std::span<const int32_t> inputs,
                     std::span<const int32_t> outputs, std::span<const DType> types)
    : type_(types[static_cast<size_t>(nodes.back().first_output)]),
      chain_(chain_of(nodes, inputs, outputs, types)) {
  for (const NodeSlots& node : nodes) ops_.push_back(node.node->op);
}

std::optional<Shape> NodeChain::accepts(std::span<const Tensor> inputs) const {
  if (!observers.empty() || !fuses()) return {};
  for (const Tensor& input : inputs) {
    if (input.impl()->lazy() && is_batched(input)) return {};
    for (const Tape* const tape : active_tapes()) {
      if (tape->knows(input.impl()->id_or_zero())) return {};
    }
  }
  Shape shape;
  if (!chain_.fits(inputs, &shape)) return {};
  return shape;
}

void NodeChain::run(const Shape& shape, std::span<Tensor> inputs, TensorList& outputs) const {
  const InterruptibleRegion region(chain_.cost(shape));
  const size_t reads = inputs.size();
  chain_.run(shape, inputs, outputs);
  if (logs_fusions()) [[unlikely]] {
    log_fusion({ops_, "chain", type_, shape, reads, outputs.size()});
  }
}

bool may_overwrite(const NodeSlots& step, std::span<const DType> types) {
  const ElementLoop loop = element_loop(step, types);
  return loop && loop.overwrites && !loop.forwards;
}

bool run_in_place(const Node& node, std::span<const Tensor> inputs, TensorList& outputs) {
  const Op& op = *node.op;
  const auto reused = std::ranges::find_if(inputs, [](const Tensor& input) {
    return input.size() >= kReusedElements && input.exclusively_owned();
  });
  if (reused == inputs.end() || op.makes_outputs || recording() || !observers.empty() ||
      computes_elsewhere()) {
    return false;
  }
  for (const Tensor& input : inputs) {
    if (is_batched(input) || is_generated(input)) return false;
    input.impl()->settle();
  }
  std::optional<profile::Scope> scope;
  if (profile::active()) [[unlikely]]
    scope.emplace(op.tf_name);
  check_inputs(op, inputs);
  const SpecList specs = infer(op, inputs, node.attrs);
  if (specs[0].dtype != reused->dtype() || specs[0].shape != reused->shape()) {
    if (scope) scope->cancel();
    return false;
  }
  TensorList results;
  results.push_back(*reused);
  const KernelRegion region(static_cast<double>(reused->bytes()) / 4);
  KernelContext context(op, inputs, node.attrs, specs, results);
  context.run();
  reused->impl()->reset_id();  // tapes know the old value
  outputs.push_back(*reused);
  return true;
}

}  // namespace ef::graph
