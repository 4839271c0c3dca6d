// Convolutions and products that finish their results in blocks.
#include "kernels/cpu/finished_convolution.h"

#include <algorithm>
#include <utility>

#include "device/parallel.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/int8_products.h"
#include "kernels/cpu/product_convolution.h"
#include "kernels/cpu/row_loops.h"
#include "kernels/cpu/winograd.h"

namespace ef::cpu {
namespace {

// The number of elements of a block that is finished at once.
constexpr int64_t kFinishedBlock = 2048;

// Copies weights, and scales and transposes them if the source requires it.
void write_plain(const ReadyWeights::Source& source, float* to) {
  const auto [data, rows, cols, transposed, scale, int8] = source;
  parallel_for(rows, std::max<int64_t>(1, 65'536 / cols), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      float* const row = to + i * cols;
      if (int8) {
        for (int64_t j = 0; j < cols; ++j) row[j] = int8[i * cols + j];
      } else if (transposed) {
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
    : block_(std::max<int64_t>(1, kFinishedBlock / channels) * channels),
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
    run_loops(block, size);
  }
}

ProductFinish Finish::in_registers() const {
  return {adds_ ? offsets_.data() : nullptr, addend_, limits_};
}

void Finish::run_loops(float* block, int64_t count) const {
  for (const ElementLoop& loop : loops_) {
    const void* const input = block;
    loop(block, &input, 0, count);
  }
}

void Finish::run_loops(float* results, int64_t rows, int64_t cols, int64_t apart) const {
  if (loops_.empty()) return;
  if (cols == apart) cols *= std::exchange(rows, 1);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < cols; j += kFinishedBlock) {
      run_loops(results + i * apart + j, std::min(kFinishedBlock, cols - j));
    }
  }
}

const float* ReadyWeights::plain(const Source& source) {
  if (!source.scale && !source.transposed) return source.data;
  const std::lock_guard lock(mutex_);
  for (const Layout& layout : layouts_) {
    if (!layout.key.has_value()) return layout.memory->as<float>();
  }
  const Interruptible none(nullptr, nullptr);  // a check would wait for Python's lock
  auto memory = std::make_unique<Scratch>(static_cast<size_t>(source.size()) * sizeof(float));
  write_plain(source, memory->as<float>());
  return layouts_.emplace_back(std::any(), std::move(memory)).memory->as<float>();
}

const void* ReadyWeights::add(std::any key, size_t bytes,
                              const std::function<void(void* to)>& make) {
  const Interruptible none(nullptr, nullptr);  // a check would wait for Python's lock
  auto memory = std::make_unique<Scratch>(bytes);
  make(memory->data());
  return layouts_.emplace_back(std::move(key), std::move(memory)).memory->data();
}

void ReadyWeights::make_of_plain(const Source& source,
                                 const std::function<void(const float* plain, void* to)>& make,
                                 void* to) {
  const bool as_is = !source.scale && !source.transposed;
  const Scratch copy(as_is ? 0 : static_cast<size_t>(source.size()) * sizeof(float));
  if (!as_is) write_plain(source, copy.as<float>());
  make(as_is ? source.data : copy.as<float>(), to);
}

namespace {

// The key of filters that are transformed for Winograd's convolution.
struct Transformed {
  bool operator==(const Transformed&) const = default;
};

// The key of weights in strips.
struct Strips {
  bool operator==(const Strips&) const = default;
};

// Products of fewer rows are not worth a copy of the weights.
constexpr int64_t kFewRows = 16;

// The number of elements of a matrix that stay in the second-level cache during a pass of the
// other.
constexpr int64_t kCached = 192 * 1024;
// The number of result elements of a task, if there are enough for all threads.
constexpr int64_t kTask = 65'536;
// The least number of multiplications for a thread.
constexpr int64_t kFinishedGrain = 300'000;

// c = a * b for `rows` rows: threads share blocks of rows, and of columns where rows are few.
void multiply_strips(int64_t rows, const float* a, ReadyWeights& weights,
                     const ReadyWeights::Source& source, const Finish& finish, float* c) {
  const FinishedProductKernels& kernels = best::finished_product_kernels();
  const auto [k, n] = std::pair(source.rows, source.cols);
  const int64_t padded = divide_up(n, kernels.width) * kernels.width;
  const auto* const strips = static_cast<const float*>(weights.made(
      source, Strips(), static_cast<size_t>(k * padded) * sizeof(float),
      [&](const float* plain, void* to) { kernels.pack(k, n, plain, static_cast<float*>(to)); }));
  // A thread's results are still in its cache for the next layer, so its part is as large as
  // possible.
  const int64_t threads = in_parallel() ? 1 : max_threads();
  const auto shared = [&](int64_t parts) { return divide_up(parts, threads) * threads; };
  constexpr int64_t kLeastTiles = 4;  // of a block of rows
  const int64_t tiles = divide_up(rows, kernels.rows);
  const int64_t strip_count = divide_up(n, kernels.strip);
  const int64_t parts = shared(divide_up(rows * n, kTask));
  const bool by_rows = k * n <= kCached && tiles >= kLeastTiles * threads;
  const int64_t least = divide_up(rows * k, kCached);
  const int64_t row_blocks = by_rows ? shared(std::max(least, std::min(parts, tiles / kLeastTiles)))
                                     : (least > 1 ? shared(least) : 1);
  const int64_t col_blocks =
      by_rows ? 1 : std::clamp<int64_t>(std::max(parts, 2 * threads) / row_blocks, 1, strip_count);
  const ProductFinish in_registers = finish.in_registers();
  const int64_t grain = kFinishedGrain * row_blocks * col_blocks / (rows * n * k) + 1;
  parallel_for(row_blocks * col_blocks, grain, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t i = rows * (task / col_blocks) / row_blocks;
      const int64_t height = rows * (task / col_blocks + 1) / row_blocks - i;
      const int64_t block = task % col_blocks;
      const int64_t j = strip_count * block / col_blocks * kernels.strip;
      const int64_t width = std::min(n, strip_count * (block + 1) / col_blocks * kernels.strip) - j;
      float* const to = c + i * n + j;
      ProductFinish here = in_registers;
      if (here.offsets) here.offsets += j;
      if (here.addend) here.addend += i * n + j;
      kernels.multiply(height, width, k, a + i * k, strips + j * k, here, to, n);
      finish.run_loops(to, height, width, n);
    }
  });
}

}  // namespace

bool finishes_alone(const Convolution& c) { return !suits_product(c) && suits_winograd(c); }

void finish_pixels(const Finish& finish, float* result, int64_t pixels, int64_t channels) {
  parallel_for(pixels, std::max<int64_t>(1, 16'384 / channels), [&](int64_t begin, int64_t end) {
    finish(result, begin * channels, (end - begin) * channels);
  });
}

void convolve_finished(const Convolution& c, const float* image, ReadyWeights& weights,
                       const ReadyWeights::Source& source, const Finish& finish, float* result,
                       const char* op) {
  if (c.groups == 1 && !c.depthwise && c.window.row.is_plain() && c.window.col.is_plain()) {
    return multiply_finished(c.batch * c.window.row.out * c.window.col.out, image, weights, source,
                             finish, result);
  }
  if (source.int8 && suits_int8(c)) return convolve_int8(c, image, weights, source, finish, result);
  if (suits_winograd(c, true)) {
    const void* const filter = weights.made(
        source, Transformed(), static_cast<size_t>(winograd_filter_size(c)) * sizeof(float),
        [&](const float* plain, void* to) {
          transform_winograd_filter(c, plain, static_cast<float*>(to));
        });
    return convolve_by_winograd(c, image, static_cast<const float*>(filter), result,
                                [&](int64_t at, int64_t count) { finish(result, at, count); });
  }
  convolve_pieces(c, image, weights, source, finish, result, op);
}

void multiply_finished(int64_t rows, const float* a, ReadyWeights& weights,
                       const ReadyWeights::Source& source, const Finish& finish, float* c) {
  if (source.int8) return multiply_int8(rows, a, weights, source, finish, c);
  if (rows >= kFewRows) return multiply_strips(rows, a, weights, source, finish, c);
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
  finish_pixels(finish, c, rows, p.n);
}

}  // namespace ef::cpu
