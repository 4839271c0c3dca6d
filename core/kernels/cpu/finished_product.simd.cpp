// Products with prepared weights: tiles of sums stay in registers until they are finished.
#include "kernels/cpu/finished_product.h"

#include <array>
#include <cstring>
#include <utility>

#include "kernels/cpu/gemm.h"
#include "kernels/cpu/gemm_tiles.h"

namespace ef::cpu::EF_ISA {
namespace {

constexpr int64_t kWidth = kLanes<float>;
// A prefetch is issued after this many steps.
constexpr int64_t kSteps = 8;
constexpr int64_t kStrip = kTileVectors * kWidth;

EF_INLINE F32 load(const float* from) {
  F32 vector;
  std::memcpy(&vector, from, sizeof vector);
  return vector;
}

// Memory that the next tile and the next strip read. It is prefetched while this tile is computed:
// rows of `a`, and a part of the strip.
struct Next {
  const float* a;
  const float* strip;
};

// c (+)= a * b for Rows rows, which are `a_row` and `c_row` apart, and `cols` columns, which fill
// Vectors vectors but for a part of the last one. The rows of b are whole vectors. The last call
// for these results finishes them.
template <int Rows, int Vectors>
void tile(int64_t depth, const float* a, int64_t a_row, const float* b, float* c, int64_t c_row,
          int64_t cols, bool add, const ProductFinish* finish, Next next) {
  F32 sum[Rows][Vectors] = {};
  const auto step = [&](int64_t p) __attribute__((always_inline)) {
    F32 right[Vectors];
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) right[v] = load(b + (p * Vectors + v) * kWidth);
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v) sum[r][v] += a[r * a_row + p] * right[v];
    }
  };
  int64_t p = 0;
  for (int64_t r = 0; p + kSteps <= depth; p += kSteps, ++r) {
    if (r < Rows) {
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v) __builtin_prefetch(c + r * c_row + v * kWidth, 1);
      __builtin_prefetch(next.a + r * a_row);
    }
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) {
      __builtin_prefetch(next.strip + (r * Vectors + v) * kWidth, 0, 2);
    }
#pragma GCC unroll 8
    for (int64_t q = 0; q < kSteps; ++q) step(p + q);
  }
  for (; p < depth; ++p) step(p);
  const float* const offsets = finish ? finish->offsets : nullptr;
  const float* const addend = finish ? finish->addend : nullptr;
  const Limits limits = finish ? finish->limits : Limits();
  const F32 low = F32{} + limits.low;
  const F32 high = F32{} + limits.high;
  const int64_t rest = cols - (Vectors - 1) * kWidth;  // columns of the last vector
#pragma GCC unroll 4
  for (int v = 0; v < Vectors; ++v) {
    const bool part = v == Vectors - 1 && rest != kWidth;
    const auto read = [&](const float* from) __attribute__((always_inline)) {
      return part ? load_part(from + v * kWidth, rest) : load(from + v * kWidth);
    };
    const F32 offset = offsets ? read(offsets) : F32{};
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
      float* const to = c + r * c_row + v * kWidth;
      F32 value = sum[r][v];
      if (add) value += read(c + r * c_row);
      if (offsets) value += offset;
      if (addend) value += read(addend + r * c_row);
      value = value <= low ? low : value;
      value = value >= high ? high : value;
      if (part) {
        store_part(to, value, rest, false);
      } else {
        std::memcpy(to, &value, sizeof value);
      }
    }
  }
}

using Tile = decltype(&tile<1, 1>);

// Tiles have about the same height, and so more than half of the rows. Matrices of few rows are
// computed row by row.
constexpr int kLowest = kTileRows / 2 + 1;

// Indexed by the number of vectors minus 1, then by the number of rows.
using Tiles = std::array<std::array<Tile, kTileRows + 1>, kTileVectors>;
template <int Vectors, int... Above>
constexpr auto tiles_of(std::integer_sequence<int, Above...>) {
  std::array<Tile, kTileRows + 1> tiles{};
  tiles[1] = tile<1, Vectors>;
  ((tiles[kLowest + Above] = tile<kLowest + Above, Vectors>), ...);
  return tiles;
}
template <int... Vectors>
constexpr Tiles all_tiles(std::integer_sequence<int, Vectors...>) {
  return {tiles_of<Vectors + 1>(std::make_integer_sequence<int, kTileRows - kLowest + 1>())...};
}
constexpr Tiles kTiles = all_tiles(std::make_integer_sequence<int, kTileVectors>());

void multiply(int64_t m, int64_t n, int64_t k, const float* a, const float* strips,
              const ProductFinish& finish, float* c, int64_t c_row) {
  // Tiles of about the same height: a tile of one row takes almost as long as one of several.
  const int64_t least = divide_up(m, kTileRows);
  const int64_t tiles = m / least < kLowest ? m : least;
  const int64_t depths = divide_up(k, kDepth);
  for (int64_t j = 0; j < n; j += kStrip) {
    const int64_t cols = n - j < kStrip ? n - j : kStrip;
    const int64_t vectors = divide_up(cols, kWidth);
    for (int64_t d = 0; d < depths; ++d) {
      const int64_t p = k * d / depths;
      const int64_t depth = k * (d + 1) / depths - p;
      const float* const strip = strips + j * k + p * vectors * kWidth;
      for (int64_t t = 0; t < tiles; ++t) {
        const int64_t i = m * t / tiles;
        const int64_t rows = m * (t + 1) / tiles - i;
        const ProductFinish here{finish.offsets ? finish.offsets + j : nullptr,
                                 finish.addend ? finish.addend + i * c_row + j : nullptr,
                                 finish.limits};
        const Next next{a + (i + rows) * k + p,
                        strip + (depth + t * (depth / kSteps)) * vectors * kWidth};
        const Tile tile = kTiles[static_cast<size_t>(vectors - 1)][static_cast<size_t>(rows)];
        tile(depth, a + i * k + p, k, strip, c + i * c_row + j, c_row, cols, d > 0,
             d + 1 == depths ? &here : nullptr, next);
      }
    }
  }
}

void pack(int64_t rows, int64_t cols, const float* matrix, float* strips) {
  for (int64_t j = 0; j < cols; j += kStrip) {
    const int64_t count = cols - j < kStrip ? cols - j : kStrip;
    const int64_t width = divide_up(count, kWidth) * kWidth;
    for (int64_t p = 0; p < rows; ++p) {
      float* const to = strips + j * rows + p * width;
      std::memcpy(to, matrix + p * cols + j, static_cast<size_t>(count) * sizeof(float));
      std::memset(to + count, 0, static_cast<size_t>(width - count) * sizeof(float));
    }
  }
}

}  // namespace

const FinishedProductKernels& finished_product_kernels() {
  static const FinishedProductKernels kernels{pack, multiply, kTileRows, kStrip, kWidth};
  return kernels;
}

}  // namespace ef::cpu::EF_ISA
