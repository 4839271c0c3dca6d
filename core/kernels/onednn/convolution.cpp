// Float convolutions: oneDNN's primitives for a few images each, on our own threads.
//
// oneDNN would share the work among OpenMP's threads, which wait for each other at the end of every
// primitive, even for a thread that is not scheduled. Here each thread processes images, or rows of
// an image, one by one, and idle threads process the remaining pieces.
#include "kernels/cpu/float_convolution.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "device/parallel.h"
#include "device/scratch.h"
#include "kernels/cpu/row_loops.h"
#include "kernels/cpu/short_gemm.h"
#include "kernels/cpu/widen.h"
#include "kernels/onednn/convolution_primitives.h"
#include "kernels/onednn/onednn.h"

namespace ef::cpu {
namespace {

// Images of the batch, or rows of one image, for one thread.
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
  // Pieces of two sizes may need two layouts of the filter.
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
  // Interrupts are checked between pieces, so pieces must be short.
  constexpr int64_t kMostWork = 5'000'000'000;
  // Each piece of a filter's gradient has a sum of its own.
  const int64_t per_thread = c.pass == Pass::kFilter ? 2 : 4;
  const int64_t most = std::max(per_thread * max_threads(), c.batch * work / kMostWork);
  return std::clamp<int64_t>(c.batch * work / kLeastPiece, 1, most);
}

// Parts of about equal size for the threads; empty if only oneDNN can share the work.
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
    const int64_t place = k % per_image;
    if (!part_of_rows(c, k / per_image, written * place / per_image,
                      written * (place + 1) / per_image, parts.emplace_back())) {
      return {};
    }
  }
  return parts;
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

// Runs the pieces; `filter_of(k)` is the filter of piece k.
template <class T, class FilterOf>
void run_pieces(ConvolutionPlan& plan, const T* image, const T* result, const FilterOf& filter_of) {
  const auto run_piece = [&](size_t k) {
    Piece& piece = plan.pieces[k];
    const Scratch scratch(passing_bytes(plan.scratch_bytes));
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

template <class T>
void shared_convolution(ConvolutionPlan& plan, const Convolution& c, const T* image,
                        const void* filter, const T* result) {
  Layout& layout = plan.layouts[0];
  const Scratch scratch(plan.scratch_bytes);
  const Scratch laid_out(layout.bytes);
  const void* own = layout.bytes ? laid_out.data() : filter;
  if (layout.bytes && c.pass != Pass::kFilter) layout.reorder.run({filter, own});
  plan.pieces[0].convolution.run({image, own, result, scratch.data()});
  if (layout.bytes && c.pass == Pass::kFilter) layout.reorder.run({own, filter});
}

template <class T>
void forward_or_input(ConvolutionPlan& plan, const T* image, const void* filter, const T* result) {
  size_t bytes = 0;
  for (const Layout& layout : plan.layouts) bytes += layout.bytes;
  const Scratch memory(passing_bytes(bytes));
  std::vector<const void*> laid_out;
  char* next = memory.as<char>();
  for (Layout& layout : plan.layouts) {
    laid_out.push_back(layout.bytes ? next : filter);
    if (layout.bytes) layout.reorder.run_alone({filter, next});
    next += layout.bytes;
  }
  run_pieces(plan, image, result,
             [&](size_t k) { return laid_out[static_cast<size_t>(plan.pieces[k].layout)]; });
}

// Pieces are summed in a fixed order, whichever threads computed them.
template <class T>
void filter_gradient(ConvolutionPlan& plan, const Convolution& c, const T* image,
                     const void* filter, const T* result) {
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
  const Scratch memory(passing_bytes(bytes));
  std::vector<void*> table(plan.pieces.size());
  std::vector<size_t> taken(layouts);
  for (size_t k = 0; k < plan.pieces.size(); ++k) {
    const auto i = static_cast<size_t>(plan.pieces[k].layout);
    table[k] = memory.as<char>() + first[i] + taken[i]++ * bytes_of(plan.layouts[i]);
  }
  run_pieces(plan, image, result, [&](size_t k) { return table[k]; });
  auto* const out = static_cast<float*>(const_cast<void*>(filter));
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

template <class T>
void convolve_by_primitives(const Convolution& c, const T* image, const void* filter,
                            const T* result, const char* op) {
  const bool threaded = max_threads() > 1 && !in_parallel();
  const onednn::Key key = key_of(c, 100, threaded);
  auto* const plan =
      onednn::plan_for<ConvolutionPlan>(key, op, [&] { return make_plan(c, threaded); });
  if (plan->shared) return shared_convolution(*plan, c, image, filter, result);
  if (c.pass == Pass::kFilter) return filter_gradient(*plan, c, image, filter, result);
  forward_or_input(*plan, image, filter, result);
}

}  // namespace

void large_convolution(const Convolution& c, const float* image, const float* filter,
                       const float* result, const char* op) {
  convolve_by_primitives(c, image, filter, result, op);
}

bool suits_short_convolution(const Convolution& c) {
  constexpr int64_t kLeastWork = 1'000'000;
  const int64_t work =
      c.batch * c.result_size() * c.group_in() * c.window.row.window * c.window.col.window;
  return multiplies_bfloat16() && c.groups == 1 && c.format == DataFormat::kNhwc &&
         work >= kLeastWork;
}

void convolve(const Convolution& c, const Bfloat16* image, const Bfloat16* filter,
              const Bfloat16* result, const char* op) {
  Convolution own = c;
  own.short_floats = true;
  if (c.pass != Pass::kFilter) return convolve_by_primitives(own, image, filter, result, op);
  const Scratch sum(passing_bytes(static_cast<size_t>(c.filter_size()) * sizeof(float)));
  convolve_by_primitives(own, image, sum.data(), result, op);
  convert(sum.as<float>(), const_cast<Bfloat16*>(filter), c.filter_size());
}

}  // namespace ef::cpu
