// Recognises attention among the steps of a plan, and runs it.
#include "graph/attention.h"

#include <algorithm>

#include "eager/attention.h"
#include "eager/batched.h"
#include "eager/fusion_log.h"
#include "eager/interruptible_region.h"
#include "eager/lazy.h"
#include "eager/observer.h"
#include "eager/tape.h"
#include "kernels/cpu/attention.h"
#include "kernels/cpu/widen.h"
#include "ops/compose.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/softmax.h"
#include "patterns/attention.h"

namespace ef::graph {
namespace {

// Shorter floats are computed as floats.
bool can_compute(DType dtype) { return dtype == DType::kFloat32 || cpu::is_short_float(dtype); }

bool is(const Node& node, const Op& op) { return node.op == &op && node.late.empty(); }

bool is_product(const Node& node, bool swaps_a, bool swaps_b) {
  return node.late.empty() && patterns::is_product(node.op, node.attrs, swaps_a, swaps_b);
}

}  // namespace

class Attention::Search {
 public:
  Search(std::span<const NodeSlots> steps, const SlotFacts& facts, std::span<const DType> types)
      : steps_(steps),
        facts_(facts),
        types_(types),
        giver_(facts.readers.size(), -1),
        reading_(facts.readers.size()) {
    for (size_t i = 0; i < steps.size(); ++i) {
      const auto first = static_cast<size_t>(steps[i].first_output);
      for (size_t k = 0; k < steps[i].node->outputs.size(); ++k) {
        giver_[first + k] = static_cast<int32_t>(i);
      }
      for (const int32_t slot : steps[i].inputs) {
        reading_[static_cast<size_t>(slot)].push_back(i);
      }
    }
  }

  // The view for patterns. A node may be replaced only if nothing else reads its result.
  using Value = int32_t;
  patterns::Producer<int32_t> producer(int32_t slot) const {
    if (!is_read(slot, 1) || giver(slot) < 0) return {};
    const NodeSlots& step = steps_[static_cast<size_t>(giver(slot))];
    const Node& node = *step.node;
    if (!node.op || !node.late.empty() || node.outputs.size() != 1) return {};
    return {node.op, node.attrs, step.inputs, element_loop(step, types_).forwards};
  }
  bool is_number(int32_t slot) const {
    return is_single(*facts_.shapes[static_cast<size_t>(slot)]);
  }
  bool are_same(int32_t a, int32_t b) const { return a == b; }

  std::vector<Found> take() {
    std::vector<Found> all;
    for (size_t i = 0; i < steps_.size(); ++i) {
      const Node& node = *steps_[i].node;
      if (!is(node, ops::softmax) || !can_compute(node.outputs[0].dtype())) continue;
      Parts parts;
      if (!find_scores(i, parts) || !find_products(parts)) continue;
      const Shape& key = *facts_.shapes[static_cast<size_t>(parts.operands.key)];
      if (patterns::has_long_keys(key)) all.push_back(joined(parts));
    }
    return all;
  }

 private:
  using Operands = patterns::AttentionOperands<int32_t>;
  // Slots are -1 if no node computes the value.
  struct Parts {
    Operands operands;
    std::vector<size_t> scoring;      // the steps that compute the weights, last to first
    size_t softmax = 0, product = 0;  // steps
    std::vector<size_t> backward;
    int32_t weights = -1, result = -1;
    int32_t result_grad = -1, query_grad = -1, key_grad = -1, value_grad = -1;
  };

  std::span<const size_t> reading(int32_t slot) const {
    return reading_[static_cast<size_t>(slot)];
  }
  // Whether exactly this many steps read a slot, and the slot is not a result.
  bool is_read(int32_t slot, size_t times) const {
    return reading(slot).size() == times &&
           facts_.readers[static_cast<size_t>(slot)] == static_cast<int32_t>(times);
  }
  int32_t giver(int32_t slot) const { return giver_[static_cast<size_t>(slot)]; }

  // Matches the steps from the softmax back to the product of queries and keys.
  bool find_scores(size_t softmax, Parts& parts) const {
    patterns::Scores<Search> scores;
    if (!scores.match(*this, steps_[softmax].inputs[0])) return false;
    parts.operands = std::move(scores.operands);
    parts.softmax = softmax;
    parts.weights = steps_[softmax].first_output;
    parts.scoring.push_back(softmax);
    for (const int32_t slot : scores.replaced) {
      parts.scoring.push_back(static_cast<size_t>(giver(slot)));
    }
    return true;
  }

  // Matches the product with the values, and all other readers of the weights.
  bool find_products(Parts& parts) const {
    int found = 0;
    int32_t slopes = -1;
    for (const size_t i : reading(parts.weights)) {
      const NodeSlots& step = steps_[i];
      if (step.inputs[0] == parts.weights && is_product(*step.node, false, false)) {
        ++found;
        parts.product = i;
        parts.operands.value = step.inputs[1];
        parts.result = step.first_output;
      } else if (step.inputs[0] == parts.weights && is_product(*step.node, true, false)) {
        parts.value_grad = step.first_output;
        if (!take_gradient(step.inputs[1], parts)) return false;
        parts.backward.push_back(i);
      } else if (step.inputs[1] == parts.weights && is(*step.node, ops::softmax_grad)) {
        const int32_t slot = step.inputs[0];
        if (slot == parts.weights || !is_read(slot, 1) || giver(slot) < 0) return false;
        const auto product = static_cast<size_t>(giver(slot));
        if (!is_product(*steps_[product].node, false, true)) return false;
        if (!take_gradient(steps_[product].inputs[0], parts)) return false;
        parts.backward.push_back(product);
        parts.backward.push_back(i);
        slopes = step.first_output;
      } else {
        return false;
      }
    }
    if (found != 1 || !is_read(parts.weights, reading(parts.weights).size())) return false;
    if (parts.operands.value == parts.weights || reading(parts.weights).size() > 3) return false;
    if (slopes >= 0 && !find_slopes(slopes, parts)) return false;
    if (parts.operands.condition && !parts.backward.empty()) return false;
    std::ranges::sort(parts.backward);
    return parts.backward.empty() || parts.backward.front() > parts.product;
  }

  bool take_gradient(int32_t slot, Parts& parts) const {
    if (parts.result_grad >= 0 && parts.result_grad != slot) return false;
    parts.result_grad = slot;
    return slot != parts.weights;
  }

  // Whether a step multiplies the slot by the scale.
  bool scales(const NodeSlots& step, int32_t slot, const Operands::Number& scale) const {
    const auto reads = [&](int32_t first, int32_t second) {
      return step.inputs[0] == first && step.inputs[1] == second;
    };
    if (scale.inverted) return is(*step.node, ops::real_divide) && reads(slot, scale.value);
    return is(*step.node, ops::multiply) && (reads(slot, scale.value) || reads(scale.value, slot));
  }

  // Matches the steps from the gradient of the softmax to those of queries and keys.
  bool find_slopes(int32_t slot, Parts& parts) const {
    const auto value_of = [&](size_t product) { return steps_[product].inputs[1]; };
    for (const size_t i : parts.backward) {
      if (is_product(*steps_[i].node, false, true) && value_of(i) != parts.operands.value)
        return false;
    }
    for (const Operands::Number& scale : parts.operands.scales) {
      if (!is_read(slot, 1)) return false;
      const size_t i = reading(slot)[0];
      if (!scales(steps_[i], slot, scale)) return false;
      parts.backward.push_back(i);
      slot = steps_[i].first_output;
    }
    for (const size_t i : reading(slot)) {
      const NodeSlots& step = steps_[i];
      const int32_t left = step.inputs[0];
      const int32_t right = step.node->op == &ops::matmul ? step.inputs[1] : -1;
      int32_t& query = parts.query_grad;
      int32_t& key = parts.key_grad;
      if (query < 0 && left == slot && right == parts.operands.key &&
          is_product(*step.node, false, parts.operands.keys_in_columns)) {
        query = step.first_output;
      } else if (key < 0 && !parts.operands.keys_in_columns && left == slot &&
                 right == parts.operands.query && is_product(*step.node, true, false)) {
        key = step.first_output;
      } else if (key < 0 && parts.operands.keys_in_columns && left == parts.operands.query &&
                 right == slot && is_product(*step.node, true, false)) {
        key = step.first_output;
      } else {
        return false;
      }
      parts.backward.push_back(i);
    }
    return is_read(slot, reading(slot).size());
  }

  Found joined(const Parts& parts) const {
    Found found;
    found.forward.assign(parts.scoring.rbegin(), parts.scoring.rend());
    found.recomputing = found.forward.size();
    if (!parts.backward.empty()) {
      found.backward = found.forward;
      found.backward.insert(found.backward.end(), parts.backward.begin(), parts.backward.end());
    }
    found.forward.push_back(parts.product);
    const bool both = !parts.backward.empty();
    for (int pass = 0; pass < (both ? 2 : 1); ++pass) {
      auto attention = std::make_unique<Attention>();
      attention->backward_ = pass == 1;
      attention->weights_ = parts.weights;
      attention->operands_ =
          parts.operands.map([&](int32_t slot) { return attention->add_input(slot); });
      if (pass == 1) {
        attention->result_ = attention->add_input(parts.result);
        attention->result_grad_ = attention->add_input(parts.result_grad);
      }
      found.passes[pass] = std::move(attention);
    }
    // The plan assigns a slot to the logarithms.
    found.passes[0]->outputs_ = {parts.result};
    if (both) found.passes[1]->outputs_ = {parts.query_grad, parts.key_grad, parts.value_grad};
    return found;
  }

  std::span<const NodeSlots> steps_;
  const SlotFacts& facts_;
  std::span<const DType> types_;
  std::vector<int32_t> giver_;                // the step that computes a slot, or -1
  std::vector<std::vector<size_t>> reading_;  // the steps that read it
};

std::vector<Attention::Found> Attention::find(std::span<const NodeSlots> steps,
                                              const SlotFacts& facts,
                                              std::span<const DType> types) {
  return Search(steps, facts, types).take();
}

void Attention::keep_for_backward(Found& found, int32_t slot) {
  found.passes[0]->outputs_.push_back(slot);
  found.passes[1]->kept_ = found.passes[1]->add_input(slot);
}

size_t Attention::add_input(int32_t slot) {
  inputs_.push_back(slot);
  return inputs_.size() - 1;
}

bool Attention::run(std::span<const Tensor> inputs, TensorList& outputs) const {
  if (!observers.empty() || !fuses() || !inputs[0]) return false;
  const DType dtype = inputs[0].dtype();
  if (!can_compute(dtype)) return false;
  for (const Tensor& input : inputs) {
    if (!input || input.size() == 0) return false;
    if (input.impl()->lazy() && is_batched(input)) return false;
    for (const Tape* const tape : active_tapes()) {
      if (tape->knows(input.impl()->id_or_zero())) return false;
    }
  }
  const auto operands = operands_.map([&](size_t index) { return inputs[index]; });
  cpu::Attention a;
  if (!place_operands(operands, a)) return false;
  const Shape& query = operands.query.shape();
  Shape result = query;
  result[result.rank() - 1] = a.value_size;
  if (backward_) {
    for (const size_t index : {result_, result_grad_}) {
      if (inputs[index].dtype() != dtype || inputs[index].shape() != result) return false;
    }
    if (inputs[kept_].dtype() != DType::kFloat32) return false;
  }
  TensorList floats;
  if (!read_operands(operands, a, floats)) return false;
  const double work = static_cast<double>(a.heads) * static_cast<double>(a.queries * a.keys) *
                      static_cast<double>(a.size + a.value_size);
  const InterruptibleRegion region(work / (backward_ ? 20 : 50));
  if (!backward_) {
    outputs.push_back(Tensor::empty(DType::kFloat32, result));
    const bool keeps = outputs_.size() > 1;
    if (keeps) outputs.push_back(Tensor::empty(DType::kFloat32, {cpu::kept_size(a)}));
    cpu::attention(a, outputs[0].mutable_data<float>(),
                   keeps ? outputs[1].mutable_data<float>() : nullptr);
  } else {
    float* gradients[3] = {};
    const Tensor* const of[3] = {&operands.query, &operands.key, &operands.value};
    for (size_t k = 0; k < 3; ++k) {
      outputs.push_back(outputs_[k] < 0 ? Tensor()
                                        : Tensor::empty(DType::kFloat32, of[k]->shape()));
      if (outputs_[k] >= 0) gradients[k] = outputs[k].mutable_data<float>();
    }
    cpu::attention_grad(a, as_floats(inputs[result_], floats), as_floats(inputs[kept_], floats),
                        as_floats(inputs[result_grad_], floats), gradients[0], gradients[1],
                        gradients[2]);
  }
  const size_t results = backward_ ? 3 : 1;
  for (size_t k = 0; k < results && cpu::is_short_float(dtype); ++k) {
    if (!outputs[k]) continue;
    outputs[k] = cast_to(outputs[k], dtype);
    compute_now(outputs[k]);
  }
  log_attention(backward_ ? "attention's gradient" : "attention",
                backward_ ? inputs[result_] : outputs[0], inputs.size(), outputs.size());
  return true;
}

}  // namespace ef::graph
