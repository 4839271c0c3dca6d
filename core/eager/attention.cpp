// Deferred scores and weights, and the attention that is computed from them.
#include "eager/attention.h"

#include <cmath>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "eager/fusion_log.h"
#include "eager/lazy.h"
#include "eager/observer.h"
#include "eager/pending.h"
#include "eager/tape.h"
#include "kernels/cpu/attention.h"
#include "kernels/cpu/widen.h"
#include "ops/compose.h"
#include "ops/matmul.h"
#include "ops/softmax.h"
#include "patterns/attention.h"

namespace ef {

using namespace lazy;

namespace {

// With fewer scores, single steps are as fast.
constexpr int64_t kManyScores = 262'144;

// Deferred results of one shape, that of the scores. Guarded by `links`.
class DeferredView {
 public:
  using Value = Tensor;

  explicit DeferredView(const Shape& shape) : shape_(shape) {}

  patterns::Producer<Tensor> producer(const Tensor& value) const {
    if (value.shape() != shape_) return {};
    if (const DeferredPart* const node = deferred_part_of(value); node && !node->inputs.empty()) {
      return {node->op, node->attrs, node->inputs};
    }
    const Pending* const node = pending_of(value);
    if (!node || node->inputs.empty() || node->busy || node->lost) return {};
    return {node->op, node->attrs, node->inputs, node->forwards};
  }
  bool is_number(const Tensor& value) const { return value.size() == 1; }
  bool are_same(const Tensor& a, const Tensor& b) const { return a.impl() == b.impl(); }

 private:
  const Shape& shape_;
};

using DeferredScores = patterns::Scores<DeferredView>;

Shape scores_of(const Tensor& query, const cpu::Attention& a) {
  Shape scores = query.shape();
  scores[scores.rank() - 1] = a.keys;
  return scores;
}

bool same_batch(const Shape& a, const Shape& b) {
  if (a.rank() != b.rank()) return false;
  for (int i = 0; i < a.rank() - 2; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

// Whether a product may be that of queries and keys, with scores larger than queries and keys.
bool are_scores(std::span<const Tensor> inputs, AttrsRef with, const TensorSpec& spec) {
  const auto& attrs = with.as<ops::MatmulAttrs>();
  const Tensor &query = inputs[0], &key = inputs[1];
  if (attrs.swaps_a() || spec.dtype != query.dtype()) return false;
  // A product of two matrices without batch axes is usually a dense layer.
  if (!same_batch(query.shape(), key.shape()) || (query.rank() == 2 && !attrs.swaps_b())) {
    return false;
  }
  const int64_t count = spec.shape.num_elements();
  if (count < kManyScores || !patterns::has_long_keys(key.shape())) return false;
  // A deferred product keeps queries and keys in memory. Its computation adds float copies and
  // transposed copies.
  const int64_t copies = cpu::is_short_float(spec.dtype) ? 3 : 2;
  return count >= copies * (query.size() + key.size()) &&
         cpu::suits_attention(spec.dtype, spec.shape.back());
}

}  // namespace

const float* as_floats(const Tensor& tensor, TensorList& floats) {
  const bool converts = tensor.dtype() != DType::kFloat32;
  floats.push_back(converts ? cast_to(tensor, DType::kFloat32) : tensor);
  floats.back().impl()->settle();
  return floats.back().data<float>();
}

bool place_operands(const patterns::AttentionOperands<Tensor>& operands, cpu::Attention& a) {
  const DType dtype = operands.query.dtype();
  const auto suits = [&](const Tensor& tensor) {
    return tensor.dtype() == dtype && tensor.size() > 0;
  };
  if (!suits(operands.query) || !suits(operands.key) || !suits(operands.value)) return false;
  a.keys_in_columns = operands.keys_in_columns;
  if (!cpu::place_matrices(operands.query.shape(), operands.key.shape(), operands.value.shape(),
                           a)) {
    return false;
  }
  if (!cpu::suits_attention(dtype, a.keys)) return false;
  const Shape scores = scores_of(operands.query, a);
  const auto is_number = [&](const Tensor& tensor) {
    return suits(tensor) && tensor.size() == 1 && tensor.rank() <= scores.rank();
  };
  for (const auto* const numbers : {&operands.scales, &operands.shifts}) {
    for (const auto& number : *numbers) {
      if (!is_number(number.value)) return false;
    }
  }
  if (operands.condition) {
    const Tensor& condition = *operands.condition;
    return condition.dtype() == DType::kBool && condition.size() > 0 &&
           is_number(*operands.hidden) && cpu::place_mask(condition.shape(), scores, a);
  }
  return !operands.mask ||
         (suits(*operands.mask) && cpu::place_mask(operands.mask->shape(), scores, a));
}

bool read_operands(const patterns::AttentionOperands<Tensor>& operands, cpu::Attention& a,
                   TensorList& floats) {
  for (const auto& scale : operands.scales) {
    const float number = *as_floats(scale.value, floats);
    a.scale = scale.inverted ? a.scale / number : a.scale * number;
  }
  if (!std::isfinite(a.scale)) return false;
  if (operands.mask) {
    a.mask = as_floats(*operands.mask, floats);
    a.mask_sign = operands.subtracts_mask ? -1 : 1;
  } else if (operands.condition) {
    a.chosen = operands.condition->data<bool>();
    a.shown = operands.shown;
    a.hidden = *as_floats(*operands.hidden, floats);
  }
  // A shift of all scores does not change the softmax, except for rounding. A large shift is a
  // mask.
  constexpr float kSmallShift = 1e-6F;
  for (const auto& shift : operands.shifts) {
    const float* const number = as_floats(shift.value, floats);
    if (std::abs(*number) <= kSmallShift) continue;
    if (a.mask || a.chosen) return false;
    a.mask = number;
    a.mask_sign = shift.inverted ? -1 : 1;
    cpu::place_mask(shift.value.shape(), scores_of(operands.query, a), a);
  }
  a.query = as_floats(operands.query, floats);
  a.key = as_floats(operands.key, floats);
  a.value = as_floats(operands.value, floats);
  return true;
}

Tensor make_part_of_attention(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs,
                              const TensorSpec& spec) {
  if (recording()) return {};
  if (&op == &ops::matmul) {
    if (!are_scores(inputs, attrs, spec)) return {};
    for (const Tensor& input : inputs) compute_now(input);
  } else {
    DeferredScores scores;
    const std::lock_guard lock(links);
    if (!scores.match(DeferredView(spec.shape), inputs[0])) return {};
  }
  return tensor_of(std::make_unique<DeferredPart>(op, attrs, inputs, spec), spec);
}

bool run_attention(const Op& op, std::span<const Tensor> inputs, AttrsRef with,
                   TensorList& outputs) {
  const DeferredPart* const weights = deferred_part_of(inputs[0]);
  if (!weights || weights->op != &ops::softmax || &op != &ops::matmul) return false;
  if (recording() || !observers.empty() || !fuses()) return false;
  const DType dtype = weights->dtype;
  if (!patterns::is_product(&op, with, false, false) || outputs[0].dtype() != dtype) return false;
  DeferredScores scores;
  {
    const std::lock_guard lock(links);
    if (weights->inputs.empty()) return false;
    if (!scores.match(DeferredView(inputs[0].shape()), weights->inputs[0])) return false;
  }
  scores.operands.value = inputs[1];
  cpu::Attention a;
  if (!place_operands(scores.operands, a)) return false;
  if (DeferredPart::unfused_runs > 0) {
    --DeferredPart::unfused_runs;
    return false;
  }
  TensorList floats;
  if (!read_operands(scores.operands, a, floats)) return false;
  Tensor result = outputs[0];
  if (dtype != DType::kFloat32) result = Tensor::empty(DType::kFloat32, result.shape());
  cpu::attention(a, result.mutable_data<float>(), nullptr);
  if (dtype != DType::kFloat32) {
    outputs[0] = cast_to(result, dtype);
    outputs[0].impl()->settle();
  }
  {
    const std::lock_guard lock(links);
    if (DeferredPart* const product = deferred_part_of(scores.replaced.back()))
      product->skipped = true;
  }
  log_attention("attention", outputs[0], scores.operands.size(), 1);
  return true;
}

}  // namespace ef
