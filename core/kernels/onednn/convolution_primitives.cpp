// oneDNN's primitives for parts of convolutions.
#include "kernels/onednn/convolution_primitives.h"

#include <algorithm>
#include <utility>

#include "device/parallel.h"

namespace ef::cpu {
namespace {

using Type = dnnl::memory::data_type;
Type image_type(const Convolution& c) { return c.short_floats ? Type::bf16 : Type::f32; }
Type filter_type(const Convolution& c) {
  return c.short_floats && c.pass != Pass::kFilter ? Type::bf16 : Type::f32;
}

Desc image_desc(const Convolution& c, int64_t channels, int64_t rows, int64_t cols) {
  return Desc({c.batch, channels, rows, cols}, image_type(c),
              c.format == DataFormat::kNhwc ? dnnl::memory::format_tag::nhwc
                                            : dnnl::memory::format_tag::nchw);
}

Dims filter_dims(const Convolution& c) {
  const int64_t rows = c.window.row.window;
  const int64_t cols = c.window.col.window;
  if (c.groups == 1) return {c.filters, c.channels, rows, cols};
  return {c.groups, c.group_out(), c.group_in(), rows, cols};
}

}  // namespace

Desc stored_filter_desc(const Convolution& c) {
  const int64_t row = c.window.col.window * c.filter_stride;
  const int64_t in = c.depthwise ? c.group_out() : c.filters;
  if (c.groups == 1) {
    return Desc(filter_dims(c), filter_type(c), Dims{1, in, row, c.filter_stride});
  }
  return Desc(filter_dims(c), filter_type(c),
              Dims{c.filter_group_stride(), 1, in, row, c.filter_stride});
}

Primitive make_primitive(const Convolution& c) {
  const dnnl::engine& engine = onednn::engine();
  const Desc image = image_desc(c, c.channels, c.window.row.in, c.window.col.in);
  const Desc result = image_desc(c, c.filters, c.window.row.out, c.window.col.out);
  const Desc any(filter_dims(c), filter_type(c), dnnl::memory::format_tag::any);
  const Dims strides = {c.window.row.stride, c.window.col.stride};
  const Dims dilations = {c.window.row.dilation - 1, c.window.col.dilation - 1};
  const Dims before = {c.window.row.before, c.window.col.before};
  const Dims after = {c.window.row.after, c.window.col.after};
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  const auto algorithm = dnnl::algorithm::convolution_direct;
  // The forward pass that belongs to a gradient has a filter of the image's dtype.
  const Desc as_image(filter_dims(c), image_type(c), dnnl::memory::format_tag::any);
  const dnnl::convolution_forward::primitive_desc hint(engine, dnnl::prop_kind::forward_training,
                                                       algorithm, image, as_image, result, strides,
                                                       dilations, before, after, attr);
  const auto finish = [&](const auto& pd, dnnl::primitive convolution, const Desc& filter,
                          std::array<int, 4> arguments) {
    return Primitive{std::move(convolution),
                     arguments,
                     {image, filter, result, pd.scratchpad_desc()},
                     filter,
                     pd.scratchpad_desc().get_size()};
  };
  switch (c.pass) {
    case Pass::kForward:
      return finish(hint, dnnl::convolution_forward(hint), hint.weights_desc(),
                    {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST, DNNL_ARG_SCRATCHPAD});
    case Pass::kInput: {
      const dnnl::convolution_backward_data::primitive_desc pd(
          engine, algorithm, image, any, result, strides, dilations, before, after, hint, attr);
      return finish(pd, dnnl::convolution_backward_data(pd), pd.weights_desc(),
                    {DNNL_ARG_DIFF_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_DST, DNNL_ARG_SCRATCHPAD});
    }
    default: {
      const dnnl::convolution_backward_weights::primitive_desc pd(
          engine, algorithm, image, any, result, strides, dilations, before, after, hint, attr);
      return finish(pd, dnnl::convolution_backward_weights(pd), pd.diff_weights_desc(),
                    {DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_DST, DNNL_ARG_SCRATCHPAD});
    }
  }
}

onednn::Step reorder_step(const Desc& from, const Desc& to) {
  const dnnl::reorder::primitive_desc pd(onednn::engine(), from, onednn::engine(), to);
  return onednn::Step(dnnl::reorder(pd), std::array{DNNL_ARG_FROM, DNNL_ARG_TO},
                      std::array{from, to});
}
Part part_of_images(const Convolution& c, int64_t k, int64_t parts) {
  const int64_t first = c.batch * k / parts;
  Part part{c, first * c.image_size(), first * c.result_size()};
  part.convolution.batch = c.batch * (k + 1) / parts - first;
  return part;
}

bool part_of_rows(const Convolution& c, int64_t n, int64_t begin, int64_t end, Part& part) {
  const Slide& all = c.window.row;
  int64_t in = begin;
  int64_t in_end = end;
  int64_t out = in;
  int64_t out_end = in_end;
  if (c.pass == Pass::kInput) {
    const int64_t shift = in + all.before - all.extent() + 1;
    out = shift > 0 ? (shift + all.stride - 1) / all.stride : 0;
    out_end = std::min(all.out, (in_end - 1 + all.before) / all.stride + 1);
  } else {
    in = std::max<int64_t>(out * all.stride - all.before, 0);
    in_end = std::min(all.in, (out_end - 1) * all.stride - all.before + all.extent());
  }
  part.convolution = c;
  part.convolution.batch = 1;
  Slide& row = part.convolution.window.row;
  row.in = in_end - in;
  row.out = out_end - out;
  row.before = all.before + in - out * all.stride;
  row.after = std::max<int64_t>((row.out - 1) * all.stride + all.extent() - row.in - row.before, 0);
  part.image = n * c.image_size() + in * c.window.col.in * c.channels;
  part.result = n * c.result_size() + out * c.window.col.out * c.filters;
  return row.in > 0 && row.out > 0 && row.before >= 0;
}

bool same_primitive(const Convolution& a, const Convolution& b) {
  const Slide& x = a.window.row;
  const Slide& y = b.window.row;
  return a.batch == b.batch && x.in == y.in && x.out == y.out && x.before == y.before &&
         x.after == y.after;
}

onednn::Key key_of(const Convolution& c, int64_t kind, bool threaded) {
  onednn::Key key;
  key.push_back(kind + static_cast<int64_t>(c.pass) * 4 + 2 * c.short_floats + c.depthwise);
  for (const Slide* slide : {&c.window.row, &c.window.col}) {
    for (int64_t word : {slide->in, slide->window, slide->stride, slide->dilation, slide->before,
                         slide->after, slide->out}) {
      key.push_back(word);
    }
  }
  for (int64_t word : {c.batch, c.channels, c.filters, c.groups, static_cast<int64_t>(c.format),
                       threaded ? int64_t{max_threads()} : int64_t{1}}) {
    key.push_back(word);
  }
  return key;
}

}  // namespace ef::cpu
