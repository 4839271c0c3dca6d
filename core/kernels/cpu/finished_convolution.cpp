// Convolutions and products that finish their results in blocks.
#include "kernels/cpu/finished_convolution.h"

#include <algorithm>
#include <utility>

#include "device/parallel.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/row_loops.h"
#include "kernels/cpu/winograd.h"

namespace ef::cpu {
namespace {

// Numbers of a block that is finished at once.
constexpr int64_t kBlock = 2048;

// Numbers of the results that are computed before they are finished: they and what they are
// computed from stay in the second-level cache.
constexpr int64_t kPiece = 65'536;

// Copies weights, scaled and turned as they have to be.
void write_plain(const ReadyWeights::Source& source, float* to) {
  const auto [data, rows, cols, transposed, scale] = source;
  parallel_for(rows, std::max<int64_t>(1, 65'536 / cols), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      float* const row = to + i * cols;
      if (transposed) {
        for (int64_t j = 0; j < cols; ++j) row[j] = data[j * rows + i];
      } else {
        std::copy_n(data + i * cols, cols, row);
      }
      if (!scale) continue;
      for (int64_t j = 0; j < cols; ++j) row[j] *= scale[j];
    }
  });
}

}  // namespace

Finish::Finish(int64_t channels, const float* offsets, const float* addend, Limits limits,
               std::span<const ElementLoop> loops)
    : block_(std::max<int64_t>(1, kBlock / channels) * channels),
      addend_(addend),
      limits_(limits),
      adds_(offsets || addend || limits.low >= 0),
      loops_(loops) {
  if (!adds_) return;
  offsets_.resize(static_cast<size_t>(block_));
  if (!offsets) return;
  for (int64_t at = 0; at < block_; at += channels) {
    std::copy_n(offsets, channels, offsets_.data() + at);
  }
}

void Finish::operator()(float* result, int64_t at, int64_t count) const {
  for (const int64_t last = at + count; at < last; at += block_) {
    const int64_t size = std::min(block_, last - at);
    float* const block = result + at;
    if (adds_) {
      row_loops_of<float>().add_clipped(block, offsets_.data(), addend_ ? addend_ + at : nullptr,
                                        limits_.low, limits_.high, size);
    }
    for (const ElementLoop& loop : loops_) {
      const void* const input = block;
      loop(block, &input, 0, size);
    }
  }
}

const onednn::Scratch* ReadyWeights::find(const Desc& desc, bool transformed) const {
  for (const Layout& layout : layouts_) {
    if (layout.transformed == transformed && layout.desc == desc) return layout.memory.get();
  }
  return nullptr;
}

void* ReadyWeights::add(const Desc& desc, bool transformed, size_t bytes) {
  layouts_.push_back({desc, transformed, std::make_unique<onednn::Scratch>(bytes)});
  return layouts_.back().memory->data();
}

const float* ReadyWeights::plain(const Source& source) {
  if (!source.scale && !source.transposed) return source.data;
  const std::lock_guard lock(mutex_);
  const Interruptible none(nullptr, nullptr);  // a check would wait for Python's lock
  if (const onednn::Scratch* found = find({}, false)) return found->as<float>();
  auto* const to =
      static_cast<float*>(add({}, false, static_cast<size_t>(source.size()) * sizeof(float)));
  write_plain(source, to);
  return to;
}

const void* ReadyWeights::laid_out(const Source& source, const Desc& stored, const Desc& wanted) {
  if (wanted == stored) return plain(source);
  const std::lock_guard lock(mutex_);
  const Interruptible none(nullptr, nullptr);  // a check would wait for Python's lock
  if (const onednn::Scratch* found = find(wanted, false)) return found->data();
  const bool as_is = !source.scale && !source.transposed;
  const onednn::Scratch copy(as_is ? 0 : static_cast<size_t>(source.size()) * sizeof(float));
  if (!as_is) write_plain(source, copy.as<float>());
  const onednn::OneThread one_thread;
  onednn::Step reorder = reorder_step(stored, wanted);
  void* const to = add(wanted, false, wanted.get_size());
  reorder.run_alone({as_is ? source.data : copy.as<float>(), to});
  return to;
}

const float* ReadyWeights::transformed(
    const Source& source, int64_t count,
    const std::function<void(const float* plain, float* to)>& make) {
  const std::lock_guard lock(mutex_);
  const Interruptible none(nullptr, nullptr);  // a check would wait for Python's lock
  if (const onednn::Scratch* found = find({}, true)) return found->as<float>();
  const bool as_is = !source.scale && !source.transposed;
  const onednn::Scratch copy(as_is ? 0 : static_cast<size_t>(source.size()) * sizeof(float));
  if (!as_is) write_plain(source, copy.as<float>());
  auto* const to = static_cast<float*>(add({}, true, static_cast<size_t>(count) * sizeof(float)));
  make(as_is ? source.data : copy.as<float>(), to);
  return to;
}

namespace {

struct Piece {
  int32_t variant;
  int64_t image;  // offsets
  int64_t result;
  int64_t count;  // of numbers of the result
};

// The primitives of a convolution in pieces, few of which differ.
struct PiecesPlan final : onednn::Plan {
  std::vector<Primitive> variants;
  std::vector<Piece> pieces;
  std::vector<onednn::Step> steps;  // of the pieces, if these are few; else made when they run
  size_t scratch_bytes = 0;
};
constexpr size_t kFewPieces = 32;

// Whole images, or rows of images, that fit a piece; as many pieces as threads where there is
// enough work.
std::vector<Part> divide(const Convolution& c, bool threaded) {
  constexpr int64_t kLeastWork = 2'000'000;
  const int64_t work = c.batch * c.result_size() * c.group_in() * c.window.row.window *
                       c.window.col.window / kLeastWork;
  const int64_t threads = threaded ? std::clamp<int64_t>(work, 1, max_threads()) : 1;
  std::vector<Part> parts;
  const auto rounded = [&](int64_t pieces) {
    return pieces <= threads ? pieces : (pieces + threads - 1) / threads * threads;
  };
  const int64_t images = std::max<int64_t>(1, kPiece / c.result_size());
  if (images > 1 && c.batch >= threads) {
    const int64_t count =
        std::min(c.batch, rounded(std::max(threads, (c.batch + images - 1) / images)));
    for (int64_t k = 0; k < count; ++k) parts.push_back(part_of_images(c, k, count));
    return parts;
  }
  const int64_t out = c.window.row.out;
  const int64_t fitting = (c.result_size() + kPiece - 1) / kPiece;
  const int64_t wanted = std::max(fitting, (threads + c.batch - 1) / c.batch);
  const int64_t rows = (out + rounded(wanted) - 1) / rounded(wanted);
  for (int64_t n = 0; n < c.batch; ++n) {
    for (int64_t y = 0; y < out; y += rows) {
      if (!part_of_rows(c, n, y, std::min(y + rows, out), parts.emplace_back())) {
        return {Part{c}};  // rows of which all windows lie outside
      }
    }
  }
  return parts;
}

std::unique_ptr<PiecesPlan> make_plan(const Convolution& c, bool threaded) {
  auto plan = std::make_unique<PiecesPlan>();
  const onednn::OneThread one_thread;
  std::vector<Convolution> made;
  for (const Part& part : divide(c, threaded)) {
    const auto same = std::ranges::find_if(
        made, [&](const Convolution& other) { return same_primitive(other, part.convolution); });
    const auto variant = static_cast<int32_t>(same - made.begin());
    if (same == made.end()) {
      made.push_back(part.convolution);
      plan->variants.push_back(make_primitive(part.convolution));
      plan->scratch_bytes = std::max(plan->scratch_bytes, plan->variants.back().scratch_bytes);
    }
    plan->pieces.push_back({variant, part.image, part.result,
                            part.convolution.batch * part.convolution.result_size()});
  }
  if (plan->pieces.size() > kFewPieces) return plan;
  for (const Piece& piece : plan->pieces) {
    plan->steps.push_back(plan->variants[static_cast<size_t>(piece.variant)].step());
  }
  return plan;
}

void convolve_pieces(const Convolution& c, const float* image, ReadyWeights& weights,
                     const ReadyWeights::Source& source, const Finish& finish, float* result,
                     const char* op) {
  const bool threaded = max_threads() > 1 && !in_parallel();
  const onednn::Key key = key_of(c, 150, threaded);
  auto* plan = static_cast<PiecesPlan*>(onednn::find_plan(key));
  if (!plan) {
    plan = static_cast<PiecesPlan*>(
        onednn::keep_plan(key, onednn::guarded(op, [&] { return make_plan(c, threaded); })));
  }
  const Desc stored = stored_filter_desc(c);
  std::vector<const void*> filters;
  for (const Primitive& variant : plan->variants) {
    filters.push_back(
        onednn::guarded(op, [&] { return weights.laid_out(source, stored, variant.filter); }));
  }
  const auto count = static_cast<int64_t>(plan->pieces.size());
  const int64_t grain = plan->steps.empty() ? std::max<int64_t>(1, count / (8 * max_threads())) : 1;
  parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    const onednn::Scratch scratch(onednn::passing_bytes(plan->scratch_bytes));
    std::vector<onednn::Step> own(plan->steps.empty() ? plan->variants.size() : 0);
    for (int64_t k = begin; k < end; ++k) {
      const Piece& piece = plan->pieces[static_cast<size_t>(k)];
      const auto variant = static_cast<size_t>(piece.variant);
      if (!own.empty() && !own[variant]) own[variant] = plan->variants[variant].step();
      onednn::Step& step = own.empty() ? plan->steps[static_cast<size_t>(k)] : own[variant];
      step.run_alone(
          {image + piece.image, filters[variant], result + piece.result, scratch.data()});
      finish(result, piece.result, piece.count);
    }
  });
}

bool untouched(const Slide& slide) {
  return slide.window == 1 && slide.stride == 1 && slide.before == 0 && slide.after == 0;
}

// Products of fewer rows, or of less work, are not worth oneDNN's primitives.
constexpr int64_t kFewRows = 16;
constexpr int64_t kLittleWork = 1'000'000;

}  // namespace

void convolve_finished(const Convolution& c, const float* image, ReadyWeights& weights,
                       const ReadyWeights::Source& source, const Finish& finish, float* result,
                       const char* op) {
  if (c.groups == 1 && !c.depthwise && untouched(c.window.row) && untouched(c.window.col)) {
    return multiply_finished(c.batch * c.window.row.out * c.window.col.out, image, weights, source,
                             finish, result, op);
  }
  if (suits_winograd(c, true)) {
    const float* const filter = weights.transformed(
        source, winograd_filter_size(c),
        [&](const float* plain, float* to) { transform_winograd_filter(c, plain, to); });
    return convolve_by_winograd(c, image, filter, result,
                                [&](int64_t at, int64_t count) { finish(result, at, count); });
  }
  convolve_pieces(c, image, weights, source, finish, result, op);
}

void multiply_finished(int64_t rows, const float* a, ReadyWeights& weights,
                       const ReadyWeights::Source& source, const Finish& finish, float* c,
                       const char* op) {
  if (rows >= kFewRows && rows * source.size() >= kLittleWork) {
    // As a convolution of pixels in one column.
    Convolution product;
    product.pass = Pass::kForward;
    product.batch = 1;
    product.channels = source.rows;
    product.filters = source.cols;
    product.filter_stride = source.size();
    product.window.row.in = product.window.row.out = rows;
    product.window.col.in = product.window.col.out = 1;
    return convolve_pieces(product, a, weights, source, finish, c, op);
  }
  Product p;
  p.m = rows, p.n = source.cols, p.k = source.rows;
  p.lda = p.k, p.ldb = p.n, p.ldc = p.n;
  if (source.scale) {
    gemm(p, a, weights.plain(source), c);
  } else {
    p.transpose_b = source.transposed;
    if (source.transposed) p.ldb = p.k;
    gemm(p, a, source.data, c);
  }
  parallel_for(rows, std::max<int64_t>(1, 16'384 / p.n),
               [&](int64_t begin, int64_t end) { finish(c, begin * p.n, (end - begin) * p.n); });
}

}  // namespace ef::cpu
