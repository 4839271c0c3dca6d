// Two-dimensional pooling: whole pixels at a time where the channels come last, else one element.
#include "kernels/cpu/pooling.h"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

#include "device/parallel.h"
#include "eager/lazy.h"
#include "kernels/cpu/element_blocks.h"
#include "kernels/cpu/element_source.h"
#include "kernels/cpu/row_loops.h"
#include "kernels/cpu/typed.h"
#include "kernels/cpu/widen.h"
#include "ops/pooling.h"

namespace ef::cpu {
namespace {

struct PoolGeometry {
  Window window;
  int64_t batch = 0;
  int64_t channels = 0;
  bool last = true;  // channels last

  int64_t image_at(int64_t n, int64_t y, int64_t x, int64_t c) const {
    return at(window.row.in, window.col.in, n, y, x, c);
  }
  int64_t pooled_at(int64_t n, int64_t y, int64_t x, int64_t c) const {
    return at(window.row.out, window.col.out, n, y, x, c);
  }

 private:
  int64_t at(int64_t rows, int64_t cols, int64_t n, int64_t y, int64_t x, int64_t c) const {
    return last ? ((n * rows + y) * cols + x) * channels + c
                : ((n * channels + c) * rows + y) * cols + x;
  }
};

PoolGeometry pool_geometry(const Shape& image, const ops::PoolAttrs& pool, const char* op) {
  PoolGeometry g;
  g.window = pool.window(image, op);
  g.batch = image[0];
  g.channels = image[axes_of(pool.data_format).channel];
  g.last = pool.data_format == DataFormat::kNhwc;
  return g;
}

// The part of a window that lies in the image.
struct Range {
  int64_t begin;
  int64_t end;
};
Range clipped(const Slide& slide, int64_t out) {
  const int64_t start = out * slide.stride - slide.before;
  return {std::max<int64_t>(start, 0), std::min(start + slide.window, slide.in)};
}

// Calls body(n, y) for each row of results, after prepare(n) for its image.
template <class Prepare, class Body>
void for_result_rows(const PoolGeometry& g, const Prepare& prepare, const Body& body) {
  const int64_t work = g.window.row.in * g.window.col.in * g.channels;
  parallel_for(g.batch, std::max<int64_t>(1, 32'768 / std::max<int64_t>(work, 1)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t n = begin; n < end; ++n) {
                   prepare(n);
                   for (int64_t y = 0; y < g.window.row.out; ++y) body(n, y);
                 }
               });
}

// Calls prepare(n) for each image, then body(n, y, x, rows, cols) for each of its windows. Whole
// images belong to one thread.
template <class Prepare, class Body>
void for_images(const PoolGeometry& g, const Prepare& prepare, const Body& body) {
  for_result_rows(g, prepare, [&](int64_t n, int64_t y) {
    const Range rows = clipped(g.window.row, y);
    for (int64_t x = 0; x < g.window.col.out; ++x) {
      body(n, y, x, rows, clipped(g.window.col, x));
    }
  });
}

// The range of results in a row whose windows lie entirely in the image.
Range whole_windows(const Slide& slide) {
  const int64_t first = (slide.before + slide.stride - 1) / slide.stride;
  const int64_t room = slide.in - slide.window + slide.before;
  const int64_t last = room < 0 ? 0 : std::min(slide.out, room / slide.stride + 1);
  return first < last ? Range{first, last} : Range{0, 0};
}

// Whether the windows cover every pixel once.
bool tiles(const Slide& slide) {
  return slide.before == 0 && slide.stride == slide.window && slide.out * slide.stride == slide.in;
}

// For channels last: offsets of a window's pixels from its first one. None if a window is larger
// than the image: then no window lies in it, and windows may have more pixels than there is memory.
std::vector<int64_t> window_offsets(const PoolGeometry& g) {
  std::vector<int64_t> offsets;
  if (g.window.row.window > g.window.row.in || g.window.col.window > g.window.col.in)
    return offsets;
  for (int64_t i = 0; i < g.window.row.window; ++i) {
    for (int64_t j = 0; j < g.window.col.window; ++j) {
      offsets.push_back((i * g.window.col.in + j) * g.channels);
    }
  }
  return offsets;
}

// For channels last: calls whole(x, count, image) for the results of a row whose windows lie in the
// image, where `image` is the offset of the first window's first pixel, and part(range) for those
// at the borders.
template <class Whole, class Part>
void for_row_parts(const PoolGeometry& g, int64_t n, int64_t y, Range rows, Range cols,
                   const Whole& whole, const Part& part) {
  if (y < rows.begin || y >= rows.end || cols.begin == cols.end) {
    return part(Range{0, g.window.col.out});
  }
  if (cols.begin > 0) part(Range{0, cols.begin});
  whole(cols.begin, cols.end - cols.begin,
        g.image_at(n, y * g.window.row.stride - g.window.row.before,
                   cols.begin * g.window.col.stride - g.window.col.before, 0));
  if (cols.end < g.window.col.out) part(Range{cols.end, g.window.col.out});
}

template <class Body>
void for_windows(const PoolGeometry& g, const Body& body) {
  for_images(g, [](int64_t) {}, body);
}

// Windows of one row of results, at one position in each window: the offset of the image's pixels,
// their stride, and the results that they contribute to.
struct PixelRow {
  int64_t image = 0;   // offset of the first pixel
  int64_t step = 0;    // elements from one pixel to the next
  int64_t result = 0;  // offset of the first result, from the start of its row
  int64_t count = 0;
};

// For channels last: calls body(row) for each window position of the results `within` a row, in
// order.
template <class Body>
void for_places(const PoolGeometry& g, int64_t n, int64_t y, Range within, const Body& body) {
  const Slide& col = g.window.col;
  const Range rows = clipped(g.window.row, y);
  // Other columns of these windows lie outside of the image.
  const int64_t left = std::max<int64_t>(0, col.before - (within.end - 1) * col.stride);
  const int64_t right = std::min(col.window, col.in + col.before - within.begin * col.stride);
  for (int64_t i = rows.begin; i < rows.end; ++i) {
    for (int64_t j = left; j < right; ++j) {
      // The results x for which 0 <= x * stride - before + j < in.
      const int64_t shift = col.before - j;
      const int64_t first =
          std::max(within.begin, shift > 0 ? (shift + col.stride - 1) / col.stride : 0);
      const int64_t room = col.in - 1 + shift;
      const int64_t last = room < 0 ? 0 : std::min(within.end, room / col.stride + 1);
      if (first >= last) continue;
      body(PixelRow{g.image_at(n, i, first * col.stride - shift, 0), col.stride * g.channels,
                    first * g.channels, last - first});
    }
  }
}

// Zeroes an image just before its windows are accumulated, while it fits the cache.
template <class T>
auto zero_images(const PoolGeometry& g, T* images) {
  const int64_t size = g.window.row.in * g.window.col.in * g.channels;
  return [images, size](int64_t n) { std::fill_n(images + n * size, size, T(0)); };
}

template <class T>
constexpr bool kPooledVectors = std::is_same_v<T, float> || std::is_same_v<T, double>;

// The index of the first NaN of a window, else of the first largest element, for one channel.
template <class T>
int64_t place_of_max(const PoolGeometry& g, const T* x, int64_t n, Range rows, Range cols,
                     int64_t c) {
  int64_t best = -1;
  for (int64_t i = rows.begin; i < rows.end; ++i) {
    for (int64_t j = cols.begin; j < cols.end; ++j) {
      const int64_t at = g.image_at(n, i, j, c);
      if (best < 0 || is_above(x[at], x[best])) best = at;
    }
  }
  return best;
}

template <class T>
void max_pool_of(const PoolGeometry& g, const T* x, T* y) {
  if constexpr (kPooledVectors<T>) {
    if (g.last) {
      const auto& loops = row_loops_of<T>();
      const std::vector<int64_t> offsets = window_offsets(g);
      const auto places = static_cast<int>(offsets.size());
      const Range rows = whole_windows(g.window.row);
      const Range cols = whole_windows(g.window.col);
      const int64_t step = g.window.col.stride * g.channels;
      for_result_rows(
          g, [](int64_t) {},
          [&](int64_t n, int64_t row) {
            T* const out = y + g.pooled_at(n, row, 0, 0);
            for_row_parts(
                g, n, row, rows, cols,
                [&](int64_t first, int64_t count, int64_t image) {
                  loops.max_windows(out + first * g.channels, x + image, offsets.data(), places,
                                    g.channels, count, step);
                },
                [&](Range part) {
                  std::fill(out + part.begin * g.channels, out + part.end * g.channels,
                            -std::numeric_limits<T>::infinity());
                  for_places(g, n, row, part, [&](const PixelRow& p) {
                    loops.max_into_pixels(out + p.result, x + p.image, g.channels, p.count, p.step);
                  });
                });
          });
      return;
    }
  }
  for_windows(g, [&](int64_t n, int64_t row, int64_t col, Range rows, Range cols) {
    for (int64_t c = 0; c < g.channels; ++c) {
      y[g.pooled_at(n, row, col, c)] = x[place_of_max(g, x, n, rows, cols, c)];
    }
  });
}

template <class T>
void max_pool_grad_of(const PoolGeometry& g, const T* x, const T* y, const T* dy, T* dx) {
  const auto zero = zero_images(g, dx);
  if constexpr (kPooledVectors<T>) {
    if (g.last) {
      const auto& loops = row_loops_of<T>();
      const std::vector<int64_t> offsets = window_offsets(g);
      const auto places = static_cast<int>(offsets.size());
      const Range rows = whole_windows(g.window.row);
      const Range cols = whole_windows(g.window.col);
      const int64_t step = g.window.col.stride * g.channels;
      const bool overlapping =
          g.window.row.stride < g.window.row.window || g.window.col.stride < g.window.col.window;
      const bool tiled = !overlapping && tiles(g.window.row) && tiles(g.window.col);
      const auto prepare = [&](int64_t n) {
        if (!tiled) zero(n);
      };
      for_result_rows(g, prepare, [&](int64_t n, int64_t row) {
        const int64_t at = g.pooled_at(n, row, 0, 0);
        for_row_parts(
            g, n, row, rows, cols,
            [&](int64_t first, int64_t count, int64_t image) {
              const int64_t result = at + first * g.channels;
              loops.max_windows_grad(dx + image, x + image, y + result, dy + result, offsets.data(),
                                     places, g.channels, count, step, overlapping);
            },
            [&](Range part) {
              thread_local std::vector<int32_t> found;
              found.assign(static_cast<size_t>(g.window.col.out * g.channels), 0);
              for_places(g, n, row, part, [&](const PixelRow& p) {
                loops.max_grad_pixels(dx + p.image, x + p.image, y + at + p.result,
                                      dy + at + p.result, found.data() + p.result, g.channels,
                                      p.count, p.step);
              });
            });
      });
      return;
    }
  }
  for_images(g, zero, [&](int64_t n, int64_t row, int64_t col, Range rows, Range cols) {
    for (int64_t c = 0; c < g.channels; ++c) {
      T& to = dx[place_of_max(g, x, n, rows, cols, c)];
      to = T(to + dy[g.pooled_at(n, row, col, c)]);
    }
  });
}

// Whether windows lie side by side from the first pixel on.
bool lies_apart(const Slide& slide) {
  return slide.before == 0 && slide.stride == slide.window && slide.out * slide.stride <= slide.in;
}

// The index of the largest element of each window, for windows that do not share pixels.
template <class T>
Tensor winners_of(const PoolGeometry& g, const T* x, const T* y) {
  const Tensor winners =
      Tensor::empty(DType::kUint8, {g.batch, g.window.row.out, g.window.col.out, g.channels});
  auto* const to = winners.mutable_data<uint8_t>();
  const std::vector<int64_t> offsets = window_offsets(g);
  const int64_t step = g.window.col.stride * g.channels;
  for_result_rows(
      g, [](int64_t) {},
      [&](int64_t n, int64_t row) {
        const int64_t at = g.pooled_at(n, row, 0, 0);
        row_loops_of<T>().window_places(to + at, x + g.image_at(n, row * g.window.row.stride, 0, 0),
                                        y + at, offsets.data(), static_cast<int>(offsets.size()),
                                        g.channels, g.window.col.out, step);
      });
  return winners;
}

// The deferred gradient of a max pooling whose windows do not share pixels, as the winners'
// indices. A chain that reads its elements, such as the gradient of an activation, computes them in
// the cache.
template <class T>
class PlacedGradient : public ElementSource {
 public:
  PlacedGradient(const PoolGeometry& g, Tensor winners, Tensor dy)
      : g_(g), dy_(std::move(dy)), winners_(std::move(winners)) {}

  void read(int64_t begin, int64_t count, void* to) const override {
    const Slide &row = g_.window.row, &col = g_.window.col;
    T* out = static_cast<T*>(to);
    int64_t pixel = begin / g_.channels;
    int64_t channel = begin % g_.channels;
    while (count > 0) {
      const int64_t size = std::min(count, g_.channels - channel);
      const int64_t x = pixel % col.in, line = pixel / col.in;
      const int64_t y = line % row.in, n = line / row.in;
      if (y / row.window < row.out && x / col.window < col.out) {
        const int64_t place = y % row.window * col.window + x % col.window;
        const int64_t at = g_.pooled_at(n, y / row.window, x / col.window, channel);
        row_loops_of<T>().from_place(out, winners_.data<uint8_t>() + at, dy_.data<T>() + at,
                                     static_cast<uint8_t>(place), size);
      } else {
        std::fill_n(out, size, T(0));
      }
      out += size;
      count -= size;
      channel = 0;
      ++pixel;
    }
  }

  int64_t held() const { return dy_.bytes() + winners_.bytes(); }

 private:
  const PoolGeometry g_;
  const Tensor dy_;
  const Tensor winners_;
};

// From this size on, computing elements in the cache is worth the bookkeeping. From this number of
// channels on, it is also worth the search for the window of each pixel.
constexpr int64_t kLaterPooled = 262'144;
constexpr int64_t kManyChannels = 16;

bool pays_later(const PoolGeometry& g, const TensorSpec& spec) {
  return g.channels >= kManyChannels && spec.shape.num_elements() >= kLaterPooled && fuses();
}

// The cost of an element in nanoseconds.
constexpr double kPlacing = 0.5;

// The deferred gradient; empty if the gradient has to be computed now.
template <class T>
Tensor later_max_pool_grad(const PoolGeometry& g, const TensorSpec& spec, const T* x, const T* y,
                           const Tensor& dy) {
  const bool fits = g.last && lies_apart(g.window.row) && lies_apart(g.window.col) &&
                    g.window.row.window * g.window.col.window < kNoPlace;
  if (!fits || !pays_later(g, spec)) return {};
  auto source = std::make_shared<PlacedGradient<T>>(g, winners_of(g, x, y), dy);
  const int64_t held = source->held();
  return make_generated(std::move(source), spec, kPlacing, held);
}

template <class T>
void avg_pool_of(const PoolGeometry& g, const T* x, T* y) {
  if constexpr (kPooledVectors<T>) {
    if (g.last) {
      const std::vector<int64_t> offsets = window_offsets(g);
      const auto places = static_cast<int>(offsets.size());
      const Range inside = whole_windows(g.window.row);
      const Range within = whole_windows(g.window.col);
      const int64_t step = g.window.col.stride * g.channels;
      const int64_t work = g.window.col.out * g.channels * places;
      parallel_for(
          g.batch * g.window.row.out, 32'768 / std::max<int64_t>(work, 1) + 1,
          [&](int64_t begin, int64_t end) {
            for (int64_t r = begin; r < end; ++r) {
              const int64_t n = r / g.window.row.out;
              const int64_t row = r % g.window.row.out;
              const auto part = [&](Range results) {
                const Range rows = clipped(g.window.row, row);
                for (int64_t col = results.begin; col < results.end; ++col) {
                  T* out = y + g.pooled_at(n, row, col, 0);
                  const Range cols = clipped(g.window.col, col);
                  std::fill_n(out, g.channels, T(0));
                  for (int64_t i = rows.begin; i < rows.end; ++i) {
                    for (int64_t j = cols.begin; j < cols.end; ++j) {
                      row_loops_of<T>().add_into(out, x + g.image_at(n, i, j, 0), g.channels);
                    }
                  }
                  const int64_t size = (rows.end - rows.begin) * (cols.end - cols.begin);
                  row_loops_of<T>().scale(out, out, T(1) / static_cast<T>(size), g.channels);
                }
              };
              for_row_parts(
                  g, n, row, inside, within,
                  [&](int64_t first, int64_t count, int64_t image) {
                    row_loops_of<T>().mean_windows(y + g.pooled_at(n, row, first, 0), x + image,
                                                   offsets.data(), places, g.channels, count, step);
                  },
                  part);
            }
          });
      return;
    }
  }
  for_windows(g, [&](int64_t n, int64_t row, int64_t col, Range rows, Range cols) {
    const T share = T(1) / static_cast<T>((rows.end - rows.begin) * (cols.end - cols.begin));
    for (int64_t c = 0; c < g.channels; ++c) {
      T sum = 0;
      for (int64_t i = rows.begin; i < rows.end; ++i) {
        for (int64_t j = cols.begin; j < cols.end; ++j) sum += x[g.image_at(n, i, j, c)];
      }
      y[g.pooled_at(n, row, col, c)] = T(sum * share);
    }
  });
}

template <class T>
void avg_pool_grad_of(const PoolGeometry& g, const T* dy, T* dx) {
  for_images(
      g, zero_images(g, dx), [&](int64_t n, int64_t row, int64_t col, Range rows, Range cols) {
        const T share = T(1) / static_cast<T>((rows.end - rows.begin) * (cols.end - cols.begin));
        for (int64_t i = rows.begin; i < rows.end; ++i) {
          for (int64_t j = cols.begin; j < cols.end; ++j) {
            if constexpr (kPooledVectors<T>) {
              if (g.last) {
                row_loops_of<T>().add_scaled(dx + g.image_at(n, i, j, 0),
                                             dy + g.pooled_at(n, row, col, 0), share, g.channels);
                continue;
              }
            }
            for (int64_t c = 0; c < g.channels; ++c) {
              T& to = dx[g.image_at(n, i, j, c)];
              to = to + dy[g.pooled_at(n, row, col, c)] * share;
            }
          }
        }
      });
}

// Calls body with a value of the C++ type of `dtype`.
template <class Body>
void on_reals(DType dtype, const Body& body) {
  switch (dtype) {
    case DType::kFloat32: return body(float{});
    case DType::kFloat64: return body(double{});
    case DType::kInt8: return body(int8_t{});
    case DType::kInt16: return body(int16_t{});
    case DType::kInt32: return body(int32_t{});
    case DType::kInt64: return body(int64_t{});
    case DType::kUint8: return body(uint8_t{});
    case DType::kUint16: return body(uint16_t{});
    case DType::kUint32: return body(uint32_t{});
    default: return body(uint64_t{});
  }
}

template <class Body>
void on_pooled_floats(DType dtype, const Body& body) {
  dtype == DType::kFloat64 ? body(double{}) : body(float{});
}

}  // namespace

void max_pool(KernelContext& context) {
  if (run_wide_by_rows(context, max_pool)) return;
  const Tensor& x = context.input(0);
  if (context.output(0).size() == 0) return;
  const PoolGeometry g =
      pool_geometry(x.shape(), context.attrs<ops::PoolAttrs>(), context.tf_name());
  on_reals(x.dtype(),
           [&]<class T>(T) { max_pool_of(g, x.data<T>(), context.output(0).mutable_data<T>()); });
}

void max_pool_grad(KernelContext& context) {
  const Tensor &x = context.input(0), &y = context.input(1), &dy = context.input(2);
  Tensor& dx = context.output(0);
  const bool wide = is_short_float(x.dtype()) || x.size() == 0;
  if (!dx && wide) dx = Tensor::empty(x.dtype(), x.shape());
  if (x.size() == 0 || run_wide_by_rows(context, max_pool_grad)) return;
  const PoolGeometry g =
      pool_geometry(x.shape(), context.attrs<ops::PoolAttrs>(), context.tf_name());
  on_reals(x.dtype(), [&]<class T>(T) {
    if constexpr (kPooledVectors<T>) {
      if (!dx) dx = later_max_pool_grad(g, context.spec(0), x.data<T>(), y.data<T>(), dy);
      if (dx && is_generated(dx)) return;
    }
    if (!dx) dx = Tensor::empty(x.dtype(), x.shape());
    max_pool_grad_of(g, x.data<T>(), y.data<T>(), dy.data<T>(), dx.mutable_data<T>());
  });
}

void max_pool_places(KernelContext& context) {
  if (run_wide(context, max_pool_places)) return;
  const Tensor& x = context.input(0);
  if (context.output(0).size() == 0) return;
  const PoolGeometry g =
      pool_geometry(x.shape(), context.attrs<ops::PoolAttrs>(), context.tf_name());
  int64_t* const places = context.output(1).mutable_data<int64_t>();
  on_reals(x.dtype(), [&]<class T>(T) {
    const T* const from = x.data<T>();
    T* const out = context.output(0).mutable_data<T>();
    for_windows(g, [&](int64_t n, int64_t row, int64_t col, Range rows, Range cols) {
      for (int64_t c = 0; c < g.channels; ++c) {
        const int64_t best = place_of_max(g, from, n, rows, cols, c);
        const int64_t result = g.pooled_at(n, row, col, c);
        out[result] = from[best];
        places[result] = best;
      }
    });
  });
}

void max_pool_grad_grad(KernelContext& context) {
  if (run_wide_by_rows(context, max_pool_grad_grad)) return;
  const Tensor& x = context.input(0);
  if (context.output(0).size() == 0) return;
  const PoolGeometry g =
      pool_geometry(x.shape(), context.attrs<ops::PoolAttrs>(), context.tf_name());
  on_reals(x.dtype(), [&]<class T>(T) {
    const T* from = context.input(2).data<T>();
    T* out = context.output(0).mutable_data<T>();
    for_windows(g, [&](int64_t n, int64_t row, int64_t col, Range rows, Range cols) {
      for (int64_t c = 0; c < g.channels; ++c) {
        out[g.pooled_at(n, row, col, c)] = from[place_of_max(g, x.data<T>(), n, rows, cols, c)];
      }
    });
  });
}

void max_pool_winners(KernelContext& context) {
  const Tensor &x = context.input(0), &y = context.input(1);
  if (y.size() == 0) {
    context.output(0) = Tensor::empty(DType::kUint8, y.shape());
    return;
  }
  const PoolGeometry g =
      pool_geometry(x.shape(), context.attrs<ops::PoolAttrs>(), context.tf_name());
  on_pooled_floats(
      x.dtype(), [&]<class T>(T) { context.output(0) = winners_of(g, x.data<T>(), y.data<T>()); });
}

void spread_to_winners(KernelContext& context) {
  const Tensor &dy = context.input(0), &winners = context.input(1);
  Tensor& dx = context.output(0);
  const TensorSpec& spec = context.spec(0);
  if (spec.shape.num_elements() == 0) {
    dx = Tensor::empty(spec.dtype, spec.shape);
    return;
  }
  const PoolGeometry g =
      pool_geometry(spec.shape, context.attrs<ops::SpreadAttrs>().pool, context.tf_name());
  on_pooled_floats(dy.dtype(), [&]<class T>(T) {
    auto source = std::make_shared<PlacedGradient<T>>(g, winners, dy);
    const int64_t held = source->held();
    if (pays_later(g, spec)) dx = make_generated(source, spec, kPlacing, held);
    if (dx) return;
    dx = Tensor::empty(spec.dtype, spec.shape);
    for_element_blocks(
        dx.mutable_raw_data(), sizeof(T), dx.size(), static_cast<int64_t>(10'000 / kPlacing),
        [&](void* to, int64_t begin, int64_t count) { source->read(begin, count, to); });
  });
}

void pick_winners(KernelContext& context) {
  const Tensor& x = context.input(0);
  if (context.output(0).size() == 0) return;
  const PoolGeometry g =
      pool_geometry(x.shape(), context.attrs<ops::PoolAttrs>(), context.tf_name());
  const auto* const winners = context.input(1).data<uint8_t>();
  const int64_t width = g.window.col.window;
  on_pooled_floats(x.dtype(), [&]<class T>(T) {
    const T* const from = x.data<T>();
    T* const out = context.output(0).mutable_data<T>();
    for_windows(g, [&](int64_t n, int64_t row, int64_t col, Range rows, Range cols) {
      for (int64_t c = 0; c < g.channels; ++c) {
        const int64_t at = g.pooled_at(n, row, col, c);
        const int64_t place = winners[at];
        // The index may come from the program: it is clipped to the window.
        const int64_t y = rows.begin + place / width, x_at = cols.begin + place % width;
        out[at] = y < rows.end ? from[g.image_at(n, y, x_at, c)] : T(0);
      }
    });
  });
}

void avg_pool(KernelContext& context) {
  if (run_wide_by_rows(context, avg_pool)) return;
  const Tensor& x = context.input(0);
  if (context.output(0).size() == 0) return;
  const PoolGeometry g =
      pool_geometry(x.shape(), context.attrs<ops::PoolAttrs>(), context.tf_name());
  on_pooled_floats(x.dtype(), [&]<class T>(T) {
    avg_pool_of(g, x.data<T>(), context.output(0).mutable_data<T>());
  });
}

void avg_pool_grad(KernelContext& context) {
  if (run_wide_by_rows(context, avg_pool_grad)) return;
  const Tensor& dx = context.output(0);
  if (dx.size() == 0) return;
  const PoolGeometry g =
      pool_geometry(dx.shape(), context.attrs<ops::PoolGradAttrs>().pool, context.tf_name());
  on_pooled_floats(dx.dtype(), [&]<class T>(T) {
    avg_pool_grad_of(g, context.input(0).data<T>(), dx.mutable_data<T>());
  });
}

}  // namespace ef::cpu
