// Convolutions of floats without oneDNN: as matrix products, or by plain loops.
#include <algorithm>

#include "device/parallel.h"
#include "kernels/cpu/finished_convolution.h"
#include "kernels/cpu/plain_convolution.h"
#include "kernels/cpu/product_convolution.h"

namespace ef::cpu {

void large_convolution(const Convolution& c, const float* image, const float* filter,
                       const float* result, const char* /*op*/) {
  if (is_product(c)) return convolve_by_product(c, image, filter, result);
  auto* const images = const_cast<float*>(image);
  auto* const filters = const_cast<float*>(filter);
  auto* const results = const_cast<float*>(result);
  switch (c.pass) {
    case Pass::kForward: std::fill_n(results, c.batch * c.result_size(), 0.0f); break;
    case Pass::kInput: std::fill_n(images, c.batch * c.image_size(), 0.0f); break;
    case Pass::kFilter: std::fill_n(filters, c.filter_size(), 0.0f); break;
  }
  add_convolution(c, images, filters, results);
}

bool suits_short_convolution(const Convolution&) { return false; }

void convolve(const Convolution&, const Bfloat16*, const Bfloat16*, const Bfloat16*, const char*) {}

void convolve_pieces(const Convolution& c, const float* image, ReadyWeights& weights,
                     const ReadyWeights::Source& source, const Finish& finish, float* result,
                     const char* op) {
  large_convolution(c, image, weights.plain(source), result, op);
  const int64_t pixels = c.batch * c.window.row.out * c.window.col.out;
  parallel_for(pixels, 16'384 / c.filters + 1, [&](int64_t begin, int64_t end) {
    finish(result, begin * c.filters, (end - begin) * c.filters);
  });
}

}  // namespace ef::cpu
