// Two-dimensional convolutions: inference and gradients.
#include "ops/convolution.h"

#include "kernels/cpu/convolution.h"
#include "kernels/cpu/int8_products.h"
#include "ops/attr_fields.h"
#include "ops/compose.h"
#include "ops/op.h"
#include "ops/partial_shapes.h"
#include "tensor/error.h"

namespace ef::ops {
namespace {

constexpr DTypeSet kConvolutionTypes = kFloatTypes | DTypeSet{DType::kInt32};

// The shape of a convolution's result, with TensorFlow's errors.
Shape convolved_shape(const Conv2DAttrs& conv, const Shape& images, const Shape& filters_shape,
                      bool depthwise, const char* op) {
  if (!may_have_rank(images, 4)) {
    invalid_argument(depthwise ? "" : "convolution ", "input must be 4-dimensional: ", images,
                     " [Op:", op, "]");
  }
  if (!may_have_rank(filters_shape, 4)) {
    invalid_argument(depthwise ? "" : "convolution ",
                     "filter must be 4-dimensional: ", filters_shape, " [Op:", op, "]");
  }
  const Shape image = ranked_as(images, 4);
  const Shape filter = ranked_as(filters_shape, 4);
  const int64_t channels = image[axes_of(conv.data_format).channel];
  int64_t filters = filter[3];
  if (depthwise) {
    if (!compatible(channels, filter[2])) {
      invalid_argument("input and filter must have the same depth: ", channels, " vs. ", filter[2],
                       " [Op:", op, "]");
    }
    filters = size_product(filters, merged(filter[2], channels));
  } else {
    if (filter[2] == 0) {
      invalid_argument("filter depth must be strictly positive, got ", filter[2], " [Op:", op, "]");
    }
    const bool known = channels >= 0 && filter[2] >= 0;
    if (known && channels % filter[2] != 0) {
      invalid_argument("input depth must be evenly divisible by filter depth: ", channels, " vs. ",
                       filter[2], " [Op:", op, "]");
    }
    const int64_t groups = known ? channels / filter[2] : 1;
    if (groups <= 0) {
      invalid_argument("number of groups must be positive, got ", groups, " [Op:", op, "]");
    }
    if (filters >= 0 && filters % groups != 0) {
      invalid_argument("output depth must be evenly divisible by number of groups: ", filters,
                       " vs. ", groups, " [Op:", op, "]");
    }
  }
  if (filter[0] == 0 || filter[1] == 0) {
    invalid_argument(
        "filter must not have zero elements (i.e. all dimensions must be non-zero) "
        "[Op:",
        op, "]");
  }
  const Window window = conv.window(image, filter, op);
  const Shape out =
      image_shape(conv.data_format, image[0], window.row.out, window.col.out, filters);
  check_elements(out, op);
  return out;
}

template <bool kDepthwise>
void infer_forward(InferContext& c) {
  c.add_output(c.dtype(0), convolved_shape(c.attrs<Conv2DAttrs>(), c.shape(0), c.shape(1),
                                           kDepthwise, c.op().tf_name));
}

// Checks that `dy` has the shape of the convolution of `image` with `filter`.
void check_backprop(const Conv2DAttrs& conv, const Shape& image, const Shape& filter,
                    const Shape& dy, bool depthwise, const char* op) {
  if (!may_have_rank(dy, 4)) {
    invalid_argument("out_backprop must be 4-dimensional: ", dy, " [Op:", op, "]");
  }
  if (!dy.ranked()) return;
  const Shape expected = convolved_shape(conv, image, filter, depthwise, op);
  const Axes axes = axes_of(conv.data_format);
  if (!compatible(dy[0], expected[0])) {
    invalid_argument("input and out_backprop must have the same batch size. Input batch: ",
                     expected[0], ", outbackprop batch: ", dy[0], ", batch_dim: 0 [Op:", op, "]");
  }
  if (!compatible(dy[axes.channel], expected[axes.channel])) {
    invalid_argument("filter and out_backprop must have the same out_depth: ",
                     expected[axes.channel], " vs. ", dy[axes.channel], " [Op:", op, "]");
  }
  const Window window = conv.window(ranked_as(image, 4), ranked_as(filter, 4), op);
  for (const auto& [axis, slide] : {std::pair{axes.row, window.row}, {axes.col, window.col}}) {
    if (!compatible(dy[axis], expected[axis])) {
      invalid_argument("Size of out_backprop doesn't match computed: actual = ", dy[axis],
                       ", computed = ", expected[axis], " spatial_dim: ", axis,
                       " input: ", slide.in, " filter: ", slide.window, " output: ", dy[axis],
                       " stride: ", slide.stride, " dilation: ", slide.dilation, " [Op:", op, "]");
    }
  }
}

template <bool kDepthwise>
void infer_backprop_input(InferContext& c) {
  const auto& [sizes, conv] = c.attrs<Conv2DBackpropInputAttrs>();
  const char* op = c.op().tf_name;
  const Shape& filter = c.shape(0);
  const Shape& dy = c.shape(1);
  if (sizes.size() != 4 && sizes.size() != 2 && !sizes.is_unknown()) {
    invalid_argument(op, " requires input_sizes to contain 4 values or 2 values, but got: ",
                     sizes.size(), " [Op:", op, "]");
  }
  Shape image = shape_of_sizes(sizes, op);
  if (sizes.size() == 2) {
    if (!may_have_rank(filter, 4) || !may_have_rank(dy, 4)) {
      invalid_argument("filter and out_backprop must be 4-dimensional: ", filter, " and ", dy,
                       " [Op:", op, "]");
    }
    image = image_shape(conv.data_format, size_of(dy, 0), image[0], image[1], size_of(filter, 2));
  }
  check_backprop(conv, image, filter, dy, kDepthwise, op);
  image = ranked_as(image, 4);
  image[0] = merged(image[0], size_of(dy, 0));
  c.add_output(c.dtype(0), image);
}

template <bool kDepthwise>
void infer_backprop_filter(InferContext& c) {
  const auto& [sizes, conv] = c.attrs<Conv2DBackpropFilterAttrs>();
  const char* op = c.op().tf_name;
  if (sizes.size() != 4 && !sizes.is_unknown()) {
    invalid_argument("filter_sizes must contain 4 values, but got: ", sizes.size(), " [Op:", op,
                     "]");
  }
  const Shape filter = shape_of_sizes(sizes, op);
  check_backprop(conv, c.shape(0), filter, c.shape(1), kDepthwise, op);
  c.add_output(c.dtype(0), ranked_as(filter, 4));
}

// The operations of one family. A convolution is linear in image and filter, so the gradients of
// each of the three operations are the other two.
struct Family {
  const Op& forward;
  const Op& backprop_input;
  const Op& backprop_filter;
};
const Family kFull{conv2d, conv2d_backprop_input, conv2d_backprop_filter};
const Family kDepthwise{depthwise_conv2d, depthwise_conv2d_backprop_input,
                        depthwise_conv2d_backprop_filter};

// The gradients with respect to an image and to a filter, of which only the shape is read.
template <const Family& family>
Tensor by_image(const Conv2DAttrs& conv, const Tensor& filter, const Tensor& dy,
                const Shape& image) {
  return call(family.backprop_input, {filter, dy},
              Conv2DBackpropInputAttrs{.input_sizes = image, .conv = conv});
}
template <const Family& family>
Tensor by_filter(const Conv2DAttrs& conv, const Tensor& image, const Tensor& dy,
                 const Shape& filter) {
  return call(family.backprop_filter, {image, dy},
              Conv2DBackpropFilterAttrs{.filter_sizes = filter, .conv = conv});
}

template <const Family& family>
void forward_gradient(GradContext& g) {
  const Conv2DAttrs& conv = g.attrs<Conv2DAttrs>();
  const Tensor dy = g.dy();
  if (g.wants(0)) g.set(0, by_image<family>(conv, g.input(1), dy, g.input_shape(0)));
  if (g.wants(1)) g.set(1, by_filter<family>(conv, g.input(0), dy, g.input_shape(1)));
}

template <const Family& family>
void backprop_input_gradient(GradContext& g) {
  const Conv2DAttrs& conv = g.attrs<Conv2DBackpropInputAttrs>().conv;
  const Tensor dx = g.dy();
  if (g.wants(0)) g.set(0, by_filter<family>(conv, dx, g.input(1), g.input_shape(0)));
  if (g.wants(1)) g.set(1, call(family.forward, {dx, g.input(0)}, conv));
}

template <const Family& family>
void backprop_filter_gradient(GradContext& g) {
  const Conv2DAttrs& conv = g.attrs<Conv2DBackpropFilterAttrs>().conv;
  const Tensor dw = g.dy();
  if (g.wants(0)) g.set(0, by_image<family>(conv, dw, g.input(1), g.input_shape(0)));
  if (g.wants(1)) g.set(1, call(family.forward, {g.input(0), dw}, conv));
}

// Each output pixel (or its gradient) is multiplied with each filter weight once.
double forward_cost(std::span<const Tensor> inputs, const SpecList& outputs, AttrsRef) {
  const Shape& filter = inputs[1].shape();
  return static_cast<double>(outputs[0].shape.num_elements()) *
         static_cast<double>(filter[0] * filter[1] * filter[2]) / 50;
}
double backprop_input_cost(std::span<const Tensor> inputs, const SpecList&, AttrsRef) {
  const Shape& filter = inputs[0].shape();
  return static_cast<double>(inputs[1].size()) *
         static_cast<double>(filter[0] * filter[1] * filter[2]) / 50;
}
double backprop_filter_cost(std::span<const Tensor> inputs, const SpecList& outputs, AttrsRef) {
  const Shape& filter = outputs[0].shape;
  return static_cast<double>(inputs[1].size()) *
         static_cast<double>(filter[0] * filter[1] * filter[2]) / 50;
}

// The channels are the last axis of the result; each has an element of `scale`.
template <bool kDepthwise>
void infer_int8(InferContext& c) {
  const auto& attrs = c.attrs<Conv2DAttrs>();
  const char* const op = c.op().tf_name;
  if (attrs.data_format != DataFormat::kNhwc) {
    invalid_argument("data_format must be NHWC: transpose the images [Op:", op, "]");
  }
  const Shape out = convolved_shape(attrs, c.shape(0), c.shape(1), kDepthwise, op);
  if (!may_have_rank(c.shape(2), 1) || !compatible(ranked_as(c.shape(2), 1)[0], out[3])) {
    invalid_argument("scale must have a number for each of ", out[3], " channels: ", c.shape(2),
                     " [Op:", op, "]");
  }
  c.add_output(DType::kFloat32, out);
}

// The same as for a convolution of floats.
template <const Family& family>
void int8_gradient(GradContext& g) {
  if (!g.wants(0)) return;
  const Tensor bytes = cast_to(g.input(1), DType::kFloat32);
  const Tensor& scale = g.input(2);
  const int64_t channels = std::max<int64_t>(scale.dim(0), 1);
  const Tensor columns = reshape_to(bytes, {bytes.size() / channels, channels});
  const Tensor filter = reshape_to(columns * scale, bytes.shape());
  g.set(0, by_image<family>(g.attrs<Conv2DAttrs>(), filter, g.dy(), g.input_shape(0)));
}

}  // namespace

Window Conv2DAttrs::window(const Shape& image, const Shape& filter, const char* op) const {
  return slide_window(image, filter[0], filter[1], strides, padding,
                      explicit_paddings.value_or(Ints()), dilations.value_or(Ints()), data_format,
                      op);
}

const Op conv2d{{
    .name = "conv2d",
    .tf_name = "Conv2D",
    .inputs = {{.name = "input", .dtypes = kConvolutionTypes},
               {.name = "filters", .dtypes = kConvolutionTypes}},
    .attrs = attrs_of<Conv2DAttrs>(),
    .infer = infer_forward<false>,
    .kernel = cpu::conv2d,
    .gradient = forward_gradient<kFull>,
    .needs = {{.inputs = 2}, {.inputs = 1}},
    .may_be_unknown = Unknown::kRanks,
    .cost = forward_cost,
    .doc = R"(Slides filters over images and sums what they see: a cross-correlation.

`input` is [batch, rows, cols, channels] (or [batch, channels, rows, cols] for data_format "NCHW"),
`filters` is [rows, cols, channels / groups, outputs]; `strides` and `dilations` have four entries
in the order of `input`. `padding` is "SAME", "VALID" or "EXPLICIT", which takes eight
`explicit_paddings`. Floating dtypes and int32. Returns [batch, out_rows, out_cols, outputs].
Raises InvalidArgumentError for shapes that do not fit.
)",
}};

const Op conv2d_backprop_input{{
    .name = "conv2d_backprop_input",
    .tf_name = "Conv2DBackpropInput",
    .inputs = {{.name = "filter", .dtypes = kConvolutionTypes},
               {.name = "out_backprop", .dtypes = kConvolutionTypes}},
    .attrs = attrs_of<Conv2DBackpropInputAttrs>(),
    .tensor_attrs = {{"input_sizes", "int32"}},
    .infer = infer_backprop_input<false>,
    .kernel = cpu::conv2d_backprop_input,
    .gradient = backprop_input_gradient<kFull>,
    .needs = {{.inputs = 2}, {.inputs = 1}},
    .may_be_unknown = Unknown::kRanks,
    .cost = backprop_input_cost,
    .doc = R"(The gradient of a convolution with respect to its input, a tensor of `input_sizes`.

`filter` and the other arguments are those of conv2d, `out_backprop` has the shape of its result.
)",
}};

const Op conv2d_backprop_filter{{
    .name = "conv2d_backprop_filter",
    .tf_name = "Conv2DBackpropFilter",
    .inputs = {{.name = "input", .dtypes = kConvolutionTypes},
               {.name = "out_backprop", .dtypes = kConvolutionTypes}},
    .attrs = attrs_of<Conv2DBackpropFilterAttrs>(),
    .tensor_attrs = {{"filter_sizes", "int32"}},
    .infer = infer_backprop_filter<false>,
    .kernel = cpu::conv2d_backprop_filter,
    .gradient = backprop_filter_gradient<kFull>,
    .needs = {{.inputs = 2}, {.inputs = 1}},
    .may_be_unknown = Unknown::kRanks,
    .cost = backprop_filter_cost,
    .doc = R"(The gradient of a convolution with respect to its filters, a tensor of `filter_sizes`.

`input` and the other arguments are those of conv2d, `out_backprop` has the shape of its result.
)",
}};

const Op depthwise_conv2d{{
    .name = "depthwise_conv2d",
    .tf_name = "DepthwiseConv2dNative",
    .inputs = {{.name = "input", .dtypes = kFloatTypes}, {.name = "filter", .dtypes = kFloatTypes}},
    .attrs = attrs_of<Conv2DAttrs>(),
    .infer = infer_forward<true>,
    .kernel = cpu::depthwise_conv2d,
    .gradient = forward_gradient<kDepthwise>,
    .needs = {{.inputs = 2}, {.inputs = 1}},
    .may_be_unknown = Unknown::kRanks,
    .cost = forward_cost,
    .doc = R"(Convolves every channel with filters of its own.

`input` is [batch, rows, cols, channels], `filter` is [rows, cols, channels, multiplier]; the other
arguments are those of conv2d. Returns [batch, out_rows, out_cols, channels * multiplier], where
channel c * multiplier + m is channel c convolved with its m-th filter.
)",
}};

const Op depthwise_conv2d_backprop_input{{
    .name = "depthwise_conv2d_backprop_input",
    .tf_name = "DepthwiseConv2dNativeBackpropInput",
    .inputs = {{.name = "filter", .dtypes = kFloatTypes},
               {.name = "out_backprop", .dtypes = kFloatTypes}},
    .attrs = attrs_of<Conv2DBackpropInputAttrs>(),
    .tensor_attrs = {{"input_sizes", "int32"}},
    .infer = infer_backprop_input<true>,
    .kernel = cpu::depthwise_conv2d_backprop_input,
    .gradient = backprop_input_gradient<kDepthwise>,
    .needs = {{.inputs = 2}, {.inputs = 1}},
    .may_be_unknown = Unknown::kRanks,
    .cost = backprop_input_cost,
    .doc = R"(The gradient of depthwise_conv2d with respect to its input, of shape `input_sizes`.
)",
}};

const Op depthwise_conv2d_backprop_filter{{
    .name = "depthwise_conv2d_backprop_filter",
    .tf_name = "DepthwiseConv2dNativeBackpropFilter",
    .inputs = {{.name = "input", .dtypes = kFloatTypes},
               {.name = "out_backprop", .dtypes = kFloatTypes}},
    .attrs = attrs_of<Conv2DBackpropFilterAttrs>(),
    .tensor_attrs = {{"filter_sizes", "int32"}},
    .infer = infer_backprop_filter<true>,
    .kernel = cpu::depthwise_conv2d_backprop_filter,
    .gradient = backprop_filter_gradient<kDepthwise>,
    .needs = {{.inputs = 2}, {.inputs = 1}},
    .may_be_unknown = Unknown::kRanks,
    .cost = backprop_filter_cost,
    .doc = R"(The gradient of depthwise_conv2d with respect to its filter, of shape `filter_sizes`.
)",
}};

const Op int8_conv2d{{
    .name = "int8_conv2d",
    .tf_name = "Int8Conv2D",
    .inputs = {{"input", DTypeSet{DType::kFloat32}},
               {"filters", DTypeSet{DType::kInt8}},
               {"scale", DTypeSet{DType::kFloat32}}},
    .attrs = attrs_of<Conv2DAttrs>(),
    .infer = infer_int8<false>,
    .kernel = cpu::int8_conv2d,
    .gradient = int8_gradient<kFull>,
    .needs = {{.inputs = 6}},
    .cost = forward_cost,
    .doc = R"(conv2d with filters of bytes.

Each image of `input` is rounded to whole multiples of a 127th of its greatest absolute value, and
each channel of the result is multiplied by its number of `scale`, [outputs]. The other arguments
are those of conv2d, with channels last. Filters in groups are converted to floats.
)",
}};

const Op int8_depthwise_conv2d{{
    .name = "int8_depthwise_conv2d",
    .tf_name = "Int8DepthwiseConv2dNative",
    .inputs = {{"input", DTypeSet{DType::kFloat32}},
               {"filter", DTypeSet{DType::kInt8}},
               {"scale", DTypeSet{DType::kFloat32}}},
    .attrs = attrs_of<Conv2DAttrs>(),
    .infer = infer_int8<true>,
    .kernel = cpu::int8_depthwise_conv2d,
    .gradient = int8_gradient<kDepthwise>,
    .needs = {{.inputs = 6}},
    .cost = forward_cost,
    .doc = R"(depthwise_conv2d with filters of bytes, which are converted to floats.

Each channel of the result is multiplied by its number of `scale`, [channels * multiplier]. The
other arguments are those of depthwise_conv2d, with channels last.
)",
}};

}  // namespace ef::ops
