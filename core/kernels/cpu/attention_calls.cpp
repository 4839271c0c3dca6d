// The kernels of attention as an operation.
#include <algorithm>

#include "eager/fusion_log.h"
#include "kernels/cpu/attention.h"
#include "ops/attention.h"

namespace ef::cpu {
namespace {

Attention described(const Shape& query, const Shape& key, int64_t value_size) {
  Attention a;
  a.queries = query.back(1);
  a.size = query.back(0);
  a.keys = key.back(1);
  a.value_size = value_size;
  a.heads = query.num_elements() / std::max<int64_t>(a.queries * a.size, 1);
  return a;
}

// Of the call's inputs from `first` on.
Attention described(const KernelContext& context, int first, int mask) {
  const Tensor &query = context.input(first), &key = context.input(first + 1);
  const Tensor& value = context.input(first + 2);
  Attention a = described(query.shape(), key.shape(), value.shape().back(0));
  a.scale = static_cast<float>(context.attrs<ops::AttentionAttrs>().scale);
  a.query = query.data<float>();
  a.key = key.data<float>();
  a.value = value.data<float>();
  if (context.num_inputs() <= mask) return a;
  Shape scores = query.shape();
  scores[scores.rank() - 1] = a.keys;
  a.mask = context.input(mask).data<float>();
  place_mask(context.input(mask).shape(), scores, a);
  return a;
}

}  // namespace

int64_t kept_size(const Shape& query, const Shape& key) {
  return kept_size(described(query, key, 0));
}

void run_attention(KernelContext& context) {
  const Tensor &result = context.output(0), &kept = context.output(1);
  if (result.size() == 0) return;
  const Attention a = described(context, 0, 3);
  if (a.keys == 0) {
    std::fill_n(result.mutable_data<float>(), result.size(), 0.0F);
    return;
  }
  log_attention("attention", result, context.inputs().size(), 2);
  attention(a, result.mutable_data<float>(),
            kept.size() > 0 ? kept.mutable_data<float>() : nullptr);
}

void run_attention_grad(KernelContext& context) {
  const Attention a = described(context, 1, 6);
  if (context.input(4).size() == 0 || a.keys == 0) {
    for (int k = 0; k < 3; ++k) {
      const Tensor& gradient = context.output(k);
      std::fill_n(gradient.mutable_data<float>(), gradient.size(), 0.0F);
    }
    return;
  }
  log_attention("attention's gradient", context.input(4), context.inputs().size(), 3);
  const auto at = [&](int i) { return context.input(i).data<float>(); };
  const auto to = [&](int k) { return context.output(k).mutable_data<float>(); };
  attention_grad(a, at(4), at(5), at(0), to(0), to(1), to(2));
}

}  // namespace ef::cpu
