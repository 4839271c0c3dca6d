// Convolutions: oneDNN for floats, plain loops for the other types.
#include "kernels/cpu/convolution.h"

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/cpu/onednn.h"
#include "kernels/cpu/widen.h"
#include "ops/window.h"

namespace ef::cpu {
namespace {

enum class Pass { kForward, kInput, kFilter };

// One convolution's geometry, whatever the direction in which it is run.
struct Convolution {
  Pass pass;
  bool depthwise = false;
  DataFormat format = DataFormat::kNhwc;
  Window window;
  int64_t batch = 0;
  int64_t channels = 0;  // of the image
  int64_t filters = 0;   // of the result
  int64_t groups = 1;
  int64_t filter_stride = 0;  // elements between rows' neighbours: one filter position's elements

  int64_t group_in() const { return channels / groups; }
  int64_t group_out() const { return filters / groups; }
  // Depthwise filters are stored as [rows, cols, channels, multiplier], the others as
  // [rows, cols, in, out].
  int64_t filter_group_stride() const { return group_out(); }
};

struct Operands {
  const Tensor& image;
  const Tensor& filter;
  const Tensor& result;
};

Convolution describe(Pass pass, bool depthwise, const Attrs& attrs, int first,
                     const Operands& operands, const char* op) {
  Convolution c;
  c.pass = pass;
  c.depthwise = depthwise;
  c.format = static_cast<DataFormat>(attrs.integer(first + 4));
  const Shape& image = operands.image.shape();
  const Shape& filter = operands.filter.shape();
  c.window = slide_window(image, filter[0], filter[1], attrs.list(first),
                          static_cast<Padding>(attrs.integer(first + 1)), attrs.list(first + 2),
                          attrs.list(first + 3), c.format, op);
  c.batch = image[0];
  c.channels = image[axes_of(c.format).channel];
  c.filters = operands.result.shape()[axes_of(c.format).channel];
  c.groups = depthwise ? c.channels : c.channels / std::max<int64_t>(filter[2], 1);
  c.filter_stride = filter[2] * filter[3];
  return c;
}

using Dims = dnnl::memory::dims;
using Desc = dnnl::memory::desc;

Desc image_desc(const Convolution& c, int64_t channels, int64_t rows, int64_t cols) {
  return Desc({c.batch, channels, rows, cols}, dnnl::memory::data_type::f32,
              c.format == DataFormat::kNhwc ? dnnl::memory::format_tag::nhwc
                                            : dnnl::memory::format_tag::nchw);
}

Dims filter_dims(const Convolution& c) {
  const int64_t rows = c.window.row.window;
  const int64_t cols = c.window.col.window;
  if (c.groups == 1) return {c.filters, c.channels, rows, cols};
  return {c.groups, c.group_out(), c.group_in(), rows, cols};
}

Desc stored_filter_desc(const Convolution& c) {
  const int64_t row = c.window.col.window * c.filter_stride;
  const int64_t in = c.depthwise ? c.group_out() : c.filters;
  if (c.groups == 1) {
    return Desc(filter_dims(c), dnnl::memory::data_type::f32, Dims{1, in, row, c.filter_stride});
  }
  return Desc(filter_dims(c), dnnl::memory::data_type::f32,
              Dims{c.filter_group_stride(), 1, in, row, c.filter_stride});
}

// A convolution with oneDNN's own layout for the filter, and the copy into or out of it.
struct ConvolutionPlan final : onednn::Plan {
  onednn::Step reorder;
  onednn::Step convolution;
  size_t filter_bytes = 0;  // 0: the stored layout serves
  size_t scratch_bytes = 0;
};

std::unique_ptr<ConvolutionPlan> make_plan(const Convolution& c) {
  const dnnl::engine& engine = onednn::engine();
  const Desc image = image_desc(c, c.channels, c.window.row.in, c.window.col.in);
  const Desc result = image_desc(c, c.filters, c.window.row.out, c.window.col.out);
  const Desc any(filter_dims(c), dnnl::memory::data_type::f32, dnnl::memory::format_tag::any);
  const Desc stored = stored_filter_desc(c);
  const Dims strides = {c.window.row.stride, c.window.col.stride};
  const Dims dilations = {c.window.row.dilation - 1, c.window.col.dilation - 1};
  const Dims before = {c.window.row.before, c.window.col.before};
  const Dims after = {c.window.row.after, c.window.col.after};
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  const auto forward_kind = dnnl::prop_kind::forward_training;
  const auto algorithm = dnnl::algorithm::convolution_direct;
  const dnnl::convolution_forward::primitive_desc hint(
      engine, forward_kind, algorithm, image, any, result, strides, dilations, before, after, attr);
  auto plan = std::make_unique<ConvolutionPlan>();
  Desc chosen;
  if (c.pass == Pass::kForward) {
    chosen = hint.weights_desc();
    plan->scratch_bytes = hint.scratchpad_desc().get_size();
    plan->convolution =
        onednn::Step(dnnl::convolution_forward(hint),
                     std::array{DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST, DNNL_ARG_SCRATCHPAD},
                     std::array{image, chosen, result, hint.scratchpad_desc()});
  } else if (c.pass == Pass::kInput) {
    const dnnl::convolution_backward_data::primitive_desc pd(
        engine, algorithm, image, any, result, strides, dilations, before, after, hint, attr);
    chosen = pd.weights_desc();
    plan->scratch_bytes = pd.scratchpad_desc().get_size();
    plan->convolution = onednn::Step(
        dnnl::convolution_backward_data(pd),
        std::array{DNNL_ARG_DIFF_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_DST, DNNL_ARG_SCRATCHPAD},
        std::array{image, chosen, result, pd.scratchpad_desc()});
  } else {
    const dnnl::convolution_backward_weights::primitive_desc pd(
        engine, algorithm, image, any, result, strides, dilations, before, after, hint, attr);
    chosen = pd.diff_weights_desc();
    plan->scratch_bytes = pd.scratchpad_desc().get_size();
    plan->convolution = onednn::Step(
        dnnl::convolution_backward_weights(pd),
        std::array{DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_DST, DNNL_ARG_SCRATCHPAD},
        std::array{image, chosen, result, pd.scratchpad_desc()});
  }
  if (chosen != stored) {
    plan->filter_bytes = chosen.get_size();
    const bool out = c.pass == Pass::kFilter;
    const dnnl::reorder::primitive_desc pd(engine, out ? chosen : stored, engine,
                                           out ? stored : chosen);
    plan->reorder = onednn::Step(dnnl::reorder(pd), std::array{DNNL_ARG_FROM, DNNL_ARG_TO},
                                 out ? std::array{chosen, stored} : std::array{stored, chosen});
  }
  return plan;
}

onednn::Key key_of(const Convolution& c) {
  onednn::Key key;
  key.push_back(100 + static_cast<int64_t>(c.pass) * 2 + c.depthwise);
  for (const Slide* slide : {&c.window.row, &c.window.col}) {
    for (int64_t word : {slide->in, slide->window, slide->stride, slide->dilation, slide->before,
                         slide->after, slide->out}) {
      key.push_back(word);
    }
  }
  for (int64_t word : {c.batch, c.channels, c.filters, c.groups, static_cast<int64_t>(c.format)}) {
    key.push_back(word);
  }
  return key;
}

void convolve(const Convolution& c, const float* image, const float* filter, const float* result,
              const char* op) {
  const onednn::Key key = key_of(c);
  auto* plan = static_cast<ConvolutionPlan*>(onednn::find_plan(key));
  if (!plan) {
    plan = static_cast<ConvolutionPlan*>(
        onednn::keep_plan(key, onednn::guarded(op, [&] { return make_plan(c); })));
  }
  const onednn::Scratch scratch(plan->scratch_bytes);
  const onednn::Scratch own_filter(plan->filter_bytes);
  const void* laid_out = plan->filter_bytes ? own_filter.data() : filter;
  if (plan->filter_bytes && c.pass != Pass::kFilter) plan->reorder.run({filter, laid_out});
  plan->convolution.run({image, laid_out, result, scratch.data()});
  if (plan->filter_bytes && c.pass == Pass::kFilter) plan->reorder.run({laid_out, filter});
}

// Calls body(image offset, filter offset, result offset) for every product of the convolution.
template <class Body>
void for_each_product(const Convolution& c, const Body& body) {
  const bool last = c.format == DataFormat::kNhwc;
  const Slide& row = c.window.row;
  const Slide& col = c.window.col;
  const auto offset = [&](int64_t rows, int64_t cols, int64_t channels, int64_t n, int64_t y,
                          int64_t x, int64_t channel) {
    return last ? ((n * rows + y) * cols + x) * channels + channel
                : ((n * channels + channel) * rows + y) * cols + x;
  };
  const int64_t in_stride = c.depthwise ? c.group_out() : c.filters;
  for (int64_t n = 0; n < c.batch; ++n) {
    for (int64_t y = 0; y < row.out; ++y) {
      for (int64_t x = 0; x < col.out; ++x) {
        for (int64_t ky = 0; ky < row.window; ++ky) {
          const int64_t iy = y * row.stride - row.before + ky * row.dilation;
          if (iy < 0 || iy >= row.in) continue;
          for (int64_t kx = 0; kx < col.window; ++kx) {
            const int64_t ix = x * col.stride - col.before + kx * col.dilation;
            if (ix < 0 || ix >= col.in) continue;
            const int64_t position = (ky * col.window + kx) * c.filter_stride;
            for (int64_t g = 0; g < c.groups; ++g) {
              for (int64_t i = 0; i < c.group_in(); ++i) {
                const int64_t image =
                    offset(row.in, col.in, c.channels, n, iy, ix, g * c.group_in() + i);
                const int64_t filter = position + i * in_stride + g * c.group_out();
                for (int64_t o = 0; o < c.group_out(); ++o) {
                  body(image, filter + o,
                       offset(row.out, col.out, c.filters, n, y, x, g * c.group_out() + o));
                }
              }
            }
          }
        }
      }
    }
  }
}

template <class T>
void convolve(const Convolution& c, T* image, T* filter, T* result, const char*) {
  switch (c.pass) {
    case Pass::kForward:
      return for_each_product(
          c, [=](int64_t i, int64_t f, int64_t r) { result[r] += image[i] * filter[f]; });
    case Pass::kInput:
      return for_each_product(
          c, [=](int64_t i, int64_t f, int64_t r) { image[i] += result[r] * filter[f]; });
    case Pass::kFilter:
      return for_each_product(
          c, [=](int64_t i, int64_t f, int64_t r) { filter[f] += image[i] * result[r]; });
  }
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
void convolve_plain(const Convolution& c, const Operands& operands, const Tensor& out,
                    const char* op) {
  std::fill_n(out.mutable_data<T>(), out.size(), T(0));
  convolve(c, operands.image.mutable_data<T>(), operands.filter.mutable_data<T>(),
           operands.result.mutable_data<T>(), op);
}

void run(Pass pass, bool depthwise, KernelContext& context, const Operands& operands) {
  const char* op = context.op().tf_name;
  const Tensor& out = context.output(0);
  if (out.size() == 0) return;
  const Convolution c =
      describe(pass, depthwise, context.attrs(), pass == Pass::kForward ? 0 : 1, operands, op);
  if (operands.image.size() == 0 || operands.filter.size() == 0 || operands.result.size() == 0) {
    std::fill_n(out.mutable_data<char>(), out.bytes(), char{0});
    return;
  }
  switch (out.dtype()) {
    case DType::kFloat32:
      return convolve(c, operands.image.data<float>(), operands.filter.data<float>(),
                      operands.result.data<float>(), op);
    case DType::kFloat64: return convolve_plain<double>(c, operands, out, op);
    case DType::kInt32: return convolve_plain<int32_t>(c, operands, out, op);
    case DType::kFloat16: return convolve_short<Half>(c, operands, out, op);
    default: return convolve_short<Bfloat16>(c, operands, out, op);
  }
}

}  // namespace

void conv2d(KernelContext& context) {
  run(Pass::kForward, false, context, {context.input(0), context.input(1), context.output(0)});
}
void conv2d_backprop_input(KernelContext& context) {
  run(Pass::kInput, false, context, {context.output(0), context.input(0), context.input(1)});
}
void conv2d_backprop_filter(KernelContext& context) {
  run(Pass::kFilter, false, context, {context.input(0), context.output(0), context.input(1)});
}
void depthwise_conv2d(KernelContext& context) {
  run(Pass::kForward, true, context, {context.input(0), context.input(1), context.output(0)});
}
void depthwise_conv2d_backprop_input(KernelContext& context) {
  run(Pass::kInput, true, context, {context.output(0), context.input(0), context.input(1)});
}
void depthwise_conv2d_backprop_filter(KernelContext& context) {
  run(Pass::kFilter, true, context, {context.input(0), context.output(0), context.input(1)});
}

}  // namespace ef::cpu
