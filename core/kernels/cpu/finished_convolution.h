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

// The operations that follow a product or convolution of floats.
class Finish {
 public:
  // Adds `offsets`, one per channel, and `addend`, which has the size of the result; either may be
  // null. Then applies the limits, and then the loops, which have one input and may overwrite it.
  Finish(int64_t channels, const float* offsets, const float* addend, Limits limits,
         std::span<const ElementLoop> loops);

  // Finishes the pixels of `count` elements of the result, from element `at` on.
  void operator()(float* result, int64_t at, int64_t count) const;

  // The same in two steps: the part that kernels can do in registers, and then the loops, for rows
  // of results whose starts are `apart` elements from each other.
  ProductFinish in_registers() const;
  void run_loops(float* results, int64_t rows, int64_t cols, int64_t apart) const;

 private:
  void run_loops(float* block, int64_t count) const;

  int64_t block_;               // elements of the whole pixels that fit the first-level cache
  std::vector<float> offsets_;  // of a block
  const float* addend_;
  Limits limits_;
  bool adds_;  // or has limits
  std::span<const ElementLoop> loops_;
};

// The right operand of a product, or a filter, in the layouts that kernels need. A layout is
// created at its first use, and kept. Several threads may use it at once.
class ReadyWeights {
 public:
  // The weights as the program stores them: [rows, cols].
  struct Source {
    const float* data;
    int64_t rows;
    int64_t cols;
    bool transposed = false;       // stored as [cols, rows]
    const float* scale = nullptr;  // one for each column; null for 1
    const int8_t* int8 = nullptr;  // instead of `data`; these have a scale
    int64_t size() const { return rows * cols; }
  };

  // [rows, cols], scaled. The source's own memory if it has that layout already.
  const float* plain(const Source& source);
  // The bytes that `make` writes from the plain weights at the first call with this key. Keys may
  // have any type.
  template <class Key>
  const void* made(const Source& source, const Key& key, size_t bytes,
                   const std::function<void(const float* plain, void* to)>& make) {
    return kept(key, bytes, [&](void* to) { make_of_plain(source, make, to); });
  }
  // The same for bytes that are made from another layout.
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

// A forward convolution in pieces, which are finished while they are in the cache: by oneDNN if it
// is available (`onednn/`), otherwise as one piece (`portable/`).
void convolve_pieces(const Convolution& c, const float* image, ReadyWeights& weights,
                     const ReadyWeights::Source& source, const Finish& finish, float* result,
                     const char* op);

// Whether convolve_finished() is the fastest way even for weights that are used once.
bool finishes_alone(const Convolution& c);

// Finishes a result of `pixels` pixels.
void finish_pixels(const Finish& finish, float* result, int64_t pixels, int64_t channels);

// A forward convolution of images with their channels last.
void convolve_finished(const Convolution& c, const float* image, ReadyWeights& weights,
                       const ReadyWeights::Source& source, const Finish& finish, float* result,
                       const char* op);

// c = a * b for `rows` rows.
void multiply_finished(int64_t rows, const float* a, ReadyWeights& weights,
                       const ReadyWeights::Source& source, const Finish& finish, float* c);

}  // namespace ef::cpu
