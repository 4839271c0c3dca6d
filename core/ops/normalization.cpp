// Batch and layer normalisation: inference and gradients.
//
// If a tape records, as for gradients of gradients, the gradients are composed of differentiable
// operations; otherwise one operation computes each.
#include "ops/normalization.h"

#include "eager/tape.h"
#include "kernels/cpu/normalization.h"
#include "ops/attr_fields.h"
#include "ops/compose.h"
#include "ops/elementwise.h"
#include "ops/op.h"
#include "ops/partial_shapes.h"
#include "tensor/error.h"

namespace ef::ops {
namespace {

// The dtype of scale, offset and moments for a dtype of x.
DType parameter_dtype(DType x) { return x == DType::kFloat64 ? x : DType::kFloat32; }

// The axis of the channels in input 0, or -1 if its rank is unknown.
int channel_axis(InferContext& c, int64_t axis) {
  if (!c.shape(0).ranked()) return -1;
  const int rank = c.shape(0).rank();
  if (axis < -rank || axis >= rank) {
    invalid_argument("The axis ", axis, " is not in [", -rank, ", ", rank, ") [Op:", c.op().tf_name,
                     "]");
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

// Inputs from `first` on must be vectors with one value per channel. Adds an output of the shape
// `x`, whose channels are at `axis`, and `vectors` outputs of the vectors' shape.
void infer_channels(InferContext& c, Shape x, int axis, int first, int vectors) {
  int64_t channels = axis < 0 ? kUnknownSize : x[axis];
  for (int i = first; i < c.num_inputs(); ++i) {
    if (!may_have_rank(c.shape(i), 1) || !compatible(size_of(c.shape(i), 0), channels)) {
      invalid_argument(c.op().inputs[i].name, " must have a number for each of ", channels,
                       " channels, but has shape ", c.shape(i), " [Op:", c.op().tf_name, "]");
    }
    channels = merged(channels, size_of(c.shape(i), 0));
    if (c.dtype(i) != parameter_dtype(c.dtype(0))) {
      invalid_argument(c.op().inputs[i].name, " must be ", parameter_dtype(c.dtype(0)), " for ",
                       c.dtype(0), " numbers, not ", c.dtype(i), " [Op:", c.op().tf_name, "]");
    }
  }
  if (axis >= 0) x[axis] = channels;
  c.add_output(c.dtype(0), x);
  for (int i = 0; i < vectors; ++i) c.add_output(c.dtype(first), {channels});
}

double pass_cost(std::span<const Tensor> inputs, const SpecList&, AttrsRef) {
  return 0.6 * static_cast<double>(inputs[0].size());
}

// Values per channel or per row, reshaped for broadcasting.
struct Spread {
  Shape ones;
  Tensor operator()(const Tensor& t) const { return reshape_to(t, ones); }
};

struct Channels {
  Channels(const Shape& shape, int64_t axis) {
    const int place = static_cast<int>(axis < 0 ? axis + shape.rank() : axis);
    for (int i = 0; i < shape.rank(); ++i) {
      spread.ones.push_back(i == place ? shape[i] : 1);
      if (i == place) continue;
      others.push_back(i);
      count *= static_cast<double>(shape[i]);
    }
  }
  Tensor sum(const Tensor& t) const { return sum_over(t, others, false); }

  Spread spread;
  Ints others;
  double count = 1;
};

void batch_norm_gradient(GradContext& g) {
  const Tensor& x = g.input(0);
  const Tensor& scale = g.input(1);
  const Tensor& mean = g.output(1);
  const Tensor& inverse = g.output(3);
  const int64_t axis = g.attrs<BatchNormAttrs>().axis;
  if (!recording() && !g.has_dy(1) && !g.has_dy(2) && !g.has_dy(3)) {
    TensorList found;
    const Tensor inputs[] = {g.take_dy(), x, scale, mean, inverse};
    run_consuming(batch_norm_grad, inputs, BatchNormGradAttrs{.axis = axis}, found);
    for (int i = 0; i < 3; ++i) g.set(i, found[i]);
    return;
  }
  const DType dtype = scale.dtype();
  const Channels channels(x.shape(), axis);
  const Spread& spread = channels.spread;
  const Tensor dy = cast_to(g.dy(), dtype);
  const Tensor centered = cast_to(x, dtype) - spread(mean);
  const Tensor sum = channels.sum(dy);
  const Tensor dot = channels.sum(dy * centered);
  g.set(1, dot * inverse);
  g.set(2, sum);
  if (!g.wants(0)) return;
  const double share = 1 / channels.count;
  Tensor dx = spread(scale * inverse) *
              (dy - spread(sum * share) - centered * spread(inverse * inverse * dot * share));
  if (g.has_dy(1)) dx = dx + spread(g.dy(1) * share);
  if (g.has_dy(2)) dx = dx + centered * spread(g.dy(2) * (2 * share));
  if (g.has_dy(3)) {
    dx = dx - centered * spread(g.dy(3) * inverse * inverse * inverse * share);
  }
  g.set(0, cast_to(dx, x.dtype()));
}

void batch_norm_inference_gradient(GradContext& g) {
  const Channels channels(g.input_shape(0), g.attrs<BatchNormAttrs>().axis);
  const Tensor dy = cast_to(g.dy(), g.input_dtype(1));
  const Tensor sum = g.wants(2) || g.wants(3) ? channels.sum(dy) : Tensor();
  if (g.wants(2)) g.set(2, sum);
  if (!g.wants(0) && !g.wants(1) && !g.wants(3) && !g.wants(4)) return;
  const Tensor inverse = call(rsqrt, {g.input(4) + g.attrs<BatchNormAttrs>().epsilon});
  if (g.wants(0)) {
    const Tensor factor = channels.spread(g.input(1) * inverse);
    g.set(0, cast_to(dy * factor, g.input_dtype(0)));
  }
  if (g.wants(1) || g.wants(4)) {
    const Tensor centered = cast_to(g.input(0), dy.dtype()) - channels.spread(g.input(3));
    const Tensor dot = channels.sum(dy * centered) * inverse;
    g.set(1, dot);
    if (g.wants(4)) g.set(4, dot * g.input(1) * inverse * inverse * -0.5);
  }
  if (g.wants(3)) g.set(3, -(sum * g.input(1) * inverse));
}

void layer_norm_gradient(GradContext& g) {
  const Tensor& x = g.input(0);
  const Tensor& gamma = g.input(1);
  const Tensor& mean = g.output(1);
  const Tensor& inverse = g.output(2);
  if (!recording() && !g.has_dy(1) && !g.has_dy(2)) {
    TensorList found;
    const Tensor inputs[] = {g.dy(), x, gamma, mean, inverse};
    run(layer_norm_grad, inputs, {}, found);
    for (int i = 0; i < 3; ++i) g.set(i, found[i]);
    return;
  }
  const DType dtype = gamma.dtype();
  const int leading = x.rank() - gamma.rank();
  Ints outer, inner;
  Spread spread;
  for (int i = 0; i < x.rank(); ++i) {
    (i < leading ? outer : inner).push_back(i);
    spread.ones.push_back(i < leading ? x.dim(i) : 1);
  }
  const double share = 1 / static_cast<double>(gamma.size());
  const Tensor dy = cast_to(g.dy(), dtype);
  const Tensor unit = (cast_to(x, dtype) - spread(mean)) * spread(inverse);
  g.set(1, sum_over(dy * unit, outer, false));
  g.set(2, sum_over(dy, outer, false));
  if (!g.wants(0)) return;
  const Tensor slope = dy * gamma;
  Tensor inside = slope - sum_over(slope, inner, true) * share -
                  unit * (sum_over(slope * unit, inner, true) * share);
  // d(inverse) / d(variance) = -inverse^3 / 2.
  if (g.has_dy(2)) inside = inside - unit * spread(g.dy(2) * inverse * share);
  Tensor dx = spread(inverse) * inside;
  if (g.has_dy(1)) dx = dx + spread(g.dy(1) * share);
  g.set(0, cast_to(dx, x.dtype()));
}

}  // namespace

const Op batch_norm{{
    .name = "batch_norm",
    .tf_name = "FusedBatchNormV3",
    .inputs = {{"x", kFloatTypes}, {"scale", kFloatTypes, "U"}, {"offset", kFloatTypes, "U"}},
    .attrs = attrs_of<BatchNormAttrs>(),
    .infer =
        [](InferContext& c) {
          const int axis = channel_axis(c, c.attrs<BatchNormAttrs>().axis);
          infer_channels(c, c.shape(0), axis, 1, 3);
        },
    .outputs = 4,
    .kernel = cpu::batch_norm,
    .gradient = batch_norm_gradient,
    .needs = {{.inputs = 3, .outputs = 10}},
    .makes_outputs = true,
    .cost = pass_cost,
    .doc = "(x - mean) / sqrt(variance + epsilon) * scale + offset with the moments of each "
           "channel; with it the mean, the variance, and 1 / sqrt(variance + epsilon).",
}};

const Op batch_norm_grad{{
    .name = "batch_norm_grad",
    .tf_name = "FusedBatchNormGradV3",
    .inputs = {{"dy", kFloatTypes},
               {"x", kFloatTypes},
               {"scale", kFloatTypes, "U"},
               {"mean", kFloatTypes, "U"},
               {"inverse", kFloatTypes, "U"}},
    .attrs = attrs_of<BatchNormGradAttrs>(),
    .infer =
        [](InferContext& c) {
          const int axis = channel_axis(c, c.attrs<BatchNormGradAttrs>().axis);
          if (!may_equal(c.shape(0), c.shape(1))) {
            invalid_argument("dy has shape ", c.shape(0), ", but x has shape ", c.shape(1),
                             " [Op:FusedBatchNormGradV3]");
          }
          infer_channels(c, merged(c.shape(0), c.shape(1)), axis, 2, 2);
        },
    .outputs = 3,
    .kernel = cpu::batch_norm_grad,
    .makes_outputs = true,
    .cost = pass_cost,
    .doc = "The gradients of batch_norm's result by x, scale and offset.",
}};

const Op batch_norm_inference{{
    .name = "batch_norm_inference",
    .tf_name = "FusedBatchNormV3",
    .inputs = {{"x", kFloatTypes},
               {"scale", kFloatTypes, "U"},
               {"offset", kFloatTypes, "U"},
               {"mean", kFloatTypes, "U"},
               {"variance", kFloatTypes, "U"}},
    .attrs = attrs_of<BatchNormAttrs>(),
    .infer =
        [](InferContext& c) {
          const int axis = channel_axis(c, c.attrs<BatchNormAttrs>().axis);
          infer_channels(c, c.shape(0), axis, 1, 0);
        },
    .kernel = cpu::batch_norm_inference,
    .gradient = batch_norm_inference_gradient,
    .needs = {{.inputs = 18}, {.inputs = 25}, {}, {.inputs = 18}, {.inputs = 27}},
    .makes_outputs = true,
    .cost = pass_cost,
    .doc = "(x - mean) / sqrt(variance + epsilon) * scale + offset with given moments.",
}};

const Op layer_norm{{
    .name = "layer_norm",
    .tf_name = "LayerNorm",
    .inputs = {{"x", kFloatTypes}, {"gamma", kFloatTypes, "U"}, {"beta", kFloatTypes, "U"}},
    .attrs = attrs_of<LayerNormAttrs>(),
    .infer =
        [](InferContext& c) {
          Shape x = c.shape(0);
          const Shape& gamma = c.shape(1);
          const Shape& beta = c.shape(2);
          bool fits = !is_scalar(gamma) && may_equal(gamma, beta);
          const Shape inner = fits ? merged(gamma, beta) : gamma;
          const bool ranked = x.ranked() && inner.ranked();
          const int leading = x.rank() - inner.rank();
          fits &= !ranked || leading >= 0;
          for (int i = 0; ranked && fits && i < inner.rank(); ++i) {
            fits = compatible(x[leading + i], inner[i]);
            x[leading + i] = merged(x[leading + i], inner[i]);
          }
          if (!fits) {
            invalid_argument("gamma and beta must have the sizes of the last axes of ", c.shape(0),
                             ", but have shapes ", gamma, " and ", beta, " [Op:LayerNorm]");
          }
          if (c.dtype(1) != parameter_dtype(c.dtype(0))) {
            invalid_argument("gamma must be ", parameter_dtype(c.dtype(0)), " for ", c.dtype(0),
                             " numbers, not ", c.dtype(1), " [Op:LayerNorm]");
          }
          const Shape rows = ranked ? without_last(x, inner.rank()) : Shape::unranked();
          c.add_output(c.dtype(0), x);
          c.add_output(c.dtype(1), rows);
          c.add_output(c.dtype(1), rows);
        },
    .outputs = 3,
    .kernel = cpu::layer_norm,
    .gradient = layer_norm_gradient,
    .needs = {{.inputs = 3, .outputs = 6}},
    .cost = pass_cost,
    .doc = "(x - mean) / sqrt(variance + epsilon) * gamma + beta with the moments over gamma's "
           "axes, the last ones; with it the mean, and 1 / sqrt(variance + epsilon).",
}};

const Op layer_norm_grad{{
    .name = "layer_norm_grad",
    .tf_name = "LayerNormGrad",
    .inputs = {{"dy", kFloatTypes},
               {"x", kFloatTypes},
               {"gamma", kFloatTypes, "U"},
               {"mean", kFloatTypes, "U"},
               {"inverse", kFloatTypes, "U"}},
    .infer =
        [](InferContext& c) {
          if (!may_equal(c.shape(0), c.shape(1))) {
            invalid_argument("dy has shape ", c.shape(0), ", but x has shape ", c.shape(1),
                             " [Op:LayerNormGrad]");
          }
          const int64_t size = size_product(known_elements(c.shape(3)), known_elements(c.shape(2)));
          if (!compatible(size, known_elements(c.shape(1))) || !may_equal(c.shape(3), c.shape(4)) ||
              c.dtype(2) != parameter_dtype(c.dtype(0))) {
            invalid_argument("gamma ", c.shape(2), ", mean ", c.shape(3), " and inverse ",
                             c.shape(4), " do not fit x ", c.shape(1), " [Op:LayerNormGrad]");
          }
          c.add_output(c.dtype(0), merged(c.shape(0), c.shape(1)));
          for (int i = 0; i < 2; ++i) c.add_output(c.dtype(2), c.shape(2));
        },
    .outputs = 3,
    .kernel = cpu::layer_norm_grad,
    .cost = pass_cost,
    .doc = "The gradients of layer_norm's result by x, gamma and beta.",
}};

}  // namespace ef::ops
