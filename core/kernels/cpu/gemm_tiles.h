// Tiles of matrix products that stay in registers. For *.simd.cpp files only: every name lives in
// the namespace of one instruction set.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/cpu/partial_vectors.h"

namespace ef::cpu::EF_ISA {
namespace {

#if defined(__AVX512F__)
inline constexpr int kTileRows = 8;
inline constexpr int kTileVectors = 3;
#elif defined(__AVX2__)
inline constexpr int kTileRows = 4;
inline constexpr int kTileVectors = 3;
#else
inline constexpr int kTileRows = 4;
inline constexpr int kTileVectors = 2;
#endif

// A matrix in memory: element (i, j) is data[i * row + j * col].
template <class T>
struct Strided {
  const T* data;
  int64_t row;
  int64_t col;
  Strided at(int64_t i, int64_t j) const { return {data + i * row + j * col, row, col}; }
};

// c = a * b, or c += a * b with `add`, for Rows rows and `cols` columns. The columns fill Vectors
// vectors; the last one may be partial. The rows of b are `b_row` apart; with Partial they hold no
// more than the columns, otherwise whole vectors.
template <int Rows, int Vectors, bool Partial, class T>
EF_INLINE void tile(int64_t depth, Strided<T> a, const T* b, int64_t b_row, T* c, int64_t ldc,
                    int64_t cols, bool add) {
  constexpr int kWidth = kLanes<T>;
  const int64_t rest = cols - (Vectors - 1) * kWidth;  // columns of the last vector
  Vec<T> sum[Rows][Vectors] = {};
  for (int64_t p = 0; p < depth; ++p) {
    Vec<T> right[Vectors];
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) {
      const T* const from = b + p * b_row + v * kWidth;
      if (Partial && v == Vectors - 1) {
        right[v] = load_part(from, rest);
      } else {
        std::memcpy(&right[v], from, sizeof right[v]);
      }
    }
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v) sum[r][v] += a.data[r * a.row + p * a.col] * right[v];
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) {
      T* const to = c + r * ldc + v * kWidth;
      if (v == Vectors - 1 && rest != kWidth) {
        store_part(to, sum[r][v], rest, add);
        break;
      }
      Vec<T> old = {};
      if (add) std::memcpy(&old, to, sizeof old);
      old += sum[r][v];
      std::memcpy(to, &old, sizeof old);
    }
  }
}

// A tile of at most Most rows.
template <int Most, int Vectors, bool Partial, class T>
EF_INLINE void tile_of(int64_t rows, int64_t depth, Strided<T> a, const T* b, int64_t b_row, T* c,
                       int64_t ldc, int64_t cols, bool add) {
  if constexpr (Most > 1) {
    if (rows < Most) {
      return tile_of<Most - 1, Vectors, Partial>(rows, depth, a, b, b_row, c, ldc, cols, add);
    }
  }
  tile<Most, Vectors, Partial>(depth, a, b, b_row, c, ldc, cols, add);
}

// The same for any number of rows, in tiles of about the same height: a low tile takes almost as
// long as a high one, since it reads as much of b.
template <int Vectors, bool Partial, class T>
void strip(int64_t rows, int64_t depth, Strided<T> a, const T* b, int64_t b_row, T* c, int64_t ldc,
           int64_t cols, bool add) {
  const int64_t tiles = (rows + kTileRows - 1) / kTileRows;
  for (int64_t t = 0; t < tiles; ++t) {
    const int64_t i = rows * t / tiles;
    tile_of<kTileRows, Vectors, Partial>(rows * (t + 1) / tiles - i, depth, a.at(i, 0), b, b_row,
                                         c + i * ldc, ldc, cols, add);
  }
}

// The same for up to kTileVectors vectors of columns.
template <bool Partial = false, class T>
__attribute__((noinline)) void any_strip(int64_t rows, int64_t depth, Strided<T> a, const T* b,
                                         int64_t b_row, T* c, int64_t ldc, int64_t cols, bool add) {
  if (cols <= kLanes<T>) return strip<1, Partial>(rows, depth, a, b, b_row, c, ldc, cols, add);
  if (cols <= 2 * kLanes<T>) {
    return strip<2, Partial>(rows, depth, a, b, b_row, c, ldc, cols, add);
  }
  return strip<kTileVectors, Partial>(rows, depth, a, b, b_row, c, ldc, cols, add);
}

}  // namespace
}  // namespace ef::cpu::EF_ISA
