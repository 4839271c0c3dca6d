// Biases per channel: inference and gradients.
#include "ops/bias.h"

#include "kernels/cpu/bias.h"
#include "ops/array.h"
#include "ops/attr_fields.h"
#include "ops/compose.h"
#include "ops/op.h"
#include "ops/partial_shapes.h"
#include "ops/reduction.h"
#include "tensor/error.h"

namespace ef::ops {
namespace {

// The shape of the bias with axes of size one, which broadcasts to a value of that rank.
Shape spread(const BiasAttrs& attrs, int rank, int64_t channels) {
  Shape shape;
  for (int i = 0; i < rank; ++i) shape.push_back(1);
  shape[attrs.channel_axis(rank)] = channels;
  return shape;
}

}  // namespace

const Op bias_add{{
    .name = "bias_add",
    .tf_name = "BiasAdd",
    .inputs = {{"value", kNumericTypes}, {"bias", kNumericTypes}},
    .attrs = attrs_of<BiasAttrs>(),
    .infer =
        [](InferContext& c) {
          const Shape& value = c.shape(0);
          const Shape& bias = c.shape(1);
          if (!may_have_rank_from(value, 2)) {
            invalid_argument("Input tensor must be at least 2D: ", value, " [Op:BiasAdd]");
          }
          if (!may_have_rank(bias, 1)) {
            invalid_argument("Biases must be 1D: ", bias, " [Op:BiasAdd]");
          }
          if (!value.ranked() || !bias.ranked()) [[unlikely]] {
            c.add_output(c.dtype(0), value);
            return;
          }
          const int axis = c.attrs<BiasAttrs>().channel_axis(value.rank());
          if (!compatible(value[axis], bias[0])) {
            invalid_argument(
                "Must provide as many biases as the last dimension of the input "
                "tensor: ",
                bias, " vs. ", value, " [Op:BiasAdd]");
          }
          Shape shape = value;
          shape[axis] = merged(shape[axis], bias[0]);
          c.add_output(c.dtype(0), shape);
        },
    .kernel = cpu::bias_add,
    .gradient =
        [](GradContext& g) {
          g.set(0, g.dy());
          if (g.wants(1)) g.set(1, call(bias_add_grad, {g.dy()}, g.attrs()));
        },
    .sizes = {},
    .may_be_unknown = Unknown::kRanks,
    .doc = "Adds a vector along the channels.",
}};

const Op bias_add_grad{{
    .name = "bias_add_grad",
    .tf_name = "BiasAddGrad",
    .inputs = {{"dy", kNumericTypes}},
    .attrs = attrs_of<BiasAttrs>(),
    .infer =
        [](InferContext& c) {
          const Shape& shape = c.shape(0);
          if (!may_have_rank_from(shape, 2)) {
            invalid_argument("Input tensor must be at least 2D: ", shape, " [Op:BiasAddGrad]");
          }
          const int axis = c.attrs<BiasAttrs>().channel_axis(shape.rank());
          c.add_output(c.dtype(0), {shape.ranked() ? shape[axis] : kUnknownSize});
        },
    .kernel = cpu::bias_add_grad,
    .gradient =
        [](GradContext& g) {
          const auto& attrs = g.attrs<BiasAttrs>();
          const Shape& shape = g.input_shape(0);
          const Tensor dz = g.dy();
          const Tensor row = attrs.data_format == DataFormat::kNhwc
                                 ? dz
                                 : reshape_to(dz, spread(attrs, shape.rank(), dz.dim(0)));
          g.set(0, broadcast_to_shape(row, shape));
        },
    .may_be_unknown = Unknown::kRanks,
    .doc = "The gradient of bias_add by the bias: sums over everything but the channels.",
}};

}  // namespace ef::ops
