// Float convolutions: oneDNN's primitives for a few images each, on our own threads.
//
// oneDNN would share the work among OpenMP's threads, which wait for each other at the end of every
// primitive, even for a thread that is not scheduled. Here each thread processes images, or rows of
// an image, one by one, and idle threads take the remaining pieces.
#include "kernels/cpu/float_convolution.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "device/parallel.h"
#include "kernels/cpu/onednn.h"
#include "kernels/cpu/product_convolution.h"
#include "kernels/cpu/row_loops.h"
#include "kernels/cpu/winograd.h"

namespace ef::cpu {
namespace {

using Dims = dnnl::memory::dims;
using Desc = dnnl::memory::desc;
constexpr auto kFloat = dnnl::memory::data_type::f32;

Desc image_desc(const Convolution& c, int64_t channels, int64_t rows, int64_t cols) {
  return Desc({c.batch, channels, rows, cols}, kFloat,
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
    return Desc(filter_dims(c), kFloat, Dims{1, in, row, c.filter_stride});
  }
  return Desc(filter_dims(c), kFloat, Dims{c.filter_group_stride(), 1, in, row, c.filter_stride});
}

// A primitive for a number of images, and its layout of the filter.
struct Primitive {
  dnnl::primitive convolution;
  std::array<int, 4> arguments;
  std::array<Desc, 4> descs;
  Desc filter;
  size_t scratch_bytes = 0;

  onednn::Step step() const { return onednn::Step(convolution, arguments, descs); }
};

Primitive make_primitive(const Convolution& c) {
  const dnnl::engine& engine = onednn::engine();
  const Desc image = image_desc(c, c.channels, c.window.row.in, c.window.col.in);
  const Desc result = image_desc(c, c.filters, c.window.row.out, c.window.col.out);
  const Desc any(filter_dims(c), kFloat, dnnl::memory::format_tag::any);
  const Dims strides = {c.window.row.stride, c.window.col.stride};
  const Dims dilations = {c.window.row.dilation - 1, c.window.col.dilation - 1};
  const Dims before = {c.window.row.before, c.window.col.before};
  const Dims after = {c.window.row.after, c.window.col.after};
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  const auto algorithm = dnnl::algorithm::convolution_direct;
  const dnnl::convolution_forward::primitive_desc hint(engine, dnnl::prop_kind::forward_training,
                                                       algorithm, image, any, result, strides,
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

// Some images of the batch, or some rows of one, for one thread.
struct Piece {
  onednn::Step convolution;
  int64_t image = 0;  // offsets
  int64_t result = 0;
  int layout = 0;
};

// The filter in one of oneDNN's layouts, and the copy into or out of it.
struct Layout {
  Desc desc;
  onednn::Step reorder;
  size_t bytes = 0;  // 0: the stored layout is used
};

struct ConvolutionPlan final : onednn::Plan {
  std::vector<Piece> pieces;
  // Pieces of two sizes may need the filter in two layouts.
  std::vector<Layout> layouts;
  size_t scratch_bytes = 0;
  bool shared = false;  // oneDNN shares the only piece among OpenMP's threads
};

int find_layout(ConvolutionPlan& plan, const Convolution& c, const Desc& filter) {
  for (size_t i = 0; i < plan.layouts.size(); ++i) {
    if (plan.layouts[i].desc == filter) return static_cast<int>(i);
  }
  Layout layout{.desc = filter, .reorder = {}, .bytes = 0};
  const Desc stored = stored_filter_desc(c);
  if (filter != stored) {
    layout.bytes = filter.get_size();
    layout.reorder =
        c.pass == Pass::kFilter ? reorder_step(filter, stored) : reorder_step(stored, filter);
  }
  plan.layouts.push_back(std::move(layout));
  return static_cast<int>(plan.layouts.size()) - 1;
}

// The number of pieces to divide the work into.
int64_t count_pieces(const Convolution& c) {
  const int64_t work = c.result_size() * c.group_in() * c.window.row.window * c.window.col.window;
  // This many multiplications take about 30 us.
  constexpr int64_t kLeastWork = 2'000'000;
  // Interrupts are checked between pieces, so pieces must be short.
  constexpr int64_t kMostWork = 5'000'000'000;
  // Each piece of a filter's gradient has a sum of its own.
  const int64_t per_thread = c.pass == Pass::kFilter ? 2 : 4;
  const int64_t most = std::max(per_thread * max_threads(), c.batch * work / kMostWork);
  return std::clamp<int64_t>(c.batch * work / kLeastWork, 1, most);
}

// A part of a convolution, itself a convolution.
struct Part {
  Convolution convolution;
  int64_t image = 0;  // offsets
  int64_t result = 0;
};

// The k-th of the parts with whole images.
Part part_of_images(const Convolution& c, int64_t k, int64_t parts) {
  const int64_t first = c.batch * k / parts;
  Part part{c, first * c.image_size(), first * c.result_size()};
  part.convolution.batch = c.batch * (k + 1) / parts - first;
  return part;
}

// The k-th part of image n: some rows of the written operand, and the rows of the other operand
// that contribute to them. False if there are none.
bool part_of_rows(const Convolution& c, int64_t n, int64_t k, int64_t parts, Part& part) {
  const Slide& all = c.window.row;
  const int64_t written = c.pass == Pass::kInput ? all.in : all.out;
  int64_t in = written * k / parts;
  int64_t in_end = written * (k + 1) / parts;
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

// Parts of about equal size for the threads; none if only oneDNN can share the work.
std::vector<Part> divide(const Convolution& c) {
  std::vector<Part> parts;
  int64_t pieces = count_pieces(c);
  const int64_t threads = max_threads();
  if (c.pass == Pass::kFilter && pieces > 1) {
    constexpr int64_t kMostSums = int64_t{16} << 20;
    pieces = std::min(pieces, kMostSums / c.filter_size());
    if (pieces < threads) return parts;
  }
  if (pieces == 1 || c.batch >= 2 * threads || c.batch % threads == 0) {
    const int64_t count = std::min(pieces, c.batch);
    for (int64_t k = 0; k < count; ++k) parts.push_back(part_of_images(c, k, count));
    return parts;
  }
  if (c.format != DataFormat::kNhwc) return parts;
  const int64_t written = c.pass == Pass::kInput ? c.window.row.in : c.window.row.out;
  const int64_t per_image = std::min((threads + c.batch - 1) / c.batch, written);
  for (int64_t k = 0; k < c.batch * per_image; ++k) {
    if (!part_of_rows(c, k / per_image, k % per_image, per_image, parts.emplace_back())) return {};
  }
  return parts;
}

bool same_primitive(const Convolution& a, const Convolution& b) {
  const Slide& x = a.window.row;
  const Slide& y = b.window.row;
  return a.batch == b.batch && x.in == y.in && x.out == y.out && x.before == y.before &&
         x.after == y.after;
}

std::unique_ptr<ConvolutionPlan> make_plan(const Convolution& c, bool threaded) {
  auto plan = std::make_unique<ConvolutionPlan>();
  std::vector<Part> parts;
  if (threaded) parts = divide(c);
  plan->shared = threaded && parts.empty();
  if (plan->shared) {
    const Primitive primitive = make_primitive(c);
    plan->scratch_bytes = primitive.scratch_bytes;
    plan->pieces.push_back({primitive.step(), 0, 0, find_layout(*plan, c, primitive.filter)});
    return plan;
  }
  if (!threaded) parts.push_back({c});
  const onednn::OneThread one_thread;
  std::vector<std::pair<Convolution, Primitive>> made;
  for (const Part& part : parts) {
    auto same = std::find_if(made.begin(), made.end(), [&](const auto& entry) {
      return same_primitive(entry.first, part.convolution);
    });
    if (same == made.end()) {
      same = made.insert(same, {part.convolution, make_primitive(part.convolution)});
    }
    const Primitive& primitive = same->second;
    plan->scratch_bytes = std::max(plan->scratch_bytes, primitive.scratch_bytes);
    plan->pieces.push_back(
        {primitive.step(), part.image, part.result, find_layout(*plan, c, primitive.filter)});
  }
  return plan;
}

onednn::Key key_of(const Convolution& c, bool threaded) {
  onednn::Key key;
  key.push_back(100 + static_cast<int64_t>(c.pass) * 2 + c.depthwise);
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

// Runs the pieces; `filter_of(k)` is the filter of piece k.
template <class FilterOf>
void run_pieces(ConvolutionPlan& plan, const float* image, const float* result,
                const FilterOf& filter_of) {
  const auto run_piece = [&](size_t k) {
    Piece& piece = plan.pieces[k];
    const onednn::Scratch scratch(onednn::passing_bytes(plan.scratch_bytes));
    piece.convolution.run_alone(
        {image + piece.image, filter_of(k), result + piece.result, scratch.data()});
  };
  parallel_for(static_cast<int64_t>(plan.pieces.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) run_piece(static_cast<size_t>(k));
  });
}

// Adds `count` elements of each of the tables 1, 2, ... to those of table 0.
void add_tables(float* tables, size_t number, int64_t count) {
  constexpr int64_t kBlock = 4096;
  parallel_for((count + kBlock - 1) / kBlock, 8, [&](int64_t begin, int64_t end) {
    for (int64_t at = begin * kBlock; at < std::min(end * kBlock, count); at += kBlock) {
      const int64_t size = std::min(kBlock, count - at);
      for (size_t k = 1; k < number; ++k) {
        row_loops_of<float>().add_into(tables + at, tables + static_cast<int64_t>(k) * count + at,
                                       size);
      }
    }
  });
}

void shared_convolution(ConvolutionPlan& plan, const Convolution& c, const float* image,
                        const float* filter, const float* result) {
  Layout& layout = plan.layouts[0];
  const onednn::Scratch scratch(plan.scratch_bytes);
  const onednn::Scratch laid_out(layout.bytes);
  const void* own = layout.bytes ? laid_out.data() : filter;
  if (layout.bytes && c.pass != Pass::kFilter) layout.reorder.run({filter, own});
  plan.pieces[0].convolution.run({image, own, result, scratch.data()});
  if (layout.bytes && c.pass == Pass::kFilter) layout.reorder.run({own, filter});
}

void forward_or_input(ConvolutionPlan& plan, const float* image, const float* filter,
                      const float* result) {
  size_t bytes = 0;
  for (const Layout& layout : plan.layouts) bytes += layout.bytes;
  const onednn::Scratch memory(onednn::passing_bytes(bytes));
  std::vector<const void*> laid_out;
  char* next = memory.as<char>();
  for (Layout& layout : plan.layouts) {
    laid_out.push_back(layout.bytes ? next : static_cast<const void*>(filter));
    if (layout.bytes) layout.reorder.run_alone({filter, next});
    next += layout.bytes;
  }
  run_pieces(plan, image, result,
             [&](size_t k) { return laid_out[static_cast<size_t>(plan.pieces[k].layout)]; });
}

// Pieces are summed in a fixed order, whichever thread computed them.
void filter_gradient(ConvolutionPlan& plan, const Convolution& c, const float* image,
                     const float* filter, const float* result) {
  const size_t stored_bytes = static_cast<size_t>(c.filter_size()) * sizeof(float);
  const size_t layouts = plan.layouts.size();
  const auto bytes_of = [&](const Layout& layout) {
    return layout.bytes ? layout.bytes : stored_bytes;
  };
  if (plan.pieces.size() == 1 && plan.layouts[0].bytes == 0) {
    return run_pieces(plan, image, result, [&](size_t) { return filter; });
  }
  // The tables of one layout are contiguous.
  std::vector<size_t> first(layouts);
  std::vector<size_t> number(layouts);
  for (const Piece& piece : plan.pieces) ++number[static_cast<size_t>(piece.layout)];
  size_t bytes = 0;
  for (size_t i = 0; i < layouts; ++i) {
    first[i] = bytes;
    bytes += number[i] * bytes_of(plan.layouts[i]);
  }
  const size_t stored = bytes;
  if (layouts > 1) bytes += layouts * stored_bytes;
  const onednn::Scratch memory(onednn::passing_bytes(bytes));
  std::vector<void*> table(plan.pieces.size());
  std::vector<size_t> taken(layouts);
  for (size_t k = 0; k < plan.pieces.size(); ++k) {
    const auto i = static_cast<size_t>(plan.pieces[k].layout);
    table[k] = memory.as<char>() + first[i] + taken[i]++ * bytes_of(plan.layouts[i]);
  }
  run_pieces(plan, image, result, [&](size_t k) { return table[k]; });
  auto* const out = const_cast<float*>(filter);
  for (size_t i = 0; i < layouts; ++i) {
    Layout& layout = plan.layouts[i];
    float* const tables = reinterpret_cast<float*>(memory.as<char>() + first[i]);
    add_tables(tables, number[i], static_cast<int64_t>(bytes_of(layout) / sizeof(float)));
    float* const sum =
        layouts == 1 ? out
                     : reinterpret_cast<float*>(memory.as<char>() + stored + i * stored_bytes);
    if (layout.bytes) {
      layout.reorder.run_alone({tables, sum});
    } else {
      std::copy_n(tables, c.filter_size(), sum);
    }
  }
  if (layouts == 1) return;
  float* const sums = reinterpret_cast<float*>(memory.as<char>() + stored);
  add_tables(sums, layouts, c.filter_size());
  std::copy_n(sums, c.filter_size(), out);
}

}  // namespace

void convolve(const Convolution& c, const float* image, const float* filter, const float* result,
              const char* op) {
  if (suits_product(c)) return convolve_by_product(c, image, filter, result);
  if (suits_winograd(c)) return convolve_by_winograd(c, image, filter, result);
  const bool threaded = max_threads() > 1 && !in_parallel();
  const onednn::Key key = key_of(c, threaded);
  auto* plan = static_cast<ConvolutionPlan*>(onednn::find_plan(key));
  if (!plan) {
    plan = static_cast<ConvolutionPlan*>(
        onednn::keep_plan(key, onednn::guarded(op, [&] { return make_plan(c, threaded); })));
  }
  if (plan->shared) return shared_convolution(*plan, c, image, filter, result);
  if (c.pass == Pass::kFilter) return filter_gradient(*plan, c, image, filter, result);
  forward_or_input(*plan, image, filter, result);
}

}  // namespace ef::cpu
