// Convolutions as matrix products: of the pixels themselves where windows are single pixels, else
// of the windows in rows (im2col).
#include "kernels/cpu/product_convolution.h"

#include <algorithm>

#include "device/parallel.h"
#include "device/scratch.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/row_loops.h"

namespace ef::cpu {
namespace {

constexpr int64_t kWindowGrain = 16'384;

// The number of elements of windows that are laid out at once.
constexpr int64_t kWindowElements = int64_t{2} << 20;

int64_t pixels(const Convolution& c) { return c.window.row.out * c.window.col.out; }
int64_t window_size(const Convolution& c) {
  return c.window.row.window * c.window.col.window * c.channels;
}

bool pixels_are_windows(const Convolution& c) {
  return c.window.row.is_plain() && c.window.col.is_plain();
}

// Calls body(image, result, window, count) for runs of a window's elements: one window position of
// `count` neighbouring windows in a row of results, all inside the image. Otherwise calls
// outside(window, count).
struct Run {
  int64_t image;   // offset of the first window's pixel
  int64_t window;  // offset of that pixel in the first window's row
  int64_t count;
  bool inside;
};

template <class Body>
void for_row_runs(const Convolution& c, int64_t n, int64_t y, const Body& body) {
  const Slide& row = c.window.row;
  const Slide& col = c.window.col;
  const int64_t size = window_size(c);
  for (int64_t i = 0; i < row.window; ++i) {
    const int64_t iy = y * row.stride - row.before + i * row.dilation;
    for (int64_t j = 0; j < col.window; ++j) {
      const int64_t place = (i * col.window + j) * c.channels;
      if (iy < 0 || iy >= row.in) {
        body(Run{0, place, col.out, false});
        continue;
      }
      // The results x with 0 <= x * stride + shift < in.
      const int64_t shift = j * col.dilation - col.before;
      const int64_t first =
          std::min(col.out, shift < 0 ? (-shift + col.stride - 1) / col.stride : int64_t{0});
      const int64_t room = col.in - 1 - shift;
      const int64_t last =
          room < 0 ? first : std::max(first, std::min(col.out, room / col.stride + 1));
      if (first > 0) body(Run{0, place, first, false});
      if (last > first) {
        const int64_t ix = first * col.stride + shift;
        body(Run{((n * row.in + iy) * col.in + ix) * c.channels, first * size + place, last - first,
                 true});
      }
      if (last < col.out) body(Run{0, last * size + place, col.out - last, false});
    }
  }
}

// Windows of images [first, first + images), one per row of the matrix.
template <class T>
void lay_out(const Convolution& c, int64_t first, int64_t images, const T* image, T* windows) {
  const int64_t size = window_size(c);
  const int64_t step = c.window.col.stride * c.channels;
  const int64_t rows = c.window.row.out;
  parallel_for(images * rows, std::max<int64_t>(1, kWindowGrain / (size * c.window.col.out)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t k = begin; k < end; ++k) {
                   T* const out = windows + k * c.window.col.out * size;
                   for_row_runs(c, first + k / rows, k % rows, [&](const Run& run) {
                     for (int64_t x = 0; x < run.count; ++x) {
                       T* const to = out + run.window + x * size;
                       if (run.inside) {
                         std::copy_n(image + run.image + x * step, c.channels, to);
                       } else {
                         std::fill_n(to, c.channels, T(0));
                       }
                     }
                   });
                 }
               });
}

// Adds windows to the pixels they came from. Whole images belong to one thread.
template <class T>
void add_up(const Convolution& c, int64_t first, int64_t images, const T* windows, T* image) {
  const int64_t size = window_size(c);
  const int64_t step = c.window.col.stride * c.channels;
  const int64_t rows = c.window.row.out;
  parallel_for(images, std::max<int64_t>(1, kWindowGrain / (size * pixels(c))),
               [&](int64_t begin, int64_t end) {
                 for (int64_t n = begin; n < end; ++n) {
                   std::fill_n(image + (first + n) * c.image_size(), c.image_size(), T(0));
                   for (int64_t y = 0; y < rows; ++y) {
                     const T* const from = windows + (n * rows + y) * c.window.col.out * size;
                     for_row_runs(c, first + n, y, [&](const Run& run) {
                       if (!run.inside) return;
                       for (int64_t x = 0; x < run.count; ++x) {
                         row_loops_of<T>().add_into(image + run.image + x * step,
                                                    from + run.window + x * size, c.channels);
                       }
                     });
                   }
                 }
               });
}

// The product for `rows` windows. It writes the windows if the pass is the image's gradient.
template <class T>
void multiply_windows(const Convolution& c, int64_t rows, T* windows, const T* filter,
                      const T* result, bool accumulate) {
  const int64_t size = window_size(c);
  Product p;
  auto* const to_filter = const_cast<T*>(filter);
  auto* const to_result = const_cast<T*>(result);
  switch (c.pass) {
    case Pass::kForward:
      p.m = rows, p.n = c.filters, p.k = size;
      p.lda = size, p.ldb = c.filters, p.ldc = c.filters;
      return gemm(p, windows, filter, to_result);
    case Pass::kInput:
      p.m = rows, p.n = size, p.k = c.filters;
      p.transpose_b = true;
      p.lda = c.filters, p.ldb = c.filters, p.ldc = size;
      return gemm(p, result, filter, windows);
    default:
      p.m = size, p.n = c.filters, p.k = rows;
      p.transpose_a = true;
      p.accumulate = accumulate;
      p.lda = size, p.ldb = c.filters, p.ldc = c.filters;
      return gemm(p, windows, result, to_filter);
  }
}

}  // namespace

bool is_product(const Convolution& c) {
  return c.groups == 1 && !c.depthwise && c.format == DataFormat::kNhwc;
}

bool suits_product(const Convolution& c) {
  if (!is_product(c)) return false;
  if (pixels_are_windows(c)) return true;
  const bool single = c.window.row.window == 1 && c.window.col.window == 1;
  return single || c.filter_size() >= 4 * c.batch * c.result_size();
}

template <class T>
void convolve_by_product(const Convolution& c, const T* image, const T* filter, const T* result) {
  if (pixels_are_windows(c)) {
    return multiply_windows(c, c.batch * pixels(c), const_cast<T*>(image), filter, result, false);
  }
  const int64_t per_image = pixels(c) * window_size(c);
  const int64_t at_once =
      std::clamp<int64_t>(kWindowElements / std::max<int64_t>(per_image, 1), 1, c.batch);
  const Scratch windows(passing_bytes(static_cast<size_t>(at_once * per_image) * sizeof(T)));
  for (int64_t first = 0; first < c.batch; first += at_once) {
    const int64_t images = std::min(at_once, c.batch - first);
    if (c.pass != Pass::kInput) lay_out(c, first, images, image, windows.template as<T>());
    multiply_windows(c, images * pixels(c), windows.template as<T>(), filter,
                     result + first * c.result_size(), first > 0);
    if (c.pass == Pass::kInput) {
      add_up(c, first, images, windows.template as<T>(), const_cast<T*>(image));
    }
  }
}

template void convolve_by_product(const Convolution&, const float*, const float*, const float*);
template void convolve_by_product(const Convolution&, const double*, const double*, const double*);

}  // namespace ef::cpu
