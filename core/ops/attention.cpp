// Attention: inference and gradients.
//
// If a tape records, as for gradients of gradients, the gradient is composed of differentiable
// operations; otherwise one operation computes it.
#include "ops/attention.h"

#include "eager/tape.h"
#include "kernels/cpu/attention.h"
#include "ops/attr_fields.h"
#include "ops/compose.h"
#include "ops/matmul.h"
#include "ops/op.h"
#include "ops/partial_shapes.h"
#include "ops/softmax.h"
#include "tensor/error.h"

namespace ef::ops {
namespace {

constexpr DTypeSet kAttentionTypes{DType::kFloat32};

// Matrices of one batch with matching sizes.
void check_shapes(InferContext& c, int first) {
  const Shape &query = c.shape(first), &key = c.shape(first + 1), &value = c.shape(first + 2);
  const auto fits = [&] {
    if (query.rank() < 2 || key.rank() != query.rank() || value.rank() != query.rank()) {
      return false;
    }
    for (int i = 2; i < query.rank(); ++i) {
      if (!compatible(query.back(i), key.back(i)) || !compatible(query.back(i), value.back(i))) {
        return false;
      }
    }
    return compatible(query.back(0), key.back(0)) && compatible(key.back(1), value.back(1));
  };
  if (query.ranked() && key.ranked() && value.ranked() && !fits()) {
    invalid_argument("Attention takes queries [..., queries, size], keys [..., keys, size] and ",
                     "values [..., keys, width] of one batch, not ", query, ", ", key, " and ",
                     value, " [Op:", c.op().tf_name, "]");
  }
}

// The mask must broadcast to the scores, [..., queries, keys].
void check_mask(InferContext& c, int mask, int first) {
  const Shape &query = c.shape(first), &key = c.shape(first + 1), &given = c.shape(mask);
  if (!query.ranked() || !key.ranked() || !given.ranked()) return;
  bool fits = given.rank() <= query.rank();
  for (int i = 0; fits && i < given.rank(); ++i) {
    const int64_t size = i == 0 ? key.back(1) : query.back(i);
    fits = given.back(i) == 1 || compatible(given.back(i), size);
  }
  if (!fits) {
    invalid_argument("The mask of an attention of queries ", query, " and keys ", key,
                     " has the shape [..., queries, keys] or broadcasts to it, not ", given,
                     " [Op:", c.op().tf_name, "]");
  }
}

double attention_cost(std::span<const Tensor> inputs, const SpecList&, AttrsRef) {
  const double keys = static_cast<double>(inputs[1].dim(inputs[1].rank() - 2));
  return static_cast<double>(inputs[0].size()) * keys / 25;
}

double attention_grad_cost(std::span<const Tensor> inputs, const SpecList& specs, AttrsRef attrs) {
  return 3 * attention_cost(inputs.subspan(1), specs, attrs);
}

Tensor matrix_product(const Tensor& a, const Tensor& b, bool transpose_a, bool transpose_b) {
  return call(matmul, {a, b}, MatmulAttrs{.transpose_a = transpose_a, .transpose_b = transpose_b});
}

void composed_gradient(GradContext& g) {
  const Tensor &query = g.input(0), &key = g.input(1), &value = g.input(2);
  const double scale = g.attrs<AttentionAttrs>().scale;
  const bool masked = g.num_inputs() > 3;
  const Tensor dy = g.dy();
  Tensor scores = matrix_product(query, key, false, true) * scale;
  if (masked) scores = scores + g.input(3);
  const Tensor weights = call(softmax, {scores});
  if (g.wants(2)) g.set(2, matrix_product(weights, dy, true, false));
  const Tensor slopes = call(softmax_grad, {matrix_product(dy, value, false, true), weights});
  if (masked && g.wants(3)) g.set(3, sum_to_shape(slopes, g.input_shape(3)));
  const Tensor scaled = slopes * scale;
  if (g.wants(0)) g.set(0, matrix_product(scaled, key, false, false));
  if (g.wants(1)) g.set(1, matrix_product(scaled, query, true, false));
}

void attention_gradient(GradContext& g) {
  const bool masked = g.num_inputs() > 3;
  if (recording() || (masked && g.wants(3))) return composed_gradient(g);
  TensorList inputs{g.dy()};
  for (int i = 0; i < 3; ++i) inputs.push_back(g.input(i));
  for (int k = 0; k < 2; ++k) inputs.push_back(g.output(k));
  if (masked) inputs.push_back(g.input(3));
  TensorList found;
  run(attention_grad, inputs, g.attrs(), found);
  for (int i = 0; i < 3; ++i) g.set(i, found[i]);
}

}  // namespace

const Op attention{{
    .name = "attention",
    .tf_name = "ScaledDotProductAttention",
    .inputs = {{"query", kAttentionTypes},
               {"key", kAttentionTypes},
               {"value", kAttentionTypes},
               {.name = "mask", .dtypes = kAttentionTypes, .optional = true}},
    .attrs = attrs_of<AttentionAttrs>(),
    .infer =
        [](InferContext& c) {
          check_shapes(c, 0);
          if (c.num_inputs() > 3) check_mask(c, 3, 0);
          Shape result = c.shape(0);
          const Shape& value = c.shape(2);
          if (result.ranked()) result[result.rank() - 1] = size_from_end(value);
          c.add_output(c.dtype(0), result);
          const int64_t kept = c.symbolic()   ? kUnknownSize
                               : !recording() ? 0
                                              : cpu::kept_size(c.shape(0), c.shape(1));
          c.add_output(c.dtype(0), {kept});
        },
    .outputs = 2,
    .kernel = cpu::run_attention,
    .gradient = attention_gradient,
    .needs = {{.inputs = 15, .outputs = 3}},
    .cost = attention_cost,
    .doc = "softmax(query @ key^T * scale + mask) @ value, without the scores in memory; with it "
           "what the gradient needs, if a tape records.",
}};

const Op attention_grad{{
    .name = "attention_grad",
    .tf_name = "ScaledDotProductAttentionGrad",
    .inputs = {{"dy", kAttentionTypes},
               {"query", kAttentionTypes},
               {"key", kAttentionTypes},
               {"value", kAttentionTypes},
               {"result", kAttentionTypes},
               {"kept", kAttentionTypes},
               {.name = "mask", .dtypes = kAttentionTypes, .optional = true}},
    .attrs = attrs_of<AttentionAttrs>(),
    .infer =
        [](InferContext& c) {
          check_shapes(c, 1);
          if (c.num_inputs() > 6) check_mask(c, 6, 1);
          Shape result = c.shape(1);
          if (result.ranked()) result[result.rank() - 1] = size_from_end(c.shape(3));
          const bool known = !c.symbolic();
          if (!may_equal(c.shape(0), result) || !may_equal(c.shape(4), result) ||
              (known && c.shape(5).num_elements() != cpu::kept_size(c.shape(1), c.shape(2)))) {
            invalid_argument("dy ", c.shape(0), ", result ", c.shape(4), " and kept ", c.shape(5),
                             " do not fit queries ", c.shape(1), ", keys ", c.shape(2),
                             " and values ", c.shape(3), " [Op:", c.op().tf_name, "]");
          }
          for (int i = 1; i < 4; ++i) c.add_output(c.dtype(0), c.shape(i));
        },
    .outputs = 3,
    .kernel = cpu::run_attention_grad,
    .cost = attention_grad_cost,
    .doc = "The gradients of attention's result by query, key and value.",
}};

}  // namespace ef::ops
