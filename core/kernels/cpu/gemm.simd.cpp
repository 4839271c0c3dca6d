// Matrix products: blocked ones of doubles and integers, and tiny and medium ones of floats,
// which copy little.
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "device/scratch.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/gemm_tiles.h"
#include "kernels/cpu/turned_vectors.h"

namespace ef::cpu::EF_ISA {
namespace {

#if defined(__AVX512F__)
constexpr int kBytes = 64;
constexpr int kRows = 8;
constexpr int kVectors = 3;
#elif defined(__AVX2__)
constexpr int kBytes = 32;
constexpr int kRows = 6;
constexpr int kVectors = 2;
#else
constexpr int kBytes = 16;
constexpr int kRows = 4;
constexpr int kVectors = 2;
#endif

// Vectors by element type. Integers are unsigned, so that they wrap. Vectors are aligned: GCC keeps
// unaligned ones in memory during loops.
template <class T>
struct PackedOf;
template <>
struct PackedOf<float> {
  typedef float type __attribute__((vector_size(kBytes)));
};
template <>
struct PackedOf<double> {
  typedef double type __attribute__((vector_size(kBytes)));
};
template <>
struct PackedOf<uint32_t> {
  typedef uint32_t type __attribute__((vector_size(kBytes)));
};
template <>
struct PackedOf<uint64_t> {
  typedef uint64_t type __attribute__((vector_size(kBytes)));
};
template <class T>
using Packed = typename PackedOf<T>::type;
template <class T>
constexpr int kWidth = kBytes / static_cast<int>(sizeof(T));
template <class T>
constexpr int kCols = kVectors * kWidth<T>;

inline int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }
inline int64_t round_up(int64_t size, int64_t unit) { return (size + unit - 1) / unit * unit; }

// `Width` rows, each contiguous in memory.
template <int Width, class T>
void pack_rows(int64_t cols, const T* in, int64_t row_stride, T* out) {
  constexpr int N = kWidth<T> > 8 ? 8 : kWidth<T>;  // a block is N × N
  using Word = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  using Vector = typename Lanes<Word, N>::Vector;
  const auto turned = [&](int64_t p, int first) __attribute__((always_inline)) {
    const int count = Width - first < N ? Width - first : N;
    Vector block[N] = {};
#pragma GCC unroll 8
    for (int r = 0; r < count; ++r) {
      std::memcpy(&block[r], in + (first + r) * row_stride + p, sizeof(Vector));
    }
    turn<Word, N>(block);
#pragma GCC unroll 8
    for (int q = 0; q < N; ++q) {
      T* const to = out + (p + q) * Width + first;
      // Elements behind a column are the start of the next column, which is written later.
      const bool behind = count == N || q + 1 < N;
      std::memcpy(to, &block[q], behind ? sizeof(Vector) : count * sizeof(T));
    }
  };
  const int64_t whole = cols / N * N;
  if constexpr (Width % N == 0) {
    // N rows at a time: more of them, a power of two apart, would drive each other out of the cache
    // before all of a cache line is read.
    for (int first = 0; first < Width; first += N) {
      for (int64_t p = 0; p < whole; p += N) turned(p, first);
    }
  } else {
    for (int64_t p = 0; p < whole; p += N) {
#pragma GCC unroll 8
      for (int first = (Width - 1) / N * N; first >= 0; first -= N) turned(p, first);
    }
  }
  for (int64_t p = whole; p < cols; ++p) {
    for (int r = 0; r < Width; ++r) out[p * Width + r] = in[r * row_stride + p];
  }
}

// Strips of `Width` rows of the matrix, each stored column by column, `stride` elements apart, the
// last padded with zeros.
template <int Width, class T>
void pack(int64_t rows, int64_t cols, const T* in, int64_t row_stride, int64_t col_stride, T* out,
          int64_t stride) {
  const int64_t whole = rows / Width * Width;
  int64_t i = 0;
  if (row_stride == 1) {
    // The number of strips packed together, so that memory is read in longer runs.
    constexpr int64_t kTogether = 2048 / (Width * static_cast<int>(sizeof(T)));
    for (; i < whole; i += kTogether * Width) {
      const int64_t strips = min(kTogether, (whole - i) / Width);
      for (int64_t p = 0; p < cols; ++p) {
        for (int64_t s = 0; s < strips; ++s) {
          T* const to = out + (i / Width + s) * stride + p * Width;
          std::memcpy(to, in + i + s * Width + p * col_stride, Width * sizeof(T));
        }
      }
    }
    i = whole;
  } else if (col_stride == 1) {
    for (; i < whole; i += Width) {
      pack_rows<Width>(cols, in + i * row_stride, row_stride, out + i / Width * stride);
    }
  }
  for (; i < rows; i += Width) {
    const int64_t count = min(Width, rows - i);
    for (int64_t p = 0; p < cols; ++p) {
      T* const to = out + i / Width * stride + p * Width;
      for (int64_t r = 0; r < count; ++r) to[r] = in[(i + r) * row_stride + p * col_stride];
      for (int64_t r = count; r < Width; ++r) to[r] = 0;
    }
  }
}

// Prefetched lines arrive from the second-level cache after this many rows.
constexpr int64_t kAhead = 32;

// Memory of the next strip: runs of cache lines, which are prefetched while this strip is
// multiplied.
struct Ahead {
  const char* run;
  int64_t stride;  // from a run to the next, in bytes
  int64_t lines;   // of a run
  int64_t each;    // lines to prefetch at a time
  int64_t line = 0;

  void ask() {
    for (int64_t i = 0; i < each; ++i) {
      __builtin_prefetch(run + line * 64, 0, 2);
      if (++line < lines) continue;
      line = 0;
      run += stride;
    }
  }
};

// A prefetch is issued after this many steps.
constexpr int64_t kSteps = 8;

// How many of `lines` to prefetch at a time, so that prefetches do not delay the sums.
int64_t lines_each(int64_t lines, int64_t rows, int64_t depth) {
  constexpr int64_t kMost = 4;
  const int64_t times = (rows + kRows - 1) / kRows * (depth / kSteps);
  return times == 0 ? 0 : min(kMost, (lines + times - 1) / times);
}

// c (rows × cols, at most kRows × kCols) = a strip of a times a strip of b, or c += that with
// `add`. Prefetches c and the memory of `ahead`.
template <class T>
void block(int64_t depth, const T* a, const T* b, T* c, int64_t ldc, int64_t rows, int64_t cols,
           bool add, Ahead& ahead) {
  Packed<T> sum[kRows][kVectors] = {};
  const auto step = [&](int64_t p) __attribute__((always_inline)) {
    __builtin_prefetch(a + (p + kAhead) * kRows);
    Packed<T> right[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      std::memcpy(&right[v], b + p * kCols<T> + v * kWidth<T>, sizeof right[v]);
    }
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sum[r][v] += a[p * kRows + r] * right[v];
    }
  };
  int64_t p = 0;
  for (int64_t r = 0; p + kSteps <= depth; p += kSteps, ++r) {
    if (r < rows) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) __builtin_prefetch(c + r * ldc + v * kWidth<T>, 1);
    }
    ahead.ask();
#pragma GCC unroll 8
    for (int64_t q = 0; q < kSteps; ++q) step(p + q);
  }
  for (; p < depth; ++p) step(p);
  if (rows == kRows && cols == kCols<T>) {
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        Packed<T> total = {};
        if (add) std::memcpy(&total, c + r * ldc + v * kWidth<T>, sizeof total);
        total += sum[r][v];
        std::memcpy(c + r * ldc + v * kWidth<T>, &total, sizeof total);
      }
    }
    return;
  }
  // One register after the other: with their common address, all would stay in memory.
  T spill[kRows * kCols<T>];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      std::memcpy(spill + r * kCols<T> + v * kWidth<T>, &sum[r][v], sizeof sum[r][v]);
    }
  }
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t j = 0; j < cols; ++j) {
      const T part = spill[r * kCols<T> + j];
      c[r * ldc + j] = add ? c[r * ldc + j] + part : part;
    }
  }
}

template <class T>
void tiny_gemm(int64_t m, int64_t n, int64_t k, const T* a, int64_t a_row, int64_t a_col,
               const T* b, int64_t b_row, int64_t b_col, T* c, int64_t ldc, bool add) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      T sum = 0;
      for (int64_t p = 0; p < k; ++p) sum += a[i * a_row + p * a_col] * b[p * b_row + j * b_col];
      c[i * ldc + j] = add ? c[i * ldc + j] + sum : sum;
    }
  }
}

template <class T>
void pack_left(int64_t rows, int64_t depth, const T* a, int64_t a_row, int64_t a_col, T* out) {
  pack<kRows>(rows, depth, a, a_row, a_col, out, depth * kRows);
}

template <class T>
void pack_right(int64_t cols, int64_t depth, const T* b, int64_t b_row, int64_t b_col, T* out) {
  pack<kCols<T>>(cols, depth, b, b_col, b_row, out, strip_stride(depth, kCols<T>));
}

template <class T>
void multiply(int64_t m, int64_t n, int64_t k, const T* a, int64_t a_row, int64_t a_col,
              const T* strips, T* c, int64_t ldc, bool add) {
  const int64_t stride = strip_stride(k, kCols<T>);
  const Scratch packed(static_cast<size_t>(round_up(min(m, kBlockRows), kRows) * min(k, kDepth)) *
                       sizeof(T));
  for (int64_t i0 = 0; i0 < m; i0 += kBlockRows) {
    const int64_t rows = min(kBlockRows, m - i0);
    for (int64_t p0 = 0; p0 < k; p0 += kDepth) {
      const int64_t depth = min(kDepth, k - p0);
      pack_left(rows, depth, a + i0 * a_row + p0 * a_col, a_row, a_col, packed.as<T>());
      const int64_t lines = depth * kCols<T> * static_cast<int64_t>(sizeof(T)) / 64;
      for (int64_t j = 0; j < n; j += kCols<T>) {
        const T* const strip = strips + j / kCols<T> * stride + p0 * kCols<T>;
        Ahead ahead{reinterpret_cast<const char*>(strip + stride), 0, lines,
                    lines_each(lines, rows, depth)};
        for (int64_t i = 0; i < rows; i += kRows) {
          block(depth, packed.as<T>() + i * depth, strip, c + (i0 + i) * ldc + j, ldc,
                min(kRows, rows - i), min(kCols<T>, n - j), add || p0 > 0, ahead);
        }
      }
    }
  }
}

template <class T>
void multiply_in_place(int64_t m, int64_t n, int64_t k, const T* a, const T* b, int64_t b_row,
                       int64_t b_col, T* c, int64_t ldc, bool add) {
  const Scratch strip(static_cast<size_t>(min(k, kDepth) * kCols<T>) * sizeof(T));
  const int64_t height = round_up(m, kRows);
  const int64_t size = sizeof(T);
  for (int64_t j = 0; j < n; j += kCols<T>) {
    const int64_t cols = min(kCols<T>, n - j);
    for (int64_t p0 = 0; p0 < k; p0 += kDepth) {
      const int64_t depth = min(kDepth, k - p0);
      pack_right(cols, depth, b + p0 * b_row + j * b_col, b_row, b_col, strip.as<T>());
      const bool last = p0 + kDepth >= k;
      const int64_t next_row = last ? 0 : p0 + kDepth;
      const int64_t next_col = last ? j + kCols<T> : j;
      const T* const next = b + next_row * b_row + next_col * b_col;
      const bool by_rows = b_col == 1;
      const int64_t runs = next_col >= n ? 0 : by_rows ? min(kDepth, k - next_row) : kCols<T>;
      const int64_t lines = (by_rows ? kCols<T> : kDepth) * size / 64 + 1;
      Ahead ahead{reinterpret_cast<const char*>(next), (by_rows ? b_row : b_col) * size, lines,
                  lines_each(runs * lines, m, depth)};
      for (int64_t i = 0; i < m; i += kRows) {
        block(depth, a + p0 * height + i * depth, strip.as<T>(), c + i * ldc + j, ldc,
              min(kRows, m - i), cols, add || p0 > 0, ahead);
      }
    }
  }
}

template <class T>
constexpr BlockedKernels<T> kBlocked = {
    tiny_gemm<T>, pack_left<T>, pack_right<T>, multiply<T>, multiply_in_place<T>, kRows, kCols<T>};

// A strip of b of this depth stays in the first-level cache while the rows of `a` pass over it.
constexpr int64_t kMediumDepth = 128;
template <class T>
constexpr int64_t kStrip = kTileVectors * kLanes<T>;

// Copies columns of b row by row, the last vector of each row padded with zeros.
template <class T>
void pack_strip(int64_t cols, int64_t depth, const T* b, int64_t b_row, int64_t b_col, T* out) {
  constexpr int kWhole = kLanes<T>;
  if (cols <= kWhole) return pack<kWhole>(cols, depth, b, b_col, b_row, out, 0);
  if (cols <= 2 * kWhole) return pack<2 * kWhole>(cols, depth, b, b_col, b_row, out, 0);
  pack<static_cast<int>(kStrip<T>)>(cols, depth, b, b_col, b_row, out, 0);
}

template <class T>
void medium_gemm(int64_t m, int64_t n, int64_t k, const T* a, int64_t a_row, int64_t a_col,
                 const T* b, int64_t b_row, int64_t b_col, T* c, int64_t ldc, bool add) {
  constexpr int64_t kWhole = kLanes<T>;
  const Strided<T> left{a, a_row, a_col};
  for (int64_t p0 = 0; p0 < k; p0 += kMediumDepth) {
    const int64_t depth = min(kMediumDepth, k - p0);
    // Strips of about as many vectors: a single one would not keep the processor busy.
    const int64_t vectors = (n + kWhole - 1) / kWhole;
    const int64_t strips = (vectors + kTileVectors - 1) / kTileVectors;
    for (int64_t s = 0; s < strips; ++s) {
      const int64_t j = vectors * s / strips * kWhole;
      const int64_t cols = min(vectors * (s + 1) / strips * kWhole, n) - j;
      const T* const from = b + p0 * b_row + j * b_col;
      const Strided<T> of_depth = left.at(0, p0);
      const bool more = add || p0 > 0;
      const int64_t width = (cols + kWhole - 1) / kWhole * kWhole;
      if (b_col == 1 && width == cols) {
        any_strip(m, depth, of_depth, from, b_row, c + j, ldc, cols, more);
      } else if (b_col == 1 && kLoadsParts) {
        any_strip<true>(m, depth, of_depth, from, b_row, c + j, ldc, cols, more);
      } else {
        alignas(64) T packed[kMediumDepth * kStrip<T>];
        pack_strip(cols, depth, from, b_row, b_col, packed);
        any_strip(m, depth, of_depth, packed, width, c + j, ldc, cols, more);
      }
    }
  }
}

typedef float Row __attribute__((vector_size(64)));

template <int Rows>
void small_rows(int64_t n, int64_t k, const float* a, int64_t a_row, int64_t a_col, const float* b,
                float* c, int64_t ldc) {
  Row sum[Rows] = {};
  for (int64_t p = 0; p < k; ++p) {
    Row right;
    std::memcpy(&right, b + p * 16, sizeof(Row));
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) sum[r] += a[r * a_row + p * a_col] * right;
  }
  for (int r = 0; r < Rows; ++r) {
    float spill[16];
    std::memcpy(spill, &sum[r], sizeof(Row));
    for (int64_t j = 0; j < n; ++j) c[r * ldc + j] = spill[j];
  }
}

void small_sgemm(int64_t m, int64_t n, int64_t k, const float* a, int64_t a_row, int64_t a_col,
                 const float* b, int64_t b_row, int64_t b_col, float* c, int64_t ldc) {
  if (m * n * k <= 64) {
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        float sum = 0;
        for (int64_t p = 0; p < k; ++p) sum += a[i * a_row + p * a_col] * b[p * b_row + j * b_col];
        c[i * ldc + j] = sum;
      }
    }
    return;
  }
  float padded[16 * 16];
  for (int64_t p = 0; p < k; ++p) {
    for (int64_t j = 0; j < n; ++j) padded[p * 16 + j] = b[p * b_row + j * b_col];
    for (int64_t j = n; j < 16; ++j) padded[p * 16 + j] = 0;
  }
  int64_t i = 0;
  for (; i + 4 <= m; i += 4) {
    small_rows<4>(n, k, a + i * a_row, a_row, a_col, padded, c + i * ldc, ldc);
  }
  for (; i < m; ++i) small_rows<1>(n, k, a + i * a_row, a_row, a_col, padded, c + i * ldc, ldc);
}

}  // namespace

const GemmKernels& gemm_kernels() {
  static const GemmKernels kernels{kBlocked<float>,    kBlocked<double>, kBlocked<uint32_t>,
                                   kBlocked<uint64_t>, small_sgemm,      medium_gemm<float>,
                                   medium_gemm<double>};
  return kernels;
}

}  // namespace ef::cpu::EF_ISA
