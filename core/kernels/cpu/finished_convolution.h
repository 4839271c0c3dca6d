// Convolutions and products with weights that are prepared once, whose results are finished while
// they are in the cache: offsets, a residual and activations are added in blocks.
#pragma once

#include <any>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "device/scratch.h"
#include "kernels/cpu/finished_product.h"
#include "kernels/cpu/float_convolution.h"
#include "kernels/cpu/limits.h"
#include "ops/element_loop.h"

namespace ef::cpu {

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

  // The same in two parts: what a kernel may do in registers, and then the loops, for rows of
  // results that begin `apart` numbers from each other.
  ProductFinish in_registers() const;
  void run_loops(float* results, int64_t rows, int64_t cols, int64_t apart) const;

 private:
  void run_loops(float* block, int64_t count) const;

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
    const int8_t* int8 = nullptr;  // in place of `data`; these have a scale
    int64_t size() const { return rows * cols; }
  };

  // [rows, cols], scaled. If the source already is that, its own memory.
  const float* plain(const Source& source);
  // What `make` wrote into `bytes` when it was first asked for, given the plain weights. Keys,
  // which may be of any types, tell apart what is made.
  template <class Key>
  const void* made(const Source& source, const Key& key, size_t bytes,
                   const std::function<void(const float* plain, void* to)>& make) {
    return kept(key, bytes, [&](void* to) { make_of_plain(source, make, to); });
  }
  // The same of what is made of something else.
  template <class Key>
  const void* kept(const Key& key, size_t bytes, const std::function<void(void* to)>& make) {
    const std::lock_guard lock(mutex_);
    for (const Layout& layout : layouts_) {
      const Key* const known = std::any_cast<Key>(&layout.key);
      if (known && *known == key) return layout.memory->data();
    }
    return add(key, bytes, make);
  }

 private:
  struct Layout {
    std::any key;  // empty for the plain weights
    std::unique_ptr<Scratch> memory;
  };
  const void* add(std::any key, size_t bytes, const std::function<void(void* to)>& make);
  static void make_of_plain(const Source& source,
                            const std::function<void(const float* plain, void* to)>& make,
                            void* to);

  std::mutex mutex_;
  std::vector<Layout> layouts_;
};

// A forward convolution in pieces, each of which is finished while it is in the cache: by oneDNN
// where there is one (`onednn/`), else one whole piece (`portable/`).
void convolve_pieces(const Convolution& c, const float* image, ReadyWeights& weights,
                     const ReadyWeights::Source& source, const Finish& finish, float* result,
                     const char* op);

// Whether convolve_finished() is the fastest way for weights that serve one run, too.
bool finishes_alone(const Convolution& c);

// Finishes a whole result of some pixels.
void finish_pixels(const Finish& finish, float* result, int64_t pixels, int64_t channels);

// A forward convolution of images with their channels last.
void convolve_finished(const Convolution& c, const float* image, ReadyWeights& weights,
                       const ReadyWeights::Source& source, const Finish& finish, float* result,
                       const char* op);

// c = a * b for `rows` rows.
void multiply_finished(int64_t rows, const float* a, ReadyWeights& weights,
                       const ReadyWeights::Source& source, const Finish& finish, float* c);

}  // namespace ef::cpu
