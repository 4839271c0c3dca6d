// Winograd's convolution: transforms of tiles and filters, and 16 matrix products between them.
#include "kernels/cpu/winograd.h"

#include <algorithm>

#include "device/parallel.h"
#include "device/scratch.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/moves.h"
#include "kernels/cpu/winograd_loops.h"
#include "tensor/error.h"

namespace ef::cpu {
namespace {

constexpr int64_t kPlanes = 16;
constexpr int64_t kTile = 4;  // pixels along a tile's side
constexpr int64_t kStep = 2;  // from one tile to the next, and pixels along the side of its result

const WinogradLoops& tile_loops() { return best::winograd_loops(); }

int64_t halved(int64_t size) { return (size + kStep - 1) / kStep; }

// Images with their channels last, seen as tiles that overlap or squares that do not.
struct Images {
  int64_t rows;
  int64_t cols;
  int64_t channels;
  int64_t row_before;  // where the first tile starts, possibly outside the image
  int64_t col_before;
  // Tiles of each image.
  int64_t tile_rows;
  int64_t tile_cols;

  int64_t row_size() const { return cols * channels; }
};

// A square of pixels of an image; `inside` is true if the whole square lies in the image.
struct Square {
  int64_t offset;  // of the first pixel, which may lie outside
  int64_t row;
  int64_t col;
  bool inside;
};

Square square_of(const Images& m, int64_t tile, int64_t side) {
  const int64_t x = tile % m.tile_cols;
  const int64_t y = tile / m.tile_cols % m.tile_rows;
  const int64_t n = tile / (m.tile_cols * m.tile_rows);
  const int64_t row = y * kStep - m.row_before;
  const int64_t col = x * kStep - m.col_before;
  const bool inside = row >= 0 && col >= 0 && row + side <= m.rows && col + side <= m.cols;
  return {((n * m.rows + row) * m.cols + col) * m.channels, row, col, inside};
}

// Calls body(pixel in the square, offset in the images) for the pixels inside the image.
template <class Body>
void for_inside(const Images& m, const Square& square, int64_t side, const Body& body) {
  for (int64_t i = 0; i < side; ++i) {
    if (square.row + i < 0 || square.row + i >= m.rows) continue;
    for (int64_t j = 0; j < side; ++j) {
      if (square.col + j < 0 || square.col + j >= m.cols) continue;
      body(i * side + j, square.offset + i * m.row_size() + j * m.channels);
    }
  }
}

// Reads squares, zero-padded at the borders, and transforms them.
template <class Transform>
void read_squares(const Images& m, int64_t side, const float* images, int64_t first, int64_t count,
                  float* planes, int64_t plane, float* spare, const Transform& transform) {
  for (int64_t t = 0; t < count; ++t) {
    const Square square = square_of(m, first + t, side);
    float* const to = planes + t * m.channels;
    if (square.inside) {
      transform(to, plane, images + square.offset, m.row_size(), m.channels);
      continue;
    }
    std::fill_n(spare, side * side * m.channels, 0.0f);
    for_inside(m, square, side, [&](int64_t pixel, int64_t offset) {
      std::copy_n(images + offset, m.channels, spare + pixel * m.channels);
    });
    transform(to, plane, spare, side * m.channels, m.channels);
  }
}

void write_results(const Images& m, float* images, int64_t first, int64_t count,
                   const float* planes, int64_t plane, float* spare) {
  for (int64_t t = 0; t < count; ++t) {
    const Square square = square_of(m, first + t, kStep);
    const float* const from = planes + t * m.channels;
    if (square.inside) {
      tile_loops().result(images + square.offset, m.row_size(), from, plane, m.channels);
      continue;
    }
    tile_loops().result(spare, kStep * m.channels, from, plane, m.channels);
    for_inside(m, square, kStep, [&](int64_t pixel, int64_t offset) {
      std::copy_n(spare + pixel * m.channels, m.channels, images + offset);
    });
  }
}

struct Geometry {
  Images from;
  Images to;
  int64_t tiles;
  int64_t pairs;  // of channels
};

// The operands that are read and written. The gradient with respect to the image is also a
// convolution, of the result's gradient with filters rotated by 180 degrees.
Geometry geometry_of(const Convolution& c) {
  const Slide& row = c.window.row;
  const Slide& col = c.window.col;
  const bool back = c.pass == Pass::kInput;
  const int64_t to_rows = back ? row.in : row.out;
  const int64_t to_cols = back ? col.in : col.out;
  const int64_t tile_rows = halved(to_rows);
  const int64_t tile_cols = halved(to_cols);
  Geometry g;
  g.to = {to_rows, to_cols, back ? c.channels : c.filters, 0, 0, tile_rows, tile_cols};
  g.from = {back ? row.out : row.in,
            back ? col.out : col.in,
            back ? c.filters : c.channels,
            back ? 2 - row.before : row.before,
            back ? 2 - col.before : col.before,
            tile_rows,
            tile_cols};
  g.tiles = c.batch * tile_rows * tile_cols;
  g.pairs = c.channels * c.filters;
  return g;
}

size_t bytes_of(int64_t numbers) {
  return passing_bytes(static_cast<size_t>(numbers) * sizeof(float));
}

// Transforms filters into 16 matrices [channels read, channels written], followed by room for the
// filters themselves.
void transform_filter(const Geometry& g, const float* filter, float* to, bool turned) {
  if (turned) {
    float* const transposed = to + kPlanes * g.pairs;
    StridedMove move;
    move.add(9, g.pairs, g.pairs);
    move.add(g.from.channels, g.to.channels, 1);
    move.add(g.to.channels, 1, g.from.channels);
    move.run(DType::kFloat32, transposed, filter);
    filter = transposed;
  }
  parallel_for(g.pairs, 8192, [&](int64_t begin, int64_t end) {
    tile_loops().filter(to + begin, filter + begin, g.pairs, end - begin, turned);
  });
}

Product product(int64_t m, int64_t n, int64_t k) {
  Product p;
  p.m = m, p.n = n, p.k = k;
  p.lda = k, p.ldb = n, p.ldc = n;
  return p;
}

// The number of blocks of tiles, a multiple of the number of threads. The transforms of one block
// fit the second-level cache.
int64_t count_blocks(const Geometry& g) {
  constexpr int64_t kNumbers = 12'288;
  const int64_t most = std::clamp<int64_t>(kNumbers / (g.from.channels + g.to.channels), 48, 96);
  const int64_t threads = max_threads();
  return (g.tiles + most * threads - 1) / (most * threads) * threads;
}

// `filters` are already transformed.
template <class Finish>
void convolve_tiles(const Geometry& g, const float* from, const float* filters, float* to,
                    const Finish& finish) {
  const int64_t blocks = count_blocks(g);
  const int64_t most = (g.tiles + blocks - 1) / blocks;
  const int64_t numbers = (kPlanes * most + kTile * kTile) * (g.from.channels + g.to.channels);
  parallel_for(blocks, 1, [&](int64_t begin, int64_t end) {
    const Scratch memory(bytes_of(numbers));
    float* const read = memory.as<float>();
    float* const products = read + kPlanes * most * g.from.channels;
    float* const spare = products + kPlanes * most * g.to.channels;
    for (int64_t k = begin; k < end; ++k) {
      const int64_t first = g.tiles * k / blocks;
      const int64_t count = g.tiles * (k + 1) / blocks - first;
      const int64_t read_plane = count * g.from.channels;
      const int64_t plane = count * g.to.channels;
      read_squares(g.from, kTile, from, first, count, read, read_plane, spare, tile_loops().image);
      for (int64_t p = 0; p < kPlanes; ++p) {
        gemm(product(count, g.to.channels, g.from.channels), read + p * read_plane,
             filters + p * g.pairs, products + p * plane);
      }
      write_results(g.to, to, first, count, products, plane, spare);
      for (int64_t t = first; t < first + count; ++t) finish(square_of(g.to, t, kStep));
    }
  });
}

void convolve_directly(const Convolution& c, const float* from, const float* filter, float* to) {
  const Geometry g = geometry_of(c);
  const Scratch filters(bytes_of((kPlanes + 9) * g.pairs));
  transform_filter(g, filter, filters.as<float>(), c.pass == Pass::kInput);
  convolve_tiles(g, from, filters.as<float>(), to, [](const Square&) {});
}

// The filters' gradient. All threads transform the tiles of a group of images, then share the 16
// products, so that there are no partial sums to add.
void filter_gradient(const Convolution& c, const float* image, const float* slopes, float* filter) {
  const Geometry g = geometry_of(c);
  constexpr int64_t kNumbers = int64_t{1} << 19;
  const int64_t channels = g.from.channels + g.to.channels;
  const int64_t most = std::clamp<int64_t>(kNumbers / (kPlanes * channels), 128, g.tiles);
  const int64_t blocks = (g.tiles + most - 1) / most;
  const int64_t spare_size = kTile * kTile * channels;
  const int64_t parts = 4 * max_threads();
  const Scratch memory(bytes_of(kPlanes * (g.pairs + (most + 1) * channels) + parts * spare_size));
  float* const sums = memory.as<float>();
  float* const read = sums + kPlanes * g.pairs;
  float* const weights = read + kPlanes * most * g.from.channels;
  float* const spares = weights + kPlanes * most * g.to.channels;
  for (int64_t k = 0; k < blocks; ++k) {
    const int64_t first = g.tiles * k / blocks;
    const int64_t count = g.tiles * (k + 1) / blocks - first;
    const int64_t read_plane = count * g.from.channels;
    const int64_t plane = count * g.to.channels;
    parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
      for (int64_t part = begin; part < end; ++part) {
        float* const spare = spares + part * spare_size;
        const int64_t at = count * part / parts;
        const int64_t some = count * (part + 1) / parts - at;
        read_squares(g.from, kTile, image, first + at, some, read + at * g.from.channels,
                     read_plane, spare, tile_loops().image);
        read_squares(g.to, kStep, slopes, first + at, some, weights + at * g.to.channels, plane,
                     spare, tile_loops().result_grad);
      }
    });
    parallel_for(kPlanes, 1, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) {
        Product each = product(g.from.channels, g.to.channels, count);
        each.transpose_a = true;
        each.lda = g.from.channels;
        each.accumulate = k > 0;
        gemm(each, read + p * read_plane, weights + p * plane, sums + p * g.pairs);
      }
    });
  }
  parallel_for(g.pairs, 8192, [&](int64_t begin, int64_t end) {
    tile_loops().filter_grad(filter + begin, sums + begin, g.pairs, end - begin);
  });
}

bool three(const Slide& slide) {
  return slide.window == 3 && slide.stride == 1 && slide.dilation == 1 && slide.before <= 2 &&
         slide.after <= 2;
}

}  // namespace

bool suits_winograd(const Convolution& c, bool ready) {
  if (c.groups != 1 || c.depthwise || c.format != DataFormat::kNhwc) return false;
  if (!three(c.window.row) || !three(c.window.col)) return false;
  if (std::min(c.channels, c.filters) < 32) return false;
  const Geometry g = geometry_of(c);
  // Pixels of tiles beyond the borders are wasted work.
  const int64_t pixels = c.batch * g.to.rows * g.to.cols;
  if (10 * kStep * kStep * g.tiles > 14 * pixels) return false;
  // Transforming, or even reading, many filters for few tiles is wasted work, too.
  if (ready) return g.tiles >= std::max<int64_t>(40, g.pairs / 2048);
  return g.tiles >= std::max<int64_t>(96, g.pairs / 256);
}

void convolve_by_winograd(const Convolution& c, const float* image, const float* filter,
                          const float* result) {
  switch (c.pass) {
    case Pass::kForward: return convolve_directly(c, image, filter, const_cast<float*>(result));
    case Pass::kInput: return convolve_directly(c, result, filter, const_cast<float*>(image));
    default: return filter_gradient(c, image, result, const_cast<float*>(filter));
  }
}

int64_t winograd_filter_size(const Convolution& c) { return kPlanes * geometry_of(c).pairs; }

void transform_winograd_filter(const Convolution& c, const float* filter, float* to) {
  transform_filter(geometry_of(c), filter, to, false);
}

void convolve_by_winograd(const Convolution& c, const float* image, const float* transformed,
                          float* result,
                          const std::function<void(int64_t at, int64_t count)>& finish) {
  const Geometry g = geometry_of(c);
  convolve_tiles(g, image, transformed, result, [&](const Square& square) {
    const int64_t rows = std::min(kStep, g.to.rows - square.row);
    const int64_t cols = std::min(kStep, g.to.cols - square.col);
    for (int64_t i = 0; i < rows; ++i) {
      finish(square.offset + i * g.to.row_size(), cols * g.to.channels);
    }
  });
}

}  // namespace ef::cpu
