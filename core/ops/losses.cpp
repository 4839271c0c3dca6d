// Losses on logits: inference and gradients.
#include "ops/losses.h"

#include "kernels/cpu/softmax.h"
#include "ops/array.h"
#include "ops/compose.h"
#include "ops/elementwise.h"
#include "ops/op.h"
#include "ops/partial_shapes.h"
#include "ops/softmax.h"
#include "tensor/error.h"

namespace ef::ops {
namespace {

Tensor as_column(const Tensor& t) { return call(expand_dims, {t}, ExpandDimsAttrs{.axis = -1}); }

// The gradient of the logits: the loss's gradient times the stored gradient, and, for second
// derivatives, the gradient of the stored gradient through softmax.
Tensor logits_gradient(GradContext& g) {
  Tensor result = as_column(g.dy(0)) * g.output(1);
  if (g.has_dy(1)) {
    const Tensor probabilities = call(softmax, {g.input(0)});
    result = result + call(softmax_grad, {g.dy(1), probabilities});
  }
  return result;
}

double loss_cost(std::span<const Tensor> inputs, const SpecList&, AttrsRef) {
  return 2.0 * static_cast<double>(inputs[0].size());
}

}  // namespace

const Op softmax_cross_entropy{{
    .name = "softmax_cross_entropy",
    .tf_name = "SoftmaxCrossEntropyWithLogits",
    .inputs = {{"features", kFloatTypes}, {"labels", kFloatTypes}},
    .infer =
        [](InferContext& c) {
          if (!may_equal(c.shape(0), c.shape(1))) {
            invalid_argument("logits and labels must be broadcastable: logits_size=", c.shape(0),
                             " labels_size=", c.shape(1), " [Op:", c.op().tf_name, "]");
          }
          const Shape shape = merged(c.shape(0), c.shape(1));
          if (!may_have_rank(shape, 2)) {
            invalid_argument("logits must be 2-dimensional, got ", shape, " [Op:", c.op().tf_name,
                             "]");
          }
          c.add_output(c.dtype(0), {size_of(shape, 0)});
          c.add_output(c.dtype(0), ranked_as(shape, 2));
        },
    .outputs = 2,
    .kernel = cpu::softmax_cross_entropy,
    .gradient =
        [](GradContext& g) {
          if (g.wants(0)) g.set(0, logits_gradient(g));
          if (g.wants(1)) {
            g.set(1, -(as_column(g.dy(0)) * call(log_softmax, {g.input(0)})));
          }
        },
    .needs = {{.inputs = 1, .outputs = 2}, {.inputs = 1}},
    .may_be_unknown = Unknown::kRanks,
    .makes_outputs = true,
    .cost = loss_cost,
    .doc = "Cross entropy of label distributions and softmax(features): loss, and its gradient.",
}};

const Op sparse_softmax_cross_entropy{{
    .name = "sparse_softmax_cross_entropy",
    .tf_name = "SparseSoftmaxCrossEntropyWithLogits",
    .inputs = {{"features", kFloatTypes}, {"labels", kIndexTypes, "Tlabels"}},
    .infer =
        [](InferContext& c) {
          const int64_t rows = size_of(c.shape(0), 0);
          const int64_t labels = size_of(c.shape(1), 0);
          if (!may_have_rank(c.shape(0), 2) || !may_have_rank(c.shape(1), 1) ||
              !compatible(rows, labels)) {
            invalid_argument(
                "logits and labels must have the same first dimension, got logits "
                "shape ",
                c.shape(0), " and labels shape ", c.shape(1), " [Op:", c.op().tf_name, "]");
          }
          const int64_t count = merged(rows, labels);
          c.add_output(c.dtype(0), {count});
          c.add_output(c.dtype(0), {count, size_of(c.shape(0), 1)});
        },
    .outputs = 2,
    .kernel = cpu::sparse_softmax_cross_entropy,
    .gradient = [](GradContext& g) { g.set(0, logits_gradient(g)); },
    .needs = {{.inputs = 1, .outputs = 2}, {}},
    .may_be_unknown = Unknown::kRanks,
    .makes_outputs = true,
    .cost = loss_cost,
    .doc = "Cross entropy of class ids and softmax(features): loss, and its gradient.",
}};

const Op sigmoid_cross_entropy{{
    .name = "sigmoid_cross_entropy",
    .tf_name = "SigmoidCrossEntropyWithLogits",
    .inputs = {{"labels", kFloatTypes}, {"logits", kFloatTypes}},
    .infer =
        [](InferContext& c) {
          if (!may_equal(c.shape(0), c.shape(1))) {
            fail(Code::kValueError, "`logits` and `labels` must have the same shape, received ",
                 c.shape(1), " vs ", c.shape(0), ".");
          }
          c.add_output(c.dtype(0), merged(c.shape(0), c.shape(1)));
        },
    .kernel = cpu::sigmoid_cross_entropy,
    .gradient =
        [](GradContext& g) {
          if (g.wants(0)) g.set(0, -(g.dy() * g.input(1)));
          if (g.wants(1)) g.set(1, g.dy() * (call(sigmoid, {g.input(1)}) - g.input(0)));
        },
    .needs = {{.inputs = 2}, {.inputs = 3}},
    .doc = "max(x, 0) - x * z + log(1 + exp(-|x|)) for logits x and labels z.",
}};

const Op l2_loss{{
    .name = "l2_loss",
    .tf_name = "L2Loss",
    .inputs = {{"t", kFloatTypes}},
    .infer = [](InferContext& c) { c.add_output(c.dtype(0), {}); },
    .kernel = cpu::l2_loss,
    .gradient = [](GradContext& g) { g.set(0, g.dy() * g.input(0)); },
    .needs = {{.inputs = 1}},
    .may_be_unknown = Unknown::kRanks,
    .doc = R"(Half the sum of squares, sum(t ** 2) / 2, a scalar.

>>> tf.nn.l2_loss([1.0, 2.0]).numpy()
np.float32(2.5)
)",
}};

}  // namespace ef::ops
