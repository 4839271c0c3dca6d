// Products and convolutions with int8 weights.
#include "kernels/cpu/int8_products.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "device/parallel.h"
#include "device/scratch.h"
#include "kernels/cpu/convolution.h"
#include "kernels/cpu/int8_products_loops.h"
#include "ops/convolution.h"

namespace ef::cpu {
namespace {

const Int8Loops& int8_kernels() { return best::int8_loops(); }

constexpr float kGreatest = 127;
// The number of result elements that are finished at once, and the fewest rows of a block.
constexpr int64_t kInt8Block = 32'768;
constexpr int64_t kLeastRows = 48;
// The least numbers of multiplications and of bytes of floats for a thread.
constexpr int64_t kInt8Grain = 4'000'000;
constexpr int64_t kFloatsGrain = 65'536;

int64_t round_up(int64_t size, int64_t unit) { return (size + unit - 1) / unit * unit; }

// The rows of the weights in segments, for which the left operand is not contiguous.
struct Segments {
  std::vector<int64_t> offsets;
  int64_t length;
  bool operator==(const Segments&) const = default;
  int64_t words() const { return round_up(length, kInt8Word) / kInt8Word; }
};

// The weights in panels, which are created at their first use.
Int8Panels packed(ReadyWeights& weights, const ReadyWeights::Source& source,
                  const Segments& segments) {
  Int8Panels b{};
  b.segments = static_cast<int64_t>(segments.offsets.size());
  b.offsets = segments.offsets.data();
  b.words = segments.words();
  b.cols = source.cols;
  const int64_t cols = b.panels() * kInt8PanelCols;
  const int64_t sums = 2 * cols * static_cast<int64_t>(sizeof(float));
  const auto bytes = static_cast<size_t>(sums + b.panels() * b.panel_bytes());
  const void* const memory = weights.kept(segments, bytes, [&](void* to) {
    std::memset(to, 0, bytes);
    auto* const scale = static_cast<float*>(to);
    auto* const start = reinterpret_cast<int32_t*>(scale + cols);
    auto* const panels = static_cast<int8_t*>(to) + sums;
    std::copy_n(source.scale, source.cols, scale);
    parallel_for(b.panels(), 65'536 / b.panel_bytes() + 1, [&](int64_t begin, int64_t end) {
      for (int64_t panel = begin; panel < end; ++panel) {
        const int64_t first = panel * kInt8PanelCols;
        const int64_t count = std::min(kInt8PanelCols, source.cols - first);
        for (int64_t i = 0; i < source.rows; ++i) {
          const int64_t word = i / segments.length * b.words + i % segments.length / kInt8Word;
          const int8_t* const row = source.int8 + i * source.cols + first;
          int8_t* const at = panels + panel * b.panel_bytes() + word * kInt8Word * kInt8PanelCols +
                             i % segments.length % kInt8Word;
          for (int64_t j = 0; j < count; ++j) {
            at[j * kInt8Word] = row[j];
            start[first + j] -= kInt8Zero * row[j];
          }
        }
      }
    });
  });
  b.scale = static_cast<const float*>(memory);
  b.start = reinterpret_cast<const int32_t*>(b.scale + cols);
  b.weights = static_cast<const int8_t*>(memory) + sums;
  return b;
}

// The factor that scales values with this greatest absolute value to int8.
float factor_for(float greatest) { return greatest > 0 ? kGreatest / greatest : 0; }

// The product of rows. prepare(begin, end) returns the addresses and scales of the quantized rows.
// Blocks of rows are finished while they are in the cache. `at` is the index of the first row in
// the result.
template <class Prepare>
void multiply_blocks(const Int8Panels& b, int64_t at, int64_t rows, const Finish& finish,
                     float* result, const Prepare& prepare) {
  const int64_t row_work = b.panel_bytes() * b.panels();
  const int64_t block = std::max(kInt8Block / b.cols / kLeastRows, int64_t{1}) * kLeastRows;
  const int64_t blocks = (rows + block - 1) / block;
  if (blocks >= max_threads() || in_parallel() || rows * row_work < 2 * kInt8Grain) {
    parallel_for(blocks, kInt8Grain / (block * row_work) + 1, [&](int64_t first, int64_t last) {
      for (int64_t k = first; k < last; ++k) {
        const int64_t begin = k * block;
        const int64_t end = std::min(rows, begin + block);
        prepare(begin, end, [&](const uint8_t* const* lefts, const float* scales, int64_t step) {
          int8_kernels().multiply(b, 0, b.panels(), lefts, end - begin, scales, step,
                                  result + (at + begin) * b.cols);
        });
        finish(result, (at + begin) * b.cols, (end - begin) * b.cols);
      }
    });
    return;
  }
  // Few rows: threads share the columns.
  prepare(0, rows, [&](const uint8_t* const* lefts, const float* scales, int64_t step) {
    parallel_for(
        b.panels(), kInt8Grain / (rows * b.panel_bytes()) + 1, [&](int64_t first, int64_t last) {
          int8_kernels().multiply(b, first, last, lefts, rows, scales, step, result + at * b.cols);
        });
  });
  finish(result, at * b.cols, rows * b.cols);
}

// The segments of a convolution's windows in images whose rows have `row_bytes` bytes.
Segments segments_of(const Convolution& c, int64_t row_bytes) {
  const auto& [row, col] = c.window;
  Segments segments;
  const bool whole_rows = col.dilation == 1;
  segments.length = c.channels * (whole_rows ? col.window : 1);
  for (int64_t i = 0; i < row.window; ++i) {
    for (int64_t j = 0; j < (whole_rows ? 1 : col.window); ++j) {
      segments.offsets.push_back(i * row.dilation * row_bytes + j * col.dilation * c.channels);
    }
  }
  return segments;
}

// The greatest absolute value of an image.
float greatest_of(const float* x, int64_t size) {
  const int64_t parts = (size + kFloatsGrain - 1) / kFloatsGrain;
  if (parts == 1) return int8_kernels().greatest(x, size);
  std::vector<float> found(static_cast<size_t>(parts));
  parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      found[static_cast<size_t>(k)] = int8_kernels().greatest(
          x + k * kFloatsGrain, std::min(kFloatsGrain, size - k * kFloatsGrain));
    }
  });
  return int8_kernels().greatest(found.data(), parts);
}

int64_t padded(const Slide& slide) { return (slide.out - 1) * slide.stride + slide.extent(); }

// Quantizes an image into bytes with a border of zeros.
void quantize_image(const Convolution& c, const float* image, float factor, uint8_t* to) {
  const auto& [row, col] = c.window;
  const int64_t width = padded(col);
  const int64_t row_bytes = width * c.channels;
  const int64_t before = std::min(col.before, width);
  const int64_t count = std::min(col.in, width - before);
  parallel_for(padded(row), kFloatsGrain / row_bytes + 1, [&](int64_t begin, int64_t end) {
    for (int64_t y = begin; y < end; ++y) {
      uint8_t* const at = to + y * row_bytes;
      const int64_t from = y - row.before;
      if (from < 0 || from >= row.in) {
        std::memset(at, kInt8Zero, static_cast<size_t>(row_bytes));
        continue;
      }
      const int64_t left = before * c.channels;
      const int64_t middle = count * c.channels;
      std::memset(at, kInt8Zero, static_cast<size_t>(left));
      int8_kernels().quantize(image + from * col.in * c.channels, middle, factor, at + left);
      std::memset(at + left + middle, kInt8Zero, static_cast<size_t>(row_bytes - left - middle));
    }
  });
}

}  // namespace

bool suits_int8(const Convolution& c) { return c.groups == 1 && !c.depthwise; }

void multiply_int8(int64_t rows, const float* a, ReadyWeights& weights,
                   const ReadyWeights::Source& source, const Finish& finish, float* c) {
  const int64_t depth = source.rows;
  const Segments segments{{0}, depth};
  const Int8Panels b = packed(weights, source, segments);
  const int64_t stride = round_up(depth, kInt8Word);
  multiply_blocks(b, 0, rows, finish, c, [&](int64_t begin, int64_t end, const auto& run) {
    const auto count = static_cast<size_t>(end - begin);
    const Scratch bytes(count * static_cast<size_t>(stride));
    std::vector<const uint8_t*> lefts(count);
    std::vector<float> scales(count);
    parallel_for(end - begin, kFloatsGrain / depth + 1, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) {
        const float* const row = a + (begin + i) * depth;
        uint8_t* const to = bytes.as<uint8_t>() + i * stride;
        const float greatest = int8_kernels().greatest(row, depth);
        int8_kernels().quantize(row, depth, factor_for(greatest), to);
        std::memset(to + depth, 0, static_cast<size_t>(stride - depth));
        lefts[static_cast<size_t>(i)] = to;
        scales[static_cast<size_t>(i)] = greatest / kGreatest;
      }
    });
    run(lefts.data(), scales.data(), int64_t{1});
  });
}

void convolve_int8(const Convolution& c, const float* image, ReadyWeights& weights,
                   const ReadyWeights::Source& source, const Finish& finish, float* result) {
  const auto& [row, col] = c.window;
  const int64_t row_bytes = padded(col) * c.channels;
  const Segments segments = segments_of(c, row_bytes);
  const Int8Panels b = packed(weights, source, segments);
  const int64_t image_bytes = padded(row) * row_bytes;
  const int64_t pixels = row.out * col.out;
  parallel_for(c.batch, c.batch >= max_threads() ? 1 : c.batch, [&](int64_t first, int64_t last) {
    // The last word of a window may extend beyond the image.
    const Scratch bytes(passing_bytes(static_cast<size_t>(image_bytes + kInt8Word)));
    std::memset(bytes.as<uint8_t>() + image_bytes, 0, kInt8Word);
    for (int64_t n = first; n < last; ++n) {
      const float* const from = image + n * c.image_size();
      const float greatest = greatest_of(from, c.image_size());
      quantize_image(c, from, factor_for(greatest), bytes.as<uint8_t>());
      const float scale = greatest / kGreatest;
      multiply_blocks(
          b, n * pixels, pixels, finish, result, [&](int64_t begin, int64_t end, const auto& run) {
            std::vector<const uint8_t*> lefts(static_cast<size_t>(end - begin));
            for (int64_t i = begin; i < end; ++i) {
              lefts[static_cast<size_t>(i - begin)] = bytes.as<uint8_t>() +
                                                      i / col.out * row.stride * row_bytes +
                                                      i % col.out * col.stride * c.channels;
            }
            run(lefts.data(), &scale, int64_t{0});
          });
    }
  });
}

namespace {

ReadyWeights::Source source_of(const KernelContext& context, int64_t cols) {
  const Tensor& weights = context.input(1);
  ReadyWeights::Source source{nullptr, weights.size() / cols, cols};
  source.int8 = weights.data<int8_t>();
  source.scale = context.input(2).data<float>();
  return source;
}

void convolve_alone(KernelContext& context, bool depthwise) {
  const Tensor& out = context.output(0);
  if (out.size() == 0) return;
  const Tensor& image = context.input(0);
  if (image.size() == 0) {
    std::fill_n(out.mutable_data<float>(), out.size(), 0.0f);
    return;
  }
  const int64_t channels = out.shape().back();
  const Convolution c =
      forward_convolution(depthwise, context.attrs<ops::Conv2DAttrs>(), image.shape(),
                          context.input(1).shape(), out.shape(), context.tf_name());
  ReadyWeights weights;
  convolve_finished(c, image.data<float>(), weights, source_of(context, channels),
                    Finish(channels, nullptr, nullptr, {}, {}), out.mutable_data<float>(),
                    context.tf_name());
}

}  // namespace

void int8_matmul(KernelContext& context) {
  const Tensor& out = context.output(0);
  if (out.size() == 0) return;
  const int64_t cols = out.shape().back();
  if (context.input(0).size() == 0) {
    std::fill_n(out.mutable_data<float>(), out.size(), 0.0f);
    return;
  }
  ReadyWeights weights;
  multiply_int8(out.size() / cols, context.input(0).data<float>(), weights,
                source_of(context, cols), Finish(cols, nullptr, nullptr, {}, {}),
                out.mutable_data<float>());
}

void int8_conv2d(KernelContext& context) { convolve_alone(context, false); }
void int8_depthwise_conv2d(KernelContext& context) { convolve_alone(context, true); }

}  // namespace ef::cpu
