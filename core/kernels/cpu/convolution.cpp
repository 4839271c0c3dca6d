// Convolutions of all dtypes: floats and doubles by fast methods, all others by plain loops.
#include "kernels/cpu/convolution.h"

#include <algorithm>
#include <array>

#include "kernels/cpu/float_convolution.h"
#include "kernels/cpu/plain_convolution.h"
#include "kernels/cpu/product_convolution.h"
#include "kernels/cpu/widen.h"
#include "ops/convolution.h"

namespace ef::cpu {

Convolution forward_convolution(bool depthwise, const ops::Conv2DAttrs& attrs, const Shape& image,
                                const Shape& filter, const Shape& result, const char* op) {
  Convolution c;
  c.pass = Pass::kForward;
  c.depthwise = depthwise;
  c.format = attrs.data_format;
  c.window = attrs.window(image, filter, op);
  c.batch = image[0];
  c.channels = image[axes_of(c.format).channel];
  c.filters = result[axes_of(c.format).channel];
  c.groups = depthwise ? c.channels : c.channels / std::max<int64_t>(filter[2], 1);
  c.filter_stride = filter[2] * filter[3];
  return c;
}

namespace {

struct Operands {
  const Tensor& image;
  const Tensor& filter;
  const Tensor& result;
};

template <class T>
void convolve_short(const Convolution& c, const Operands& operands, const Tensor& out,
                    const char* op) {
  const Tensor* const tensors[] = {&operands.image, &operands.filter, &operands.result};
  std::array<Tensor, 3> wide;
  for (int i = 0; i < 3; ++i) {
    wide[i] = Tensor::empty(DType::kFloat32, tensors[i]->shape());
    if (tensors[i]->impl() != out.impl()) {
      convert(tensors[i]->data<T>(), wide[i].mutable_data<float>(), tensors[i]->size());
    }
  }
  convolve(c, wide[0].data<float>(), wide[1].data<float>(), wide[2].data<float>(), op);
  for (int i = 0; i < 3; ++i) {
    if (tensors[i]->impl() == out.impl()) {
      convert(wide[i].data<float>(), out.mutable_data<T>(), out.size());
    }
  }
}

template <class T>
void convolve_plain(const Convolution& c, const Operands& operands, const Tensor& out) {
  std::fill_n(out.mutable_data<T>(), out.size(), T(0));
  add_convolution(c, operands.image.mutable_data<T>(), operands.filter.mutable_data<T>(),
                  operands.result.mutable_data<T>());
}

void run(Pass pass, bool depthwise, KernelContext& context, const ops::Conv2DAttrs& attrs,
         const Operands& operands) {
  const char* op = context.tf_name();
  const Tensor& out = context.output(0);
  if (out.size() == 0) return;
  Convolution c = forward_convolution(depthwise, attrs, operands.image.shape(),
                                      operands.filter.shape(), operands.result.shape(), op);
  c.pass = pass;
  if (operands.image.size() == 0 || operands.filter.size() == 0 || operands.result.size() == 0) {
    std::fill_n(out.mutable_data<char>(), out.bytes(), char{0});
    return;
  }
  switch (out.dtype()) {
    case DType::kFloat32:
      return convolve(c, operands.image.data<float>(), operands.filter.data<float>(),
                      operands.result.data<float>(), op);
    case DType::kFloat64:
      if (!is_product(c)) return convolve_plain<double>(c, operands, out);
      return convolve_by_product(c, operands.image.data<double>(), operands.filter.data<double>(),
                                 operands.result.data<double>());
    case DType::kInt32: return convolve_plain<int32_t>(c, operands, out);
    case DType::kFloat16: return convolve_short<Half>(c, operands, out, op);
    default:
      if (suits_short_convolution(c)) {
        return convolve(c, operands.image.data<Bfloat16>(), operands.filter.data<Bfloat16>(),
                        operands.result.data<Bfloat16>(), op);
      }
      return convolve_short<Bfloat16>(c, operands, out, op);
  }
}

}  // namespace

void conv2d(KernelContext& context) {
  run(Pass::kForward, false, context, context.attrs<ops::Conv2DAttrs>(),
      {context.input(0), context.input(1), context.output(0)});
}
void conv2d_backprop_input(KernelContext& context) {
  run(Pass::kInput, false, context, context.attrs<ops::Conv2DBackpropInputAttrs>().conv,
      {context.output(0), context.input(0), context.input(1)});
}
void conv2d_backprop_filter(KernelContext& context) {
  run(Pass::kFilter, false, context, context.attrs<ops::Conv2DBackpropFilterAttrs>().conv,
      {context.input(0), context.output(0), context.input(1)});
}
void depthwise_conv2d(KernelContext& context) {
  run(Pass::kForward, true, context, context.attrs<ops::Conv2DAttrs>(),
      {context.input(0), context.input(1), context.output(0)});
}
void depthwise_conv2d_backprop_input(KernelContext& context) {
  run(Pass::kInput, true, context, context.attrs<ops::Conv2DBackpropInputAttrs>().conv,
      {context.output(0), context.input(0), context.input(1)});
}
void depthwise_conv2d_backprop_filter(KernelContext& context) {
  run(Pass::kFilter, true, context, context.attrs<ops::Conv2DBackpropFilterAttrs>().conv,
      {context.input(0), context.output(0), context.input(1)});
}

}  // namespace ef::cpu
