// Softmax over the last axis: inference and gradients.
#include "ops/softmax.h"

#include "kernels/cpu/softmax.h"
#include "ops/compose.h"
#include "ops/elementwise.h"
#include "ops/elementwise_infer.h"
#include "ops/op.h"
#include "ops/partial_shapes.h"
#include "tensor/error.h"

namespace ef::ops {
namespace {

void check_rank(const InferContext& c) {
  if (!may_have_rank_from(c.shape(0), 1)) {
    invalid_argument("logits must have >= 1 dimension, got ", c.shape(0), " [Op:", c.op().tf_name,
                     "]");
  }
}

void same_infer(InferContext& c) {
  check_rank(c);
  c.add_output(c.dtype(0), c.shape(0));
}

void grad_infer(InferContext& c) {
  check_rank(c);
  same_shape_infer(c);
}

Tensor row_sum(const Tensor& t) {
  const int64_t axis[] = {-1};
  return sum_over(t, axis, true);
}

double exp_cost(std::span<const Tensor> inputs, const SpecList&, AttrsRef) {
  return 1.0 * static_cast<double>(inputs[0].size());
}

}  // namespace

const Op softmax{{
    .name = "softmax",
    .tf_name = "Softmax",
    .inputs = {{"logits", kFloatTypes}},
    .infer = same_infer,
    .kernel = cpu::softmax,
    .gradient = [](GradContext& g) { g.set(0, call(softmax_grad, {g.dy(), g.output(0)})); },
    .needs = {{.outputs = 1}},
    .sizes = {},
    .may_be_unknown = Unknown::kRanks,
    .takes_lazy = true,
    .deferrable = true,
    .cost = exp_cost,
    .doc = "exp(x) / sum(exp(x)) over the last axis.",
}};

const Op log_softmax{{
    .name = "log_softmax",
    .tf_name = "LogSoftmax",
    .inputs = {{"logits", kFloatTypes}},
    .infer = same_infer,
    .kernel = cpu::log_softmax,
    .gradient = [](GradContext& g) { g.set(0, call(log_softmax_grad, {g.dy(), g.output(0)})); },
    .needs = {{.outputs = 1}},
    .sizes = {},
    .may_be_unknown = Unknown::kRanks,
    .takes_lazy = true,
    .cost = exp_cost,
    .doc = "x - log(sum(exp(x))) over the last axis.",
}};

const Op softmax_grad{{
    .name = "softmax_grad",
    .tf_name = "SoftmaxGrad",
    .inputs = {{"dy", kFloatTypes}, {"y", kFloatTypes}},
    .infer = grad_infer,
    .kernel = cpu::softmax_grad,
    // The derivatives of (dy - <dy, y>) y are (dz - <dz, y>) y with respect to dy, and dz (dy -
    // <dy, y>) - dy <dz, y> with respect to y.
    .gradient =
        [](GradContext& g) {
          const Tensor dz = g.dy();
          const Tensor& y = g.input(1);
          if (g.wants(0)) g.set(0, call(softmax_grad, {dz, y}));
          if (g.wants(1)) {
            const Tensor& dy = g.input(0);
            g.set(1, dz * (dy - row_sum(dy * y)) - dy * row_sum(dz * y));
          }
        },
    .needs = {{.inputs = 2}, {.inputs = 3}},
    .doc = "The gradient of softmax: (dy - sum(dy * y)) * y.",
}};

const Op log_softmax_grad{{
    .name = "log_softmax_grad",
    .tf_name = "LogSoftmaxGrad",
    .inputs = {{"dy", kFloatTypes}, {"y", kFloatTypes}},
    .infer = grad_infer,
    .kernel = cpu::log_softmax_grad,
    .gradient =
        [](GradContext& g) {
          const Tensor dz = g.dy();
          const Tensor p = call(exp, {g.input(1)});
          if (g.wants(0)) g.set(0, dz - row_sum(dz * p));
          if (g.wants(1)) g.set(1, -(dz * p * row_sum(g.input(0))));
        },
    .needs = {{.inputs = 2}, {.inputs = 3}},
    .doc = "The gradient of log_softmax: dy - exp(y) * sum(dy).",
}};

}  // namespace ef::ops
