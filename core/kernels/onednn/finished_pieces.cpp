// Convolutions by oneDNN in pieces that are finished while they are in the cache.
#include <algorithm>
#include <utility>

#include "device/parallel.h"
#include "device/scratch.h"
#include "kernels/cpu/finished_convolution.h"
#include "kernels/onednn/convolution_primitives.h"

namespace ef::cpu {
namespace {

// The number of result elements of a piece, which is finished as a whole: the elements and their
// operands stay in the second-level cache.
constexpr int64_t kPiece = 65'536;

struct Piece {
  int32_t variant;
  int64_t image;  // offsets
  int64_t result;
  int64_t count;  // elements of the result
};

// The primitives of a convolution in pieces; most pieces share one.
struct PiecesPlan final : onednn::Plan {
  std::vector<Primitive> variants;
  std::vector<Piece> pieces;
  std::vector<onednn::Step> steps;  // of the pieces if these are few; otherwise created at run time
  size_t scratch_bytes = 0;
};
constexpr size_t kFewPieces = 32;

// Whole images, or rows of images, of the size of a piece; as many pieces as threads if there is
// enough work.
std::vector<Part> divide(const Convolution& c, bool threaded) {
  const int64_t work = c.batch * c.result_size() * c.group_in() * c.window.row.window *
                       c.window.col.window / kLeastPiece;
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
        return {Part{c}};  // all windows of the rows lie outside the image
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

// Weights in the layout `wanted`, from their stored layout `stored`.
const void* laid_out(ReadyWeights& weights, const ReadyWeights::Source& source, const Desc& stored,
                     const Desc& wanted) {
  if (wanted == stored) return weights.plain(source);
  return weights.made(source, wanted, wanted.get_size(), [&](const float* plain, void* to) {
    const onednn::OneThread one_thread;
    reorder_step(stored, wanted).run_alone({plain, to});
  });
}

}  // namespace

void convolve_pieces(const Convolution& c, const float* image, ReadyWeights& weights,
                     const ReadyWeights::Source& source, const Finish& finish, float* result,
                     const char* op) {
  const bool threaded = max_threads() > 1 && !in_parallel();
  const onednn::Key key = key_of(c, 150, threaded);
  auto* const plan = onednn::plan_for<PiecesPlan>(key, op, [&] { return make_plan(c, threaded); });
  const Desc stored = stored_filter_desc(c);
  std::vector<const void*> filters;
  for (const Primitive& variant : plan->variants) {
    filters.push_back(
        onednn::guarded(op, [&] { return laid_out(weights, source, stored, variant.filter); }));
  }
  const auto count = static_cast<int64_t>(plan->pieces.size());
  const int64_t grain = plan->steps.empty() ? std::max<int64_t>(1, count / (8 * max_threads())) : 1;
  parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    const Scratch scratch(passing_bytes(plan->scratch_bytes));
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

}  // namespace ef::cpu
