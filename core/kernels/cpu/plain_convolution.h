// Convolutions by plain loops over products, for any type.
#pragma once

#include <algorithm>
#include <cstdint>

#include "device/parallel.h"
#include "kernels/cpu/float_convolution.h"

namespace ef::cpu {

// A run of products that accumulate into neighbouring results, or results a plane apart: `count`
// contiguous elements of the filter, with one element of the image or with `count` elements.
struct ProductRun {
  int64_t image;  // offsets of the first
  int64_t filter;
  int64_t result;
  int64_t count;
  int64_t image_step;
  int64_t result_step;
};

// Calls body(run) for all products of images [first, end).
template <class Body>
void for_product_runs(const Convolution& c, int64_t first, int64_t end, const Body& body) {
  const bool last = c.format == DataFormat::kNhwc;
  const Slide& row = c.window.row;
  const Slide& col = c.window.col;
  const auto offset = [&](int64_t rows, int64_t cols, int64_t channels, int64_t n, int64_t y,
                          int64_t x, int64_t channel) {
    return last ? ((n * rows + y) * cols + x) * channels + channel
                : ((n * channels + channel) * rows + y) * cols + x;
  };
  const int64_t in_stride = c.depthwise ? c.group_out() : c.filters;
  const int64_t image_plane = last ? 1 : row.in * col.in;
  const int64_t result_plane = last ? 1 : row.out * col.out;
  const auto at_place = [&](int64_t image, int64_t position, int64_t result) {
    if (c.depthwise && c.group_out() == 1) {
      return body(ProductRun{image, position, result, c.channels, image_plane, result_plane});
    }
    for (int64_t g = 0; g < c.groups; ++g) {
      for (int64_t i = 0; i < c.group_in(); ++i) {
        body(ProductRun{image + (g * c.group_in() + i) * image_plane,
                        position + i * in_stride + g * c.group_out(),
                        result + g * c.group_out() * result_plane, c.group_out(), 0, result_plane});
      }
    }
  };
  for (int64_t n = first; n < end; ++n) {
    for (int64_t y = 0; y < row.out; ++y) {
      for (int64_t x = 0; x < col.out; ++x) {
        for (int64_t ky = 0; ky < row.window; ++ky) {
          const int64_t iy = y * row.stride - row.before + ky * row.dilation;
          if (iy < 0 || iy >= row.in) continue;
          for (int64_t kx = 0; kx < col.window; ++kx) {
            const int64_t ix = x * col.stride - col.before + kx * col.dilation;
            if (ix < 0 || ix >= col.in) continue;
            at_place(offset(row.in, col.in, c.channels, n, iy, ix, 0),
                     (ky * col.window + kx) * c.filter_stride,
                     offset(row.out, col.out, c.filters, n, y, x, 0));
          }
        }
      }
    }
  }
}

// Adds the convolution to the operand that `c.pass` names, from the other two operands.
template <class T>
void add_convolution(const Convolution& c, T* image, T* filter, T* result) {
  if (c.pass == Pass::kFilter) {
    return for_product_runs(c, 0, c.batch, [=](const ProductRun& r) {
      for (int64_t k = 0; k < r.count; ++k) {
        filter[r.filter + k] +=
            image[r.image + k * r.image_step] * result[r.result + k * r.result_step];
      }
    });
  }
  const int64_t work = c.result_size() * c.group_in() * c.window.row.window * c.window.col.window;
  parallel_for(c.batch, 16'384 / std::max<int64_t>(work, 1) + 1, [&](int64_t begin, int64_t end) {
    if (c.pass == Pass::kForward) {
      for_product_runs(c, begin, end, [=](const ProductRun& r) {
        for (int64_t k = 0; k < r.count; ++k) {
          result[r.result + k * r.result_step] +=
              image[r.image + k * r.image_step] * filter[r.filter + k];
        }
      });
    } else {
      for_product_runs(c, begin, end, [=](const ProductRun& r) {
        for (int64_t k = 0; k < r.count; ++k) {
          image[r.image + k * r.image_step] +=
              result[r.result + k * r.result_step] * filter[r.filter + k];
        }
      });
    }
  });
}

}  // namespace ef::cpu
