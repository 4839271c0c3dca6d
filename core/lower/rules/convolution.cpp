// Convolutions of images, plain and depthwise, with both gradients.
#include "ops/convolution.h"
#include "lower/rule.h"
#include "ops/op_facts.h"
#include "tensor/error.h"

namespace ef::lower {
namespace {

constexpr std::string_view kImages[] = {"[b, 0, 1, f]", "[b, f, 0, 1]"};

std::string_view images_in(DataFormat format) { return kImages[static_cast<int>(format)]; }

struct Convolution {
  std::string dimensions;  // "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]"
  Dims strides{1, 1};
  std::pair<int64_t, int64_t> paddings[2] = {};
  Dims image_dilations{1, 1};
  Dims filter_dilations{1, 1};
  int64_t groups = 1;
  int64_t batch_groups = 1;
};

Value convolve(Builder& b, const Value& image, const Value& filter, const Convolution& how,
               const TensorSpec& result) {
  return b.one(
      "stablehlo.convolution", {image, filter}, result,
      cat("dimension_numbers = #stablehlo.conv<", how.dimensions,
          ">, window_strides = ", array_text(how.strides), ", padding = ", pairs_text(how.paddings),
          ", lhs_dilation = ", array_text(how.image_dilations),
          ", rhs_dilation = ", array_text(how.filter_dilations),
          ", window_reversal = array<i1: false, false>, feature_group_count = ", how.groups,
          " : i64, batch_group_count = ", how.batch_groups, " : i64"));
}

// A depthwise filter [h, w, channels, more] as a grouped one: [h, w, 1, channels * more].
Value as_groups(Builder& b, const Value& filter) {
  const Shape& s = filter.shape;
  return b.reshape(filter, {s[0], s[1], 1, s[2] * s[3]});
}

int64_t groups_of(const Shape& image, DataFormat format, const Shape& filter) {
  return filter[2] == 0 ? 1 : image[axes_of(format).channel] / filter[2];
}

template <bool kByChannels>
Values conv2d(const Call& c) {
  const auto& attrs = c.attrs<ops::Conv2DAttrs>();
  const Value& image = c.in[0];
  const Window window = attrs.window(image.shape, c.in[1].shape, tf_name(c.op));
  const Value filter = kByChannels ? as_groups(c.b, c.in[1]) : c.in[1];
  const std::string_view order = images_in(attrs.data_format);
  Convolution how{.dimensions = cat(order, "x[0, 1, i, o]->", order)};
  how.strides = {window.row.stride, window.col.stride};
  how.paddings[0] = {window.row.before, window.row.after};
  how.paddings[1] = {window.col.before, window.col.after};
  how.filter_dilations = {window.row.dilation, window.col.dilation};
  how.groups = groups_of(image.shape, attrs.data_format, filter.shape);
  return {convolve(c.b, image, filter, how, c.out[0])};
}

// The padding of a gradient, before and after, with which its convolution with the reversed filter
// has the size of the image.
std::pair<int64_t, int64_t> reversed_padding(const Slide& slide) {
  const int64_t before = slide.extent() - 1 - slide.before;
  const int64_t spread = (slide.out - 1) * slide.stride + 1;
  return {before, slide.in + slide.extent() - 1 - spread - before};
}

template <bool kByChannels>
Values conv2d_backprop_input(const Call& c) {
  Builder& b = c.b;
  const auto& attrs = c.attrs<ops::Conv2DBackpropInputAttrs>();
  const Shape& image = c.out[0].shape;
  const Window window = attrs.conv.window(image, c.in[0].shape, tf_name(c.op));
  const Value filter = kByChannels ? as_groups(b, c.in[0]) : c.in[0];
  const int64_t groups = groups_of(image, attrs.conv.data_format, filter.shape);
  // An operation reverses the filter: XLA has fast loops for plain windows only.
  const Value turned = b.reverse(filter, Dims{0, 1});
  const std::string_view order = images_in(attrs.conv.data_format);
  Convolution how{.dimensions = cat(order, "x[0, 1, o, i]->", order)};
  Value filters = turned;
  if (groups > 1) {
    // [h, w, in / groups, groups, out / groups] becomes [h, w, groups * in / groups, out / groups].
    const Shape& s = filter.shape;
    const Value apart = b.reshape(turned, {s[0], s[1], s[2], groups, s[3] / groups});
    const Value joined = b.transpose(apart, Dims{0, 1, 3, 2, 4});
    filters = b.reshape(joined, {s[0], s[1], groups * s[2], s[3] / groups});
  }
  how.paddings[0] = reversed_padding(window.row);
  how.paddings[1] = reversed_padding(window.col);
  how.image_dilations = {window.row.stride, window.col.stride};
  how.filter_dilations = {window.row.dilation, window.col.dilation};
  how.groups = groups;
  return {convolve(b, c.in[1], filters, how, c.out[0])};
}

template <bool kByChannels>
Values conv2d_backprop_filter(const Call& c) {
  const auto& attrs = c.attrs<ops::Conv2DBackpropFilterAttrs>();
  const Value& image = c.in[0];
  const Shape& filter = c.out[0].shape;
  const Window window = attrs.conv.window(image.shape, filter, tf_name(c.op));
  const Shape shape = kByChannels ? Shape{filter[0], filter[1], 1, filter[2] * filter[3]} : filter;
  // The gradient acts as the filter, the batch axis is contracted, and channels act as batches.
  const bool last = attrs.conv.data_format == DataFormat::kNhwc;
  Convolution how{.dimensions = last ? "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]"
                                     : "[f, b, 0, 1]x[i, o, 0, 1]->[0, 1, b, f]"};
  const auto padding = [](const Slide& slide) {
    const int64_t needed = (slide.out - 1) * slide.stride + slide.extent();
    return std::pair{slide.before, needed - slide.in - slide.before};
  };
  how.strides = {window.row.dilation, window.col.dilation};
  how.paddings[0] = padding(window.row);
  how.paddings[1] = padding(window.col);
  how.filter_dilations = {window.row.stride, window.col.stride};
  how.batch_groups = groups_of(image.shape, attrs.conv.data_format, shape);
  return {c.b.reshape(convolve(c.b, image, c.in[1], how, {c.out[0].dtype, shape}), filter)};
}

constexpr std::pair<const char*, Rule> kConvolutionRules[] = {
    {"conv2d", conv2d<false>},
    {"conv2d_backprop_input", conv2d_backprop_input<false>},
    {"conv2d_backprop_filter", conv2d_backprop_filter<false>},
    {"depthwise_conv2d", conv2d<true>},
    {"depthwise_conv2d_backprop_input", conv2d_backprop_input<true>},
    {"depthwise_conv2d_backprop_filter", conv2d_backprop_filter<true>},
};

}  // namespace

RuleList convolution_rules() { return kConvolutionRules; }

}  // namespace ef::lower
