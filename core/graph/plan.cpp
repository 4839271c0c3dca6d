// Planning runs of graphs, and running plans.
#include "graph/plan.h"

#include <algorithm>

#include "eager/dispatch.h"
#include "graph/record.h"
#include "tensor/error.h"

namespace ef::graph {

void run_node(const Node& node, std::span<const Tensor> inputs, TensorList& outputs) {
  if (node.function) return node.function->run(inputs, outputs);
  const auto own = inputs.first(static_cast<size_t>(node.num_op_inputs));
  if (node.late.empty()) return run(*node.op, own, node.attrs, outputs);
  run(*node.op, own, completed_attrs(node, inputs), outputs);
}

Plan::Plan(const Graph& graph, std::span<const Tensor> results, bool all_effects) {
  const auto count = static_cast<size_t>(graph.size());
  std::vector<char> needed(count);
  const auto need = [&](const Port& port) { needed[static_cast<size_t>(port.node)] = 1; };
  for (const Tensor& result : results) need(symbol_of(result)->port());
  for (size_t id = count; id-- > 0;) {
    const Node& node = graph.node(static_cast<NodeId>(id));
    if (all_effects && node.has_effects()) needed[id] = 1;
    if (!needed[id]) continue;
    for (const Port& port : node.inputs) need(port);
  }

  std::vector<int32_t> first_slot(count, -1);
  const auto slot_of = [&](const Tensor& tensor) {
    const Port port = symbol_of(tensor)->port();
    const int32_t first = first_slot[static_cast<size_t>(port.node)];
    return first < 0 ? -1 : first + port.output;
  };
  for (size_t id = 0; id < count; ++id) {
    const Node& node = graph.node(static_cast<NodeId>(id));
    if (!needed[id]) continue;
    first_slot[id] = num_slots_;
    num_slots_ += static_cast<int32_t>(node.outputs.size());
    // What is known already is not computed again.
    const bool known = !node.has_effects() && !node.outputs.empty() &&
                       std::ranges::all_of(node.outputs, [](const Tensor& output) {
                         return static_cast<bool>(symbol_of(output)->value());
                       });
    if (known) {
      for (size_t k = 0; k < node.outputs.size(); ++k) {
        constants_.emplace_back(first_slot[id] + static_cast<int32_t>(k),
                                symbol_of(node.outputs[k])->value());
      }
    } else if (node.op || node.function) {
      Step& step = steps_.emplace_back();
      step.node = &node;
      step.first_slot = first_slot[id];
      for (const Port& port : node.inputs) {
        step.inputs.push_back(first_slot[static_cast<size_t>(port.node)] + port.output);
      }
    }
  }
  for (const Tensor& input : graph.inputs()) arguments_.push_back(slot_of(input));
  for (const Capture& capture : graph.captures()) arguments_.push_back(slot_of(capture.inner));
  for (const Tensor& result : results) results_.push_back(slot_of(result));

  std::vector<char> kept(static_cast<size_t>(num_slots_));
  for (const auto& [slot, value] : constants_) kept[static_cast<size_t>(slot)] = 1;
  for (const int32_t slot : results_) kept[static_cast<size_t>(slot)] = 1;
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    const auto drop = [&](int32_t slot) {
      char& mark = kept[static_cast<size_t>(slot)];
      if (!mark) step->last_used.push_back(slot);
      mark = 1;
    };
    for (const int32_t slot : step->inputs) drop(slot);
    for (size_t k = 0; k < step->node->outputs.size(); ++k) {
      drop(step->first_slot + static_cast<int32_t>(k));
    }
  }
}

void Plan::run(std::span<const Tensor> arguments, TensorList& results, const Node** failed) const {
  const bool pauses = building() != nullptr;
  if (pauses) begin_building(nullptr);
  const struct Resume {
    bool paused;
    ~Resume() {
      if (paused) end_building();
    }
  } resume{pauses};

  std::vector<Tensor> slots(static_cast<size_t>(num_slots_));
  for (const auto& [slot, value] : constants_) slots[static_cast<size_t>(slot)] = value;
  for (size_t k = 0; k < arguments_.size(); ++k) {
    if (arguments_[k] >= 0) slots[static_cast<size_t>(arguments_[k])] = arguments[k];
  }
  for (const Step& step : steps_) {
    if (failed) *failed = step.node;
    TensorList inputs, outputs;
    for (const int32_t slot : step.inputs) inputs.push_back(slots[static_cast<size_t>(slot)]);
    for (const int32_t slot : step.last_used) slots[static_cast<size_t>(slot)] = {};
    run_node(*step.node, inputs, outputs);
    auto slot = static_cast<size_t>(step.first_slot);
    for (Tensor& output : outputs) slots[slot++] = std::move(output);
    // Results that nothing reads.
    for (const int32_t last : step.last_used) {
      if (last >= step.first_slot) slots[static_cast<size_t>(last)] = {};
    }
  }
  for (const int32_t slot : results_) results.push_back(slots[static_cast<size_t>(slot)]);
}

}  // namespace ef::graph
