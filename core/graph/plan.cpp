// Plans runs of graphs.
#include "graph/plan.h"

#include <algorithm>
#include <string>
#include <utility>

#include "graph/attention.h"
#include "graph/part_sums.h"
#include "graph/part_updates.h"
#include "graph/plan_by_images.h"
#include "graph/record.h"
#include "graph/variables.h"
#include "ops/op.h"
#include "ops/shapes.h"
#include "ops/softmax.h"
#include "platform/memory.h"

namespace ef::graph {
namespace {

// Steps with larger arrays use the ordinary dispatch, which lets other threads run.
constexpr int64_t kDirect = 16'384;

bool has_known_size(const Tensor& tensor) {
  // The number of bytes may overflow for a value that is not computed yet.
  return tensor.dtype() != DType::kVariant && tensor.shape().fully_known() && tensor.size() > 0 &&
         tensor.size() <= kDirect / static_cast<int64_t>(element_size(tensor.dtype()));
}

// Whether a tensor may be in this machine's memory. Operations themselves refuse sizes in bytes
// that no number holds.
bool may_fit_memory(const TensorSpec& spec) {
  auto bytes = static_cast<double>(element_size(spec.dtype));
  for (const int64_t size : spec.shape) bytes *= static_cast<double>(size);
  return bytes <= static_cast<double>(platform::physical_memory()) || bytes >= 0x1p63;
}

// Whether a node can skip the checks of the dispatch, because their results are known.
bool runs_directly(const Graph& graph, const Node& node) {
  const Op* const op = node.op;
  if (!op || op->sizes_from_values || op->cost || !node.late.empty()) return false;
  const auto known = [&](const Port& port) { return has_known_size(graph.tensor(port)); };
  return std::ranges::all_of(node.inputs, known) &&
         std::ranges::all_of(node.outputs, has_known_size);
}

// The order in which nodes were added, except that shapes are read early, so that no reader keeps
// the value alive.
std::vector<NodeId> running_order(const Graph& graph) {
  std::vector<NodeId> after(static_cast<size_t>(graph.size()));
  std::vector<NodeId> order;
  for (NodeId id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(id);
    after[static_cast<size_t>(id)] = node.op == &ops::shape ? node.inputs[0].node : id;
    order.push_back(id);
  }
  std::ranges::stable_sort(order, {}, [&](NodeId id) { return after[static_cast<size_t>(id)]; });
  return order;
}

}  // namespace

namespace {

[[noreturn]] void not_fed(const Node& placeholder) {
  const Tensor& tensor = placeholder.outputs[0];
  const DType dtype = tensor.dtype();
  const std::string type = dtype == DType::kFloat32   ? "float"
                           : dtype == DType::kFloat64 ? "double"
                                                      : cat(dtype_name(dtype));
  const std::string shape =
      tensor.shape().ranked() && tensor.rank() > 0 ? cat(" and shape ", tensor.shape()) : "";
  invalid_argument("You must feed a value for placeholder tensor '", placeholder.name,
                   "' with dtype ", type, shape, "\n\t [[{{node ", placeholder.name, "}}]]");
}

}  // namespace

Plan::Plan(const Graph& graph, std::span<const Tensor> results, Options options) {
  const auto count = static_cast<size_t>(graph.size());
  const Selection selection = options.selection ? *options.selection : Selection{};
  std::vector<char> needed(count);
  const auto is_fed = [&](const Port& port) {
    return std::ranges::find(selection.feeds, port) != selection.feeds.end();
  };
  const auto need = [&](const Port& port) {
    if (!is_fed(port)) needed[static_cast<size_t>(port.node)] = 1;
  };
  for (const NodeId target : selection.targets) needed[static_cast<size_t>(target)] = 1;
  for (const Tensor& result : results) need(symbol_of(result)->port());
  for (size_t id = count; id-- > 0;) {
    const Node& node = graph.node(static_cast<NodeId>(id));
    if (options.all_effects && node.has_effects()) needed[id] = 1;
    if (!needed[id]) continue;
    for (const Port& port : node.inputs) need(port);
    for (const NodeId control : node.controls) {
      // A placeholder that is fed has nothing to run.
      const Node& before = graph.node(control);
      const bool runs = before.op || before.function || before.constant;
      if (runs || !is_fed({control, 0})) needed[static_cast<size_t>(control)] = 1;
    }
  }

  // Marks nodes whose known values do not count, because they depend on a fed tensor.
  std::vector<char> changed(count);
  for (const Port& port : selection.feeds) changed[static_cast<size_t>(port.node)] = 1;
  for (size_t id = 0; id < count && !selection.feeds.empty(); ++id) {
    const Node& node = graph.node(static_cast<NodeId>(id));
    changed[id] |= std::ranges::any_of(
        node.inputs, [&](const Port& port) { return changed[static_cast<size_t>(port.node)]; });
  }

  Sources sources{std::vector<int32_t>(count, -1), {}};
  std::vector<int32_t>& first_slots = sources.first_slots;
  std::vector<DType> types;  // of the slots
  for (const Port& port : selection.feeds) {
    sources.fed.emplace_back(port, num_slots_++);
    types.push_back(graph.tensor(port).dtype());
  }
  for (const NodeId next : running_order(graph)) {
    const auto id = static_cast<size_t>(next);
    const Node& node = graph.node(next);
    if (!needed[id]) continue;
    first_slots[id] = num_slots_;
    // Known values are not computed again.
    const bool known = !node.has_effects() && !node.outputs.empty() && !changed[id] &&
                       std::ranges::all_of(node.outputs, [](const Tensor& output) {
                         return symbol_of(output)->foldable();
                       });
    if (known) {
      for (size_t k = 0; k < node.outputs.size(); ++k) {
        constants_.emplace_back(first_slots[id] + static_cast<int32_t>(k),
                                symbol_of(node.outputs[k])->value());
      }
    } else if (node.op || node.function) {
      add_step(graph, next, sources);
    } else if (node.constant) {
      // A constant that is fed, and also controls another node.
    } else if (options.selection) {
      not_fed(node);
    }
    num_slots_ += static_cast<int32_t>(node.outputs.size());
    for (const Tensor& output : node.outputs) types.push_back(output.dtype());
  }
  const auto end_at = [&](const Tensor& tensor) {
    return End{sources.slot_of(symbol_of(tensor)->port())};
  };
  if (options.selection) {
    num_inputs_ = selection.feeds.size();
    for (const Port& port : selection.feeds) arguments_.push_back({sources.slot_of(port)});
  } else {
    num_inputs_ = graph.inputs().size();
    for (const Tensor& input : graph.inputs()) arguments_.push_back(end_at(input));
    for (const Capture& capture : graph.captures()) {
      arguments_.push_back(end_at(capture.inner));
      captured_.push_back(is_symbolic(capture.outer) ? Tensor() : capture.outer);
      const int32_t slot = arguments_.back().slot;
      if (slot >= 0 && captured_.back()) constants_.emplace_back(slot, captured_.back());
    }
  }
  for (const Tensor& result : results) results_.push_back(end_at(result));
  join_part_updates();
  share_steps();
  read_repeated(types);
  pool_first(types);
  join_attention(types);
  join_products();
  join_part_sums();
  join_elementwise(types);
  join_by_images();
  find_deferred();
  find_last_uses(options.keeps_captures);
  leave_out_unread();
  find_too_large();
}

// A run has to refuse such a step before it computes what the step reads. Results of steps that
// only describe their elements, or that others are fused with, may never be in memory.
void Plan::find_too_large() {
  for (const Step& step : steps_) {
    const Op* const op = step.node->op;
    if (!op || !step.members.empty() || op->view || op->elementwise || op->deferrable) continue;
    for (const TensorSpec& spec : step.specs) {
      if (spec.shape.fully_known() && !may_fit_memory(spec)) too_large_ = step.node;
    }
  }
}

Plan::~Plan() { delete spare_.load(); }

int32_t Plan::Sources::slot_of(const Port& port) const {
  for (const auto& [given, slot] : fed) {
    if (given == port) return slot;
  }
  const int32_t first = first_slots[static_cast<size_t>(port.node)];
  return first < 0 ? -1 : first + port.output;
}

void Plan::add_step(const Graph& graph, NodeId id, const Sources& sources) {
  const Node& node = graph.node(id);
  Step& step = steps_.emplace_back();
  step.node = &node;
  step.first_slot = sources.first_slots[static_cast<size_t>(id)];
  for (const Port& port : node.inputs) {
    const Node& source = graph.node(port.node);
    const int32_t slot = sources.slot_of(port);
    // The slots of fed tensors come first.
    const bool fed = slot < static_cast<int32_t>(sources.fed.size());
    step.inputs.push_back(
        {.slot = slot, .from_outside = fed || !source.op, .shape = &graph.tensor(port).shape()});
  }
  step.calls_host = node.function && node.function->needs_host();
  step.direct = node.inputs.size() <= kMostDirectInputs && runs_directly(graph, node);
  for (const Tensor& output : node.outputs) step.specs.push_back({output.dtype(), output.shape()});
}

void Plan::find_last_uses(bool keeps_captures) {
  std::vector<char> used(static_cast<size_t>(num_slots_));
  const auto mark = [&](int32_t slot) {
    return slot < 0 || std::exchange(used[static_cast<size_t>(slot)], 1);
  };
  for (const auto& [slot, value] : constants_) mark(slot);
  if (keeps_captures) {
    for (size_t k = num_inputs_; k < arguments_.size(); ++k) mark(arguments_[k].slot);
  }
  for (auto result = results_.rbegin(); result != results_.rend(); ++result) {
    result->last = !mark(result->slot);
  }
  const auto mark_inputs = [&](Step& step) {
    for (size_t i = step.inputs.size(); i-- > 0;) {
      step.inputs[i].last = !mark(step.inputs[i].slot);
    }
  };
  const auto mark_step = [&](Step& step) {
    for (size_t k = 0; k < step.node->outputs.size(); ++k) {
      const int32_t slot = step.first_slot + static_cast<int32_t>(k);
      if (!mark(slot)) step.unused.push_back(slot);
    }
    mark_inputs(step);
  };
  const auto mark_all = [&](auto& self, std::vector<Step>& steps) -> void {
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      if (step->members.empty()) {
        mark_step(*step);
        continue;
      }
      const std::vector<char> later = used;
      self(self, step->members);
      for (Input& input : step->inputs) {
        input.last = !later[static_cast<size_t>(input.slot)];
        mark(input.slot);
      }
      // Values that the first members recompute are not read from earlier steps.
      for (size_t k = 0; k < step->recomputing; ++k) {
        const int32_t slot = step->members[k].first_slot;
        if (slot != step->recomputed) used[static_cast<size_t>(slot)] = 0;
      }
    }
  };
  mark_all(mark_all, steps_);
}

// Calls, conditionals and loops compute only what is read of their results.
void Plan::leave_out_unread() {
  for (Step& step : steps_) {
    if (step.unused.empty() || !step.node->function) continue;
    std::vector<char> read(step.node->outputs.size(), 1);
    for (const int32_t slot : step.unused) read[static_cast<size_t>(slot - step.first_slot)] = 0;
    auto function = step.node->function->returning(read);
    if (!function) continue;
    auto node = std::make_unique<Node>(*step.node);
    node->function = std::move(function);
    step.node = node.get();
    own_nodes_.push_back(std::move(node));
  }
}

// For few elements, or few operations, of known sizes: preparing a chain takes longer than running
// them.
bool Plan::faster_one_by_one(std::span<const size_t> steps) const {
  constexpr int64_t kWork = 8192;
  constexpr int64_t kManySteps = 10, kSomeElements = 64;
  const auto count = static_cast<int64_t>(steps.size());
  int64_t elements = 0;
  for (const size_t i : steps) {
    const Step& step = steps_[i];
    if (!step.direct) return false;
    elements = std::max(elements, step.specs[0].shape.num_elements());
  }
  return count * elements < kWork && (count < kManySteps || elements < kSomeElements);
}

// Steps that run together are represented by the first of them, with the last one's result; the
// steps of an attention by the softmax.
NodeSlots Plan::slots_of(const Step& step) const {
  const bool first = !step.members.empty() && !step.attention;
  NodeSlots slots{first ? step.members[0].node : step.node, {}, step.first_slot};
  for (const Input& input : step.inputs) slots.inputs.push_back(input.slot);
  return slots;
}

void Plan::drop(std::span<const char> joined) {
  size_t kept = 0;
  for (size_t i = 0; i < steps_.size(); ++i) {
    if (joined[i]) continue;
    if (kept != i) steps_[kept] = std::move(steps_[i]);
    ++kept;
  }
  steps_.resize(kept);
}

std::vector<NodeSlots> Plan::views() const {
  std::vector<NodeSlots> views;
  for (const Step& step : steps_) views.push_back(slots_of(step));
  return views;
}

SlotFacts Plan::slot_facts() const {
  const auto count = static_cast<size_t>(num_slots_);
  SlotFacts facts{std::vector<int32_t>(count), std::vector<char>(count),
                  std::vector<const Shape*>(count)};
  for (const Step& step : steps_) {
    for (const Input& input : step.inputs) {
      const auto slot = static_cast<size_t>(input.slot);
      ++facts.readers[slot];
      facts.computed[slot] = !input.from_outside;
      facts.shapes[slot] = input.shape;
    }
  }
  for (const End& result : results_) ++facts.readers[static_cast<size_t>(result.slot)];
  return facts;
}

void Plan::join_part_updates() {
  std::vector<char> joined(steps_.size());
  for (PartUpdate& found : part_updates(views(), slot_facts())) {
    Step whole{.node = found.node.get(), .first_slot = steps_[found.assign].first_slot};
    const auto& inputs = steps_[found.change].inputs;
    for (size_t k = 1; k < inputs.size(); ++k) whole.inputs.push_back(inputs[k]);
    joined[found.read] = joined[found.change] = 1;
    steps_[found.assign] = std::move(whole);
    own_nodes_.push_back(std::move(found.node));
  }
  drop(joined);
}

Plan::Step Plan::copy_of(const Step& step) const {
  Step copy{.node = step.node, .first_slot = step.first_slot};
  copy.calls_host = step.calls_host;
  copy.specs = step.specs;
  copy.inputs = step.inputs;
  return copy;
}

void Plan::join_attention(std::vector<DType>& types) {
  const auto is_softmax = [](const Step& step) { return step.node->op == &ops::softmax; };
  if (std::ranges::none_of(steps_, is_softmax)) return;
  const SlotFacts facts = slot_facts();
  static const Shape any = Shape::unranked();
  std::vector<char> joined(steps_.size());
  for (Attention::Found& found : Attention::find(views(), facts, types)) {
    const auto direct = [&](size_t i) { return steps_[i].direct; };
    if (std::ranges::all_of(found.forward, direct)) continue;
    const size_t softmax = found.forward[found.recomputing - 1];
    Step passes[2];
    if (found.passes[1]) {
      Attention::keep_for_backward(found, num_slots_++);
      types.push_back(DType::kFloat32);
      passes[1].recomputing = found.recomputing;
      passes[1].recomputed = found.passes[1]->weights();
      for (size_t k = 0; k < found.backward.size(); ++k) {
        Step& step = steps_[found.backward[k]];
        const bool copies = k < found.recomputing;
        passes[1].members.push_back(copies ? copy_of(step) : std::move(step));
      }
    }
    for (size_t k = 0; k < 2 && found.passes[k]; ++k) {
      Step& whole = passes[k];
      whole.node = steps_[softmax].node;
      for (const int32_t slot : found.passes[k]->inputs()) {
        const auto index = static_cast<size_t>(slot);
        const bool known = index < facts.shapes.size() && facts.shapes[index];
        whole.inputs.push_back({.slot = slot,
                                .from_outside = known && !facts.computed[index],
                                .shape = known ? facts.shapes[index] : &any});
      }
      const auto outputs = found.passes[k]->outputs();
      whole.first_slot = *std::ranges::find_if(outputs, [](int32_t slot) { return slot >= 0; });
      whole.attention = std::move(found.passes[k]);
    }
    for (const size_t i : found.forward) {
      passes[0].members.push_back(std::move(steps_[i]));
      joined[i] = i != found.forward.back();
    }
    steps_[found.forward.back()] = std::move(passes[0]);
    if (found.backward.empty()) continue;
    const size_t first = found.backward[found.recomputing];
    for (size_t k = found.recomputing; k < found.backward.size(); ++k) {
      joined[found.backward[k]] = found.backward[k] != first;
    }
    steps_[first] = std::move(passes[1]);
  }
  drop(joined);
}

namespace {

// Appends the variables that a node changes or reads.
void add_changed(const Node& node, std::vector<const Variable*>& changed) {
  if (!node.has_effects()) return;
  for (const VariableRef& variable : node.variables()) changed.push_back(variable.get());
  for (const Graph* const graph : node.function->graphs()) {
    for (NodeId id = 0; id < graph->size(); ++id) add_changed(graph->node(id), changed);
  }
}

}  // namespace

void Plan::join_products() {
  const std::vector<NodeSlots> nodes = views();
  const SlotFacts facts = slot_facts();
  std::vector<Input> inputs(static_cast<size_t>(num_slots_));
  for (const Step& step : steps_) {
    for (const Input& input : step.inputs) inputs[static_cast<size_t>(input.slot)] = input;
  }

  std::vector<const Variable*> changed;
  for (const Step& step : steps_) add_changed(*step.node, changed);
  const auto is_trained = [&](int32_t weights) {
    return std::ranges::any_of(steps_, [&](const Step& step) {
      return step.first_slot == weights &&
             std::ranges::find(changed, read_by(*step.node)) != changed.end();
    });
  };

  std::vector<char> joined(steps_.size());
  for (Fusion::Found& found : Fusion::find(nodes, facts)) {
    const auto direct = [&](size_t i) { return steps_[i].direct; };
    if (std::ranges::all_of(found.steps, direct)) continue;
    if (is_trained(found.fusion->inputs()[1])) found.fusion->set_trained();
    const Step& last = steps_[found.steps.back()];
    Step whole{.node = last.node, .first_slot = last.first_slot};
    for (const int32_t slot : found.fusion->inputs()) {
      whole.inputs.push_back(inputs[static_cast<size_t>(slot)]);
    }
    whole.fusion = std::move(found.fusion);
    for (const size_t i : found.steps) {
      joined[i] = i != found.steps.back();
      whole.members.push_back(std::move(steps_[i]));
    }
    steps_[found.steps.back()] = std::move(whole);
  }
  drop(joined);
}

void Plan::join_part_sums() {
  std::vector<char> joined(steps_.size());
  for (const PartSum& found : part_sums(views(), slot_facts())) {
    Step& part = steps_[found.part];
    Step& sum = steps_[found.sum];
    Step whole{.node = part.node, .first_slot = sum.first_slot};
    whole.adds_part = true;
    for (const Input& input : sum.inputs) {
      if (input.slot == found.whole) whole.inputs.push_back(input);
    }
    for (const Input& input : part.inputs) whole.inputs.push_back(input);
    whole.members.push_back(std::move(part));
    whole.members.push_back(std::move(sum));
    steps_[found.sum] = std::move(whole);
    joined[found.part] = 1;
  }
  drop(joined);
}

void Plan::join_elementwise(std::span<const DType> types) {
  std::vector<NodeSlots> views;
  std::vector<int32_t> readers(types.size());  // of the slots
  for (Step& step : steps_) {
    views.push_back(slots_of(step));
    for (const int32_t slot : views.back().inputs) ++readers[static_cast<size_t>(slot)];
    step.overwrites = may_overwrite(views.back(), types);
  }
  for (const End& result : results_) ++readers[static_cast<size_t>(result.slot)];

  std::vector<char> joined(steps_.size());
  for (const std::vector<size_t>& group : elementwise_groups(views, types)) {
    if (faster_one_by_one(group)) continue;
    std::vector<NodeSlots> nodes;
    std::vector<char> given(types.size()), taken(types.size());
    std::vector<int32_t> inside(types.size());  // readers within the group
    const Step& last = steps_[group.back()];
    Step whole{.node = last.node, .first_slot = last.first_slot};
    InlineVector<int32_t, 4> inputs;
    for (const size_t i : group) {
      nodes.push_back(views[i]);
      given[static_cast<size_t>(views[i].first_output)] = 1;
      for (const Input& input : steps_[i].inputs) {
        const auto slot = static_cast<size_t>(input.slot);
        ++inside[slot];
        if (given[slot] || std::exchange(taken[slot], 1)) continue;
        inputs.push_back(input.slot);
        whole.inputs.push_back(input);
      }
    }
    for (const NodeSlots& node : nodes) {
      const auto slot = static_cast<size_t>(node.first_output);
      if (readers[slot] > inside[slot]) whole.chain_outputs.push_back(node.first_output);
    }
    whole.chain = std::make_unique<NodeChain>(nodes, inputs, whole.chain_outputs, types);
    for (const size_t i : group) {
      joined[i] = 1;
      if (i != group.back()) whole.members.push_back(std::move(steps_[i]));
    }
    whole.members.push_back(std::move(steps_[group.back()]));
    steps_[group.back()] = std::move(whole);
    joined[group.back()] = 0;
  }
  drop(joined);
}

void Plan::find_deferred() {
  const std::vector<int32_t> readers = slot_facts().readers;
  for (size_t i = 0; i + 1 < steps_.size(); ++i) {
    Step& step = steps_[i];
    const Step& next = steps_[i + 1];
    if (!next.members.empty() || !next.node->op || !next.node->op->takes_lazy) continue;
    InlineVector<int32_t, 2> results;
    if (step.chain) {
      results = step.chain_outputs;
    } else if (step.overwrites) {
      results.push_back(step.first_slot);
    }
    step.deferred = std::ranges::any_of(results, [&](int32_t slot) {
      const auto reads = [&](const Input& input) { return input.slot == slot; };
      return readers[static_cast<size_t>(slot)] == 1 && std::ranges::any_of(next.inputs, reads);
    });
  }
}

}  // namespace ef::graph
