// Products of matrices and vectors, and of two vectors. They read each element of the matrix once,
// so that memory limits them: no copies, and sums that do not wait for each other.
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "kernels/cpu/gemm.h"
#include "kernels/cpu/gemm_tiles.h"
#include "kernels/cpu/turned_vectors.h"

namespace ef::cpu::EF_ISA {
namespace {

template <class T>
EF_INLINE Vec<T> load(const T* from) {
  Vec<T> v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

// Rows that are multiplied by one vector together: so many sums are independent of each other.
constexpr int kDots = kRowsOfDots;

template <class T>
using Dots = typename Lanes<T, kDots>::Vector;

// A vector as kDots lanes with the same sum: its halves added up, or followed by zeros.
template <class T>
EF_INLINE void in_lanes(Vec<T> v, Dots<T>& lanes) {
  lanes = Dots<T>{};
  if constexpr (kLanes<T> > kDots) {
    Dots<T> halves[2];
    static_assert(sizeof halves == sizeof v);
    std::memcpy(&halves, &v, sizeof halves);
    lanes = halves[0] + halves[1];
  } else {
    std::memcpy(&lanes, &v, sizeof v);
  }
}

// The sums of the lanes of each row. Adding up while rows are transposed halves their number each
// time.
template <class T>
EF_INLINE void lane_sums(Dots<T> (&rows)[kDots], Dots<T>& sums) {
  static_assert(kDots == 8);
  constexpr std::make_integer_sequence<int, kDots> lanes{};
  exchange<4, T, kDots>(rows, lanes);
#pragma GCC unroll 4
  for (int r = 0; r < 4; ++r) rows[r] += rows[r + 4];
  exchange<2, T, kDots>(rows, lanes);
#pragma GCC unroll 2
  for (int r = 0; r < 2; ++r) rows[r] += rows[r + 2];
  exchange<1, T, kDots>(rows, lanes);
  sums = rows[0] + rows[1];
}

// The end of a vector that whole packed vectors leave over, in the last lanes.
template <class T>
struct End {
  explicit End(int64_t k, const T* x) {
    if (k < kLanes<T>) return;
    for (int64_t p = k / kLanes<T> * kLanes<T>; p < k; ++p) {
      values[p - (k - kLanes<T>)] = x[p];
      left_over[p - (k - kLanes<T>)] = -1;
    }
  }
  Vec<T> values = {};
  decltype(Vec<T>{} < Vec<T>{}) left_over = {};
};

// `kDots` rows of at least a packed vector's width times a vector.
template <class T>
EF_INLINE void long_dots(int64_t k, const T* a, int64_t a_row, const T* x, const End<T>& end,
                         Dots<T>& found) {
  // The next rows, if the first-level cache holds them: processors recognize no sequence in short
  // pieces of so many rows.
  constexpr int64_t kSize = sizeof(T);
  const int64_t ahead = kDots * k * kSize <= (16 << 10) ? kDots * a_row : 1024 / kSize;
  Vec<T> sum[kDots] = {};
  int64_t p = 0;
  for (; p + kLanes<T> <= k; p += kLanes<T>) {
    const Vec<T> right = load(x + p);
#pragma GCC unroll 8
    for (int r = 0; r < kDots; ++r) {
      const T* const left = a + r * a_row + p;
      __builtin_prefetch(left + ahead);
      sum[r] += load(left) * right;
    }
  }
  if (p < k) {
#pragma GCC unroll 8
    for (int r = 0; r < kDots; ++r) {
      // Lanes that are multiplied already may be infinite.
      const Vec<T> left = load(a + r * a_row + k - kLanes<T>);
      sum[r] += (end.left_over ? left : Vec<T>{}) * end.values;
    }
  }
  Dots<T> rows[kDots];
#pragma GCC unroll 8
  for (int r = 0; r < kDots; ++r) in_lanes<T>(sum[r], rows[r]);
  lane_sums<T>(rows, found);
}

// The same for rows that fill no vector.
template <class T>
EF_INLINE void short_dots(int64_t k, const T* a, int64_t a_row, const T* x, Dots<T>& sums) {
#if defined(__AVX2__)
  const Vec<T> right = load_part(x, k);
  Dots<T> rows[kDots];
  const auto multiply = [&](auto half) __attribute__((always_inline)) {
#pragma GCC unroll 8
    for (int r = 0; r < kDots; ++r) {
      const Vec<T> products = load_part(a + r * a_row, k) * right;
      if constexpr (half.value) {
        std::memcpy(&rows[r], &products, sizeof rows[r]);
      } else {
        in_lanes<T>(products, rows[r]);
      }
    }
  };
  // The upper halves of short rows are 0.
  constexpr bool kHalves = kLanes<T> > kDots;
  k <= kDots ? multiply(std::bool_constant<kHalves>{}) : multiply(std::false_type{});
  lane_sums<T>(rows, sums);
#else
  sums = Dots<T>{};
  for (int64_t p = 0; p < k; ++p) {
#pragma GCC unroll 8
    for (int r = 0; r < kDots; ++r) sums[r] += a[r * a_row + p] * x[p];
  }
#endif
}

template <class T>
void multiply_rows(int64_t rows, int64_t k, const T* a, int64_t a_row, const T* x, T* c,
                   int64_t step) {
  if (k == 1) {
    const T factor = x[0];
    if (a_row == 1 && step == 1) {
      for (int64_t i = 0; i < rows; ++i) c[i] = a[i] * factor;
    } else {
      for (int64_t i = 0; i < rows; ++i) c[i * step] = a[i * a_row] * factor;
    }
    return;
  }
  const End<T> end(k, x);
  for (int64_t from = 0; from < rows; from += kDots) {
    // The last rows are multiplied with some of those before, once more.
    const int64_t i = from + kDots <= rows ? from : rows - kDots;
    const T* const first = a + i * a_row;
    Dots<T> found;
    if (k >= kLanes<T>) {
      long_dots(k, first, a_row, x, end, found);
    } else {
      short_dots(k, first, a_row, x, found);
    }
    if (step == 1) {
      std::memcpy(c + i, &found, sizeof found);
    } else {
      for (int r = 0; r < kDots; ++r) c[(i + r) * step] = found[r];
    }
  }
}

// The most vectors of columns whose sums stay in registers.
constexpr int kMostVectors = EF_VECTOR_BYTES == 64 ? 8 : 4;

// The weighted sums of `Vectors` vectors of columns. The last one ends with the columns and may
// overlap the one before; in a matrix of fewer columns than a vector has, it is partial. Several
// rows at a time have sums of their own.
template <int Vectors, bool Partial, bool Subtract, class T>
EF_INLINE void combine_columns(int64_t rows, int64_t cols, const T* a, int64_t a_row,
                               const T* weights, int64_t step, T* c) {
  constexpr int kTogether = kMostVectors / Vectors;
  const auto at = [&](int v) {
    return v + 1 == Vectors && !Partial ? cols - kLanes<T> : v * kLanes<T>;
  };
  Vec<T> sum[kTogether][Vectors] = {};
  const auto add = [&](int64_t i, int r) __attribute__((always_inline)) {
    const T weight = weights[i * step];
    const T* const row = a + i * a_row;
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) {
      sum[r][v] += weight * (Partial ? load_part(row, cols) : load(row + at(v)));
    }
  };
  int64_t i = 0;
  for (; i + kTogether <= rows; i += kTogether) {
#pragma GCC unroll 8
    for (int r = 0; r < kTogether; ++r) add(i + r, r);
  }
  for (; i < rows; ++i) add(i, 0);
#pragma GCC unroll 8
  for (int v = 0; v < Vectors; ++v) {
#pragma GCC unroll 8
    for (int r = 1; r < kTogether; ++r) sum[0][v] += sum[r][v];
    if (Subtract) sum[0][v] = (Partial ? load_part(c, cols) : load(c + at(v))) - sum[0][v];
  }
#pragma GCC unroll 8
  for (int v = 0; v < Vectors; ++v) {
    if (Partial) {
      store_part(c, sum[0][v], cols, false);
    } else {
      std::memcpy(c + at(v), &sum[0][v], sizeof sum[0][v]);
    }
  }
}

template <bool Subtract, class T>
void combine_rows(int64_t rows, int64_t n, const T* a, int64_t a_row, const T* weights,
                  int64_t step, T* c) {
  if (n < kLanes<T>) return combine_columns<1, true, Subtract>(rows, n, a, a_row, weights, step, c);
  const int64_t vectors = (n + kLanes<T> - 1) / kLanes<T>;
  // Strips of about the same width: the last one has a whole vector, too.
  const int64_t strips = (vectors + kMostVectors - 1) / kMostVectors;
  for (int64_t s = 0; s < strips; ++s) {
    const int64_t first = s * vectors / strips;
    const int64_t last = (s + 1) * vectors / strips;
    const int64_t j = first * kLanes<T>;
    const int64_t cols = (last * kLanes<T> < n ? last * kLanes<T> : n) - j;
    const auto go = [&]<int Vectors>(std::integral_constant<int, Vectors>) {
      combine_columns<Vectors, false, Subtract>(rows, cols, a + j, a_row, weights, step, c + j);
    };
    switch (last - first) {
      case 1: go(std::integral_constant<int, 1>{}); break;
      case 2: go(std::integral_constant<int, 2>{}); break;
      case 3: go(std::integral_constant<int, 3>{}); break;
      case 4: go(std::integral_constant<int, 4>{}); break;
#if EF_VECTOR_BYTES == 64
      case 5: go(std::integral_constant<int, 5>{}); break;
      case 6: go(std::integral_constant<int, 6>{}); break;
      case 7: go(std::integral_constant<int, 7>{}); break;
      default: go(std::integral_constant<int, 8>{});
#endif
    }
  }
}

template <class T>
void outer(int64_t rows, int64_t n, const T* x, int64_t step, const T* y, T* c, int64_t c_row) {
  for (int64_t i = 0; i < rows; ++i) {
    const T factor = x[i * step];
    T* const to = c + i * c_row;
    int64_t j = 0;
    for (; j + kLanes<T> <= n; j += kLanes<T>) {
      const Vec<T> row = factor * load(y + j);
      std::memcpy(to + j, &row, sizeof row);
    }
    if (j < n) store_part(to + j, factor * load_part(y + j, n - j), n - j, false);
  }
}

template <class T>
constexpr VectorKernels<T> kKernels = {multiply_rows<T>, combine_rows<false, T>,
                                       combine_rows<true, T>, outer<T>};

}  // namespace

const VectorProducts& vector_products() {
  static const VectorProducts products{kKernels<float>, kKernels<double>};
  return products;
}

}  // namespace ef::cpu::EF_ISA
