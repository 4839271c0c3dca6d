// Convolutions: those of floats, also for short ones, products of doubles, and else plain loops.
#include "kernels/cpu/convolution.h"

#include <algorithm>
#include <array>

#include "device/parallel.h"
#include "kernels/cpu/float_convolution.h"
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

// Products that neighbouring results, or results a plane apart, accumulate: `count` of them, of
// contiguous elements of the filter with one element of the image or as many.
struct ProductRun {
  int64_t image;  // offsets of the first
  int64_t filter;
  int64_t result;
  int64_t count;
  int64_t image_step;
  int64_t result_step;
};

// Calls body(run) for all products of images [first, end).
template <class Body>
void for_product_runs(const Convolution& c, int64_t first, int64_t end, const Body& body) {
  const bool last = c.format == DataFormat::kNhwc;
  const Slide& row = c.window.row;
  const Slide& col = c.window.col;
  const auto offset = [&](int64_t rows, int64_t cols, int64_t channels, int64_t n, int64_t y,
                          int64_t x, int64_t channel) {
    return last ? ((n * rows + y) * cols + x) * channels + channel
                : ((n * channels + channel) * rows + y) * cols + x;
  };
  const int64_t in_stride = c.depthwise ? c.group_out() : c.filters;
  const int64_t image_plane = last ? 1 : row.in * col.in;
  const int64_t result_plane = last ? 1 : row.out * col.out;
  const auto at_place = [&](int64_t image, int64_t position, int64_t result) {
    if (c.depthwise && c.group_out() == 1) {
      return body(ProductRun{image, position, result, c.channels, image_plane, result_plane});
    }
    for (int64_t g = 0; g < c.groups; ++g) {
      for (int64_t i = 0; i < c.group_in(); ++i) {
        body(ProductRun{image + (g * c.group_in() + i) * image_plane,
                        position + i * in_stride + g * c.group_out(),
                        result + g * c.group_out() * result_plane, c.group_out(), 0, result_plane});
      }
    }
  };
  for (int64_t n = first; n < end; ++n) {
    for (int64_t y = 0; y < row.out; ++y) {
      for (int64_t x = 0; x < col.out; ++x) {
        for (int64_t ky = 0; ky < row.window; ++ky) {
          const int64_t iy = y * row.stride - row.before + ky * row.dilation;
          if (iy < 0 || iy >= row.in) continue;
          for (int64_t kx = 0; kx < col.window; ++kx) {
            const int64_t ix = x * col.stride - col.before + kx * col.dilation;
            if (ix < 0 || ix >= col.in) continue;
            at_place(offset(row.in, col.in, c.channels, n, iy, ix, 0),
                     (ky * col.window + kx) * c.filter_stride,
                     offset(row.out, col.out, c.filters, n, y, x, 0));
          }
        }
      }
    }
  }
}

template <class T>
void convolve_plainly(const Convolution& c, T* image, T* filter, T* result) {
  if (c.pass == Pass::kFilter) {
    return for_product_runs(c, 0, c.batch, [=](const ProductRun& r) {
      for (int64_t k = 0; k < r.count; ++k) {
        filter[r.filter + k] +=
            image[r.image + k * r.image_step] * result[r.result + k * r.result_step];
      }
    });
  }
  const int64_t work = c.result_size() * c.group_in() * c.window.row.window * c.window.col.window;
  parallel_for(c.batch, 16'384 / std::max<int64_t>(work, 1) + 1, [&](int64_t begin, int64_t end) {
    if (c.pass == Pass::kForward) {
      for_product_runs(c, begin, end, [=](const ProductRun& r) {
        for (int64_t k = 0; k < r.count; ++k) {
          result[r.result + k * r.result_step] +=
              image[r.image + k * r.image_step] * filter[r.filter + k];
        }
      });
    } else {
      for_product_runs(c, begin, end, [=](const ProductRun& r) {
        for (int64_t k = 0; k < r.count; ++k) {
          image[r.image + k * r.image_step] +=
              result[r.result + k * r.result_step] * filter[r.filter + k];
        }
      });
    }
  });
}

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
  convolve_plainly(c, operands.image.mutable_data<T>(), operands.filter.mutable_data<T>(),
                   operands.result.mutable_data<T>());
}

void run(Pass pass, bool depthwise, KernelContext& context, const ops::Conv2DAttrs& attrs,
         const Operands& operands) {
  const char* op = context.op().tf_name;
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
