// Which results wait to be part of an attention, and its computation.
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
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/softmax.h"

namespace ef {

using namespace lazy;

namespace {

// Of fewer scores, or keys of fewer numbers in a head, single steps are as fast.
constexpr int64_t kManyScores = 262'144;
constexpr int64_t kLongKeys = 1024;

// What weights that wait are made of.
struct Parts {
  Tensor product, query, key;
  bool keys_in_columns = false;
  struct Scale {
    Tensor number;
    bool divides;
  };
  std::vector<Scale> scales;
  Tensor mask;  // that is added or subtracted
  float mask_sign = 0;
  Tensor chosen, hidden;  // of a selection between scores and a number
  bool shown = true;      // where the condition has this value, scores are taken

  bool is_masked() const { return mask || chosen; }
};

bool same_batch(const Shape& a, const Shape& b) {
  if (a.rank() != b.rank()) return false;
  for (int i = 0; i < a.rank() - 2; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

// Finds what scores are made of. Under `links`.
bool follow(const Tensor& scores, const Shape& shape, Parts& parts) {
  if (scores.shape() != shape) return false;
  if (const Whole* const node = whole_of(scores)) {
    if (node->op != &ops::matmul || node->inputs.empty()) return false;
    parts.product = scores;
    parts.query = node->inputs[0];
    parts.key = node->inputs[1];
    parts.keys_in_columns = !AttrsRef(node->attrs).as<ops::MatmulAttrs>().swaps_b();
    return true;
  }
  const Pending* const node = pending_of(scores);
  if (!node || node->inputs.empty() || node->busy || node->lost) return false;
  const Operands& inputs = node->inputs;
  if (node->forwards) return follow(inputs[0], shape, parts);
  const bool adds = node->op == &ops::add;
  const bool divides = node->op == &ops::real_divide;
  if (node->op == &ops::multiply || divides) {
    const size_t k = !divides && inputs[0].size() == 1 ? 1 : 0;
    if (inputs[1 - k].size() != 1) return false;
    parts.scales.push_back({inputs[1 - k], divides});
    return follow(inputs[k], shape, parts);
  }
  if (parts.is_masked() || !parts.scales.empty()) return false;
  if (node->op == &ops::select) {
    const size_t k = inputs[1].size() == 1 ? 2 : 1;
    if (inputs[3 - k].size() != 1) return false;
    parts.chosen = inputs[0];
    parts.hidden = inputs[3 - k];
    parts.shown = k == 1;
    return follow(inputs[k], shape, parts);
  }
  if (!adds && node->op != &ops::subtract) return false;
  for (size_t k = 0; k < (adds ? 2u : 1u); ++k) {
    Parts tried;
    tried.mask = inputs[1 - k];
    tried.mask_sign = adds ? 1 : -1;
    if (inputs[0].impl() == inputs[1].impl() || !follow(inputs[k], shape, tried)) continue;
    parts = std::move(tried);
    return true;
  }
  return false;
}

// Whether products are those of queries and keys, whose scores need more memory than they do.
bool are_scores(std::span<const Tensor> inputs, AttrsRef with, const TensorSpec& spec) {
  const auto& attrs = with.as<ops::MatmulAttrs>();
  const Tensor &query = inputs[0], &key = inputs[1];
  if (attrs.swaps_a() || attrs.adjoint_b || spec.dtype != query.dtype()) return false;
  const int rank = query.rank();
  if (!same_batch(query.shape(), key.shape()) || (rank == 2 && !attrs.transpose_b)) return false;
  const int64_t count = spec.shape.num_elements();
  if (count < kManyScores || key.dim(rank - 1) * key.dim(rank - 2) < kLongKeys) return false;
  // Queries and keys take memory while scores wait, and copies in float and turned ones later.
  const int64_t copies = cpu::is_short_float(spec.dtype) ? 3 : 2;
  return count >= copies * (query.size() + key.size()) &&
         cpu::suits_attention(spec.dtype, spec.shape.back());
}

// Numbers in float, whatever they are in.
Tensor as_floats(const Tensor& tensor) {
  Tensor floats = tensor.dtype() == DType::kFloat32 ? tensor : cast_to(tensor, DType::kFloat32);
  floats.impl()->settle();
  return floats;
}

}  // namespace

Tensor make_part_of_attention(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs,
                              const TensorSpec& spec) {
  if (recording()) return {};
  if (&op == &ops::matmul) {
    if (!are_scores(inputs, attrs, spec)) return {};
    for (const Tensor& input : inputs) compute_now(input);
  } else {
    Parts parts;
    const std::lock_guard lock(links);
    if (!follow(inputs[0], spec.shape, parts)) return {};
  }
  return tensor_of(std::make_unique<Whole>(op, attrs, inputs, spec), spec);
}

bool run_attention(const Op& op, std::span<const Tensor> inputs, AttrsRef with,
                   TensorList& outputs) {
  const Whole* const weights = whole_of(inputs[0]);
  if (!weights || weights->op != &ops::softmax || &op != &ops::matmul) return false;
  if (recording() || !observers.empty() || !fuses()) return false;
  const auto& attrs = with.as<ops::MatmulAttrs>();
  const Tensor& value = inputs[1];
  const DType dtype = weights->dtype;
  if (attrs.swaps_a() || attrs.swaps_b() || outputs[0].dtype() != dtype) return false;
  Parts parts;
  {
    const std::lock_guard lock(links);
    if (weights->inputs.empty()) return false;
    if (!follow(weights->inputs[0], inputs[0].shape(), parts)) return false;
  }
  cpu::Attention a;
  a.keys_in_columns = parts.keys_in_columns;
  if (!cpu::place_matrices(parts.query.shape(), parts.key.shape(), value.shape(), a)) return false;
  const Tensor& mask = parts.mask ? parts.mask : parts.chosen;
  if (mask && !cpu::place_mask(mask.shape(), inputs[0].shape(), a)) return false;
  if (Whole::asked_for > 0) {
    --Whole::asked_for;
    return false;
  }
  for (const Parts::Scale& scale : parts.scales) {
    const float number = as_floats(scale.number).data<float>()[0];
    a.scale = scale.divides ? a.scale / number : a.scale * number;
  }
  if (!std::isfinite(a.scale)) return false;
  const Tensor floats[] = {as_floats(parts.query), as_floats(parts.key), as_floats(value)};
  a.query = floats[0].data<float>();
  a.key = floats[1].data<float>();
  a.value = floats[2].data<float>();
  if (parts.chosen) {
    a.chosen = parts.chosen.data<bool>();
    a.shown = parts.shown;
    a.hidden = as_floats(parts.hidden).data<float>()[0];
  } else if (parts.mask) {
    parts.mask = as_floats(parts.mask);
    a.mask = parts.mask.data<float>();
    a.mask_sign = parts.mask_sign;
  }
  Tensor result = outputs[0];
  if (dtype != DType::kFloat32) result = Tensor::empty(DType::kFloat32, result.shape());
  cpu::attention(a, result.mutable_data<float>(), nullptr);
  if (dtype != DType::kFloat32) {
    outputs[0] = cast_to(result, dtype);
    outputs[0].impl()->settle();
  }
  {
    const std::lock_guard lock(links);
    if (Whole* const product = whole_of(parts.product)) product->passed_over = true;
  }
  if (fusion_log) [[unlikely]] {
    fusion_log->push_back({{&ops::matmul, &ops::softmax, &ops::matmul},
                           "attention",
                           dtype,
                           outputs[0].shape(),
                           3 + static_cast<size_t>(parts.is_masked()),
                           1});
  }
  return true;
}

}  // namespace ef
