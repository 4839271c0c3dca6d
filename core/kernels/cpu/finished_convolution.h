// Convolutions and products with weights that are prepared once, whose results are finished while
// they are in the cache: offsets, a residual and activations are added in blocks.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "kernels/cpu/convolution_primitives.h"
#include "ops/element_loop.h"

namespace ef::cpu {

// The numbers that results are brought between; NaN stays.
struct Limits {
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
};

// What happens to results of floats.
class Finish {
 public:
  // `offsets` are added to each pixel's channels, unless they are null; `addend`, which has the
  // size of the result, unless it is null. Then come the limits, and the loops, which take one
  // input and may overwrite it.
  Finish(int64_t channels, const float* offsets, const float* addend, Limits limits,
         std::span<const ElementLoop> loops);

  // Finishes whole pixels of the result, `count` numbers from `at` on.
  void operator()(float* result, int64_t at, int64_t count) const;

 private:
  int64_t block_;               // numbers of some whole pixels, which fit the first-level cache
  std::vector<float> offsets_;  // of a block
  const float* addend_;
  Limits limits_;
  bool adds_;  // or has limits
  std::span<const ElementLoop> loops_;
};

// The right operand of a product, or a filter, in the layouts that kernels want. A layout is made
// at its first use, and kept. Several threads may use it at once.
class ReadyWeights {
 public:
  // The weights as the program has them: `rows` times `cols` numbers.
  struct Source {
    const float* data;
    int64_t rows;
    int64_t cols;
    bool transposed = false;       // stored as cols times rows
    const float* scale = nullptr;  // of the columns; null if they are taken as they are
    int64_t size() const { return rows * cols; }
  };

  // [rows, cols], scaled. If the source already is that, its own memory.
  const float* plain(const Source& source);
  // The layout `wanted` of weights that are stored in the layout `stored`.
  const void* laid_out(const Source& source, const Desc& stored, const Desc& wanted);
  // What `make` writes into `count` numbers, given the plain weights.
  const float* transformed(const Source& source, int64_t count,
                           const std::function<void(const float* plain, float* to)>& make);

 private:
  struct Layout {
    Desc desc;  // empty for the plain and the transformed ones
    bool transformed = false;
    std::unique_ptr<onednn::Scratch> memory;
  };
  const onednn::Scratch* find(const Desc& desc, bool transformed) const;
  void* add(const Desc& desc, bool transformed, size_t bytes);

  std::mutex mutex_;
  std::vector<Layout> layouts_;
};

// A forward convolution of images with their channels last.
void convolve_finished(const Convolution& c, const float* image, ReadyWeights& weights,
                       const ReadyWeights::Source& source, const Finish& finish, float* result,
                       const char* op);

// c = a * b for `rows` rows.
void multiply_finished(int64_t rows, const float* a, ReadyWeights& weights,
                       const ReadyWeights::Source& source, const Finish& finish, float* c,
                       const char* op);

}  // namespace ef::cpu
