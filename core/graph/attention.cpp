// Finding attention among the steps of a plan, and running it.
#include "graph/attention.h"

#include <algorithm>
#include <cmath>

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

namespace ef::graph {
namespace {

// Shorter floats are computed as floats.
bool can_compute(DType dtype) { return dtype == DType::kFloat32 || cpu::is_short_float(dtype); }

bool is(const Node& node, const Op& op) { return node.op == &op && node.late.empty(); }

// Whether the node is a product with just these operands swapped.
bool is_product(const Node& node, bool swaps_a, bool swaps_b) {
  if (!is(node, ops::matmul)) return false;
  const auto& attrs = node.attrs.as<ops::MatmulAttrs>();
  return attrs.swaps_a() == swaps_a && attrs.swaps_b() == swaps_b;
}

}  // namespace

class Attention::Search {
 public:
  Search(std::span<const NodeSlots> steps, const SlotFacts& facts)
      : steps_(steps),
        facts_(facts),
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

  std::vector<Found> take() {
    std::vector<Found> all;
    for (size_t i = 0; i < steps_.size(); ++i) {
      const Node& node = *steps_[i].node;
      if (!is(node, ops::softmax) || !can_compute(node.outputs[0].dtype())) continue;
      Parts parts;
      if (find_scores(i, parts) && find_products(parts) && pays(parts)) {
        all.push_back(joined(parts));
      }
    }
    return all;
  }

 private:
  struct Scale {
    int32_t slot;
    bool divides;
    bool operator==(const Scale&) const = default;
  };
  // Slots are -1 for what there is not.
  struct Parts {
    std::vector<size_t> scoring;      // the steps that compute the weights, the last one first
    size_t softmax = 0, product = 0;  // steps
    std::vector<size_t> backward;
    int32_t query = -1, key = -1, value = -1, mask = -1, weights = -1, result = -1;
    int32_t result_grad = -1, query_grad = -1, key_grad = -1, value_grad = -1;
    bool keys_in_columns = false;
    int mask_sign = 0;
    int32_t chosen = -1, hidden = -1;  // of a selection between scores and a scalar
    bool shown = true;                 // where the condition has this value, scores are taken
    std::vector<Scale> scales;         // the last one first
    std::vector<int32_t> shifts;       // scalars that are added after scales
  };

  std::span<const size_t> reading(int32_t slot) const {
    return reading_[static_cast<size_t>(slot)];
  }
  // Whether exactly this many steps read a slot, and it is not a result.
  bool is_read(int32_t slot, size_t times) const {
    return reading(slot).size() == times &&
           facts_.readers[static_cast<size_t>(slot)] == static_cast<int32_t>(times);
  }
  int32_t giver(int32_t slot) const { return giver_[static_cast<size_t>(slot)]; }

  // The step that multiplies or divides a slot by a scalar, and the scalar.
  bool is_scale(const NodeSlots& step, int32_t* scaled, Scale* scale) const {
    const Node& node = *step.node;
    if (!is(node, ops::multiply) && !is(node, ops::real_divide)) return false;
    const bool divides = node.op == &ops::real_divide;
    for (size_t k = 0; k < 2; ++k) {
      const int32_t number = step.inputs[1 - k];
      if ((divides && k == 1) || number == step.inputs[k] || !is_number(number)) continue;
      *scaled = step.inputs[k];
      *scale = {number, divides};
      return true;
    }
    return false;
  }
  bool is_number(int32_t slot) const {
    const Shape& shape = *facts_.shapes[static_cast<size_t>(slot)];
    return shape.ranked() && shape.rank() == 0;
  }

  // Very small matrices are multiplied faster one by one.
  bool pays(const Parts& parts) const {
    constexpr int64_t kSmall = 1024;  // elements of the keys of a head
    const Shape& key = *facts_.shapes[static_cast<size_t>(parts.key)];
    if (!key.ranked() || key.rank() < 2) return true;
    return key.back(0) < 0 || key.back(1) < 0 || key.back(0) * key.back(1) >= kSmall;
  }

  // From the softmax back to the product of queries and keys.
  bool find_scores(size_t softmax, Parts& parts) const {
    parts.softmax = softmax;
    parts.weights = steps_[softmax].first_output;
    parts.scoring.push_back(softmax);
    return follow(steps_[softmax].inputs[0], parts);
  }
  bool follow(int32_t slot, Parts& parts) const {
    if (!is_read(slot, 1) || giver(slot) < 0) return false;
    const auto i = static_cast<size_t>(giver(slot));
    const NodeSlots& step = steps_[i];
    if (step.node->outputs.size() != 1) return false;
    if (is_product(*step.node, false, true) || is_product(*step.node, false, false)) {
      parts.query = step.inputs[0];
      parts.key = step.inputs[1];
      parts.keys_in_columns = is_product(*step.node, false, false);
      parts.scoring.push_back(i);
      return true;
    }
    int32_t scaled = -1;
    Scale scale{};
    if (is_scale(step, &scaled, &scale)) {
      parts.scales.push_back(scale);
      parts.scoring.push_back(i);
      return follow(scaled, parts);
    }
    const bool adds = is(*step.node, ops::add);
    if (adds && parts.scales.empty() && is_number(step.inputs[1]) &&
        step.inputs[0] != step.inputs[1]) {
      parts.shifts.push_back(step.inputs[1]);
      parts.scoring.push_back(i);
      return follow(step.inputs[0], parts);
    }
    if (parts.mask_sign != 0 || parts.chosen >= 0 || !parts.scales.empty()) return false;
    if (is(*step.node, ops::select)) {
      const size_t k = is_number(step.inputs[1]) ? 2 : 1;
      if (!is_number(step.inputs[3 - k])) return false;
      parts.chosen = step.inputs[0];
      parts.hidden = step.inputs[3 - k];
      parts.shown = k == 1;
      parts.scoring.push_back(i);
      return follow(step.inputs[k], parts);
    }
    if (!adds && !is(*step.node, ops::subtract)) return false;
    for (size_t k = 0; k < (adds ? 2u : 1u); ++k) {
      Parts tried = parts;
      tried.mask = step.inputs[1 - k];
      tried.mask_sign = adds ? 1 : -1;
      tried.scoring.push_back(i);
      if (tried.mask != step.inputs[k] && follow(step.inputs[k], tried)) {
        parts = std::move(tried);
        return true;
      }
    }
    return false;
  }

  // The product with the values, and all other readers of the weights.
  bool find_products(Parts& parts) const {
    int found = 0;
    int32_t slopes = -1;
    for (const size_t i : reading(parts.weights)) {
      const NodeSlots& step = steps_[i];
      if (step.inputs[0] == parts.weights && is_product(*step.node, false, false)) {
        ++found;
        parts.product = i;
        parts.value = step.inputs[1];
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
    if (parts.value == parts.weights || reading(parts.weights).size() > 3) return false;
    if (slopes >= 0 && !find_slopes(slopes, parts)) return false;
    if (parts.chosen >= 0 && !parts.backward.empty()) return false;
    std::ranges::sort(parts.backward);
    return parts.backward.empty() || parts.backward.front() > parts.product;
  }

  bool take_gradient(int32_t slot, Parts& parts) const {
    if (parts.result_grad >= 0 && parts.result_grad != slot) return false;
    parts.result_grad = slot;
    return slot != parts.weights;
  }

  // From the gradient of the softmax to those of queries and keys.
  bool find_slopes(int32_t slot, Parts& parts) const {
    const auto value_of = [&](size_t product) { return steps_[product].inputs[1]; };
    for (const size_t i : parts.backward) {
      if (is_product(*steps_[i].node, false, true) && value_of(i) != parts.value) return false;
    }
    for (const Scale& expected : parts.scales) {
      int32_t scaled = -1;
      Scale scale{};
      if (!is_read(slot, 1)) return false;
      const size_t i = reading(slot)[0];
      if (!is_scale(steps_[i], &scaled, &scale) || scaled != slot || scale != expected) {
        return false;
      }
      parts.backward.push_back(i);
      slot = steps_[i].first_output;
    }
    for (const size_t i : reading(slot)) {
      const NodeSlots& step = steps_[i];
      const int32_t left = step.inputs[0];
      const int32_t right = step.node->op == &ops::matmul ? step.inputs[1] : -1;
      int32_t& query = parts.query_grad;
      int32_t& key = parts.key_grad;
      if (query < 0 && left == slot && right == parts.key &&
          is_product(*step.node, false, parts.keys_in_columns)) {
        query = step.first_output;
      } else if (key < 0 && !parts.keys_in_columns && left == slot && right == parts.query &&
                 is_product(*step.node, true, false)) {
        key = step.first_output;
      } else if (key < 0 && parts.keys_in_columns && left == parts.query && right == slot &&
                 is_product(*step.node, true, false)) {
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
      attention->softmax_ = steps_[parts.softmax].node;
      attention->backward_ = pass == 1;
      attention->keys_in_columns_ = parts.keys_in_columns;
      attention->mask_sign_ = parts.mask_sign;
      attention->weights_ = parts.weights;
      attention->inputs_ = {parts.query, parts.key, parts.value};
      if (parts.mask_sign != 0) attention->inputs_.push_back(parts.mask);
      attention->chooses_ = parts.chosen >= 0;
      attention->shown_ = parts.shown;
      if (parts.chosen >= 0) {
        attention->inputs_.insert(attention->inputs_.end(), {parts.chosen, parts.hidden});
      }
      for (const Scale& scale : parts.scales) {
        attention->inputs_.push_back(scale.slot);
        attention->divides_.push_back(scale.divides);
      }
      attention->shifts_ = parts.shifts.size();
      attention->inputs_.insert(attention->inputs_.end(), parts.shifts.begin(), parts.shifts.end());
      found.passes[pass] = std::move(attention);
    }
    // The plan assigns a slot to the logarithms.
    found.passes[0]->outputs_ = {parts.result};
    if (both) {
      found.passes[1]->inputs_.insert(found.passes[1]->inputs_.end(),
                                      {parts.result, parts.result_grad});
      found.passes[1]->outputs_ = {parts.query_grad, parts.key_grad, parts.value_grad};
    }
    return found;
  }

  std::span<const NodeSlots> steps_;
  const SlotFacts& facts_;
  std::vector<int32_t> giver_;                // the step that computes a slot, or -1
  std::vector<std::vector<size_t>> reading_;  // the steps that read it
};

std::vector<Attention::Found> Attention::find(std::span<const NodeSlots> steps,
                                              const SlotFacts& facts) {
  return Search(steps, facts).take();
}

void Attention::keep_for_backward(Found& found, int32_t slot) {
  found.passes[0]->outputs_.push_back(slot);
  found.passes[1]->inputs_.push_back(slot);
}

bool Attention::run(std::span<const Tensor> inputs, TensorList& outputs) const {
  if (!observers.empty() || !fuses() || !inputs[0]) return false;
  const DType dtype = inputs[0].dtype();
  if (!can_compute(dtype)) return false;
  for (size_t k = 0; k < inputs.size(); ++k) {
    const Tensor& input = inputs[k];
    if (!input || input.size() == 0) return false;
    // What the forward pass has kept is in floats.
    const bool kept = backward_ && k + 1 == inputs.size();
    const bool chosen = chooses_ && k == 3;
    if (input.dtype() != (kept ? DType::kFloat32 : chosen ? DType::kBool : dtype)) return false;
    if (input.impl()->lazy() && is_batched(input)) return false;
    for (const Tape* const tape : active_tapes()) {
      if (tape->knows(input.impl()->id_or_zero())) return false;
    }
  }
  const Shape& query = inputs[0].shape();
  cpu::Attention a;
  a.keys_in_columns = keys_in_columns_;
  if (!cpu::place_matrices(query, inputs[1].shape(), inputs[2].shape(), a)) return false;
  if (!cpu::suits_attention(dtype, a.keys)) return false;
  Shape scores = query;
  scores[scores.rank() - 1] = a.keys;
  Shape result = query;
  result[result.rank() - 1] = a.value_size;
  size_t next = 3;
  if (mask_sign_ != 0 || chooses_) {
    if (!cpu::place_mask(inputs[3].shape(), scores, a)) return false;
    next += chooses_ ? 2 : 1;
  }
  if (backward_) {
    const Tensor& gradient = inputs[next + divides_.size() + shifts_ + 1];
    if (gradient.shape() != result) return false;
  }
  TensorList floats;  // of shorter ones
  for (size_t k = 0; k < inputs.size(); ++k) {
    inputs[k].impl()->settle();
    if (!cpu::is_short_float(dtype)) continue;
    floats.push_back(chooses_ && k == 3 ? inputs[k] : cast_to(inputs[k], DType::kFloat32));
  }
  if (!floats.empty()) inputs = floats;
  a.query = inputs[0].data<float>();
  a.key = inputs[1].data<float>();
  a.value = inputs[2].data<float>();
  if (mask_sign_ != 0) {
    a.mask = inputs[3].data<float>();
    a.mask_sign = static_cast<float>(mask_sign_);
  } else if (chooses_) {
    a.chosen = inputs[3].data<bool>();
    a.shown = shown_;
    a.hidden = inputs[4].data<float>()[0];
  }
  for (const char divides : divides_) {
    const float number = inputs[next++].data<float>()[0];
    a.scale = divides ? a.scale / number : a.scale * number;
  }
  // A softmax is the same for shifted scores, but for their rounding.
  constexpr float kSmallShift = 1e-6F;
  for (size_t k = 0; k < shifts_; ++k) {
    if (!(std::abs(inputs[next++].data<float>()[0]) <= kSmallShift)) return false;
  }
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
    for (size_t k = 0; k < 3; ++k) {
      outputs.push_back(outputs_[k] < 0 ? Tensor()
                                        : Tensor::empty(DType::kFloat32, inputs[k].shape()));
      if (outputs_[k] >= 0) gradients[k] = outputs[k].mutable_data<float>();
    }
    cpu::attention_grad(a, inputs[next].data<float>(), inputs[next + 2].data<float>(),
                        inputs[next + 1].data<float>(), gradients[0], gradients[1], gradients[2]);
  }
  const size_t results = backward_ ? 3 : 1;
  for (size_t k = 0; k < results && cpu::is_short_float(dtype); ++k) {
    if (!outputs[k]) continue;
    outputs[k] = cast_to(outputs[k], dtype);
    compute_now(outputs[k]);
  }
  if (fusion_log) [[unlikely]] {
    fusion_log->push_back({{&ops::matmul, &ops::softmax, &ops::matmul},
                           backward_ ? "attention's gradient" : "attention",
                           dtype,
                           result,
                           inputs.size(),
                           outputs.size()});
  }
  return true;
}

}  // namespace ef::graph
