// Vector loops of reductions, argmax and argmin, and cumulative sums and products.
#include <cstdint>
#include <type_traits>

#include "kernels/cpu/reduction_loops.h"

namespace ef::cpu::EF_ISA {
namespace {

// The dtype in which integers are added and multiplied, so that they wrap.
template <class T, bool = std::is_integral_v<T>>
struct WrappingOf {
  using type = T;
};
template <class T>
struct WrappingOf<T, true> {
  using type = std::conditional_t<(sizeof(T) < 4), uint32_t, std::make_unsigned_t<T>>;
};

struct Add {
  template <class T>
  static T of(T a, T b) {
    using W = typename WrappingOf<T>::type;
    return static_cast<T>(static_cast<W>(a) + static_cast<W>(b));
  }
};
struct Multiply {
  template <class T>
  static T of(T a, T b) {
    using W = typename WrappingOf<T>::type;
    return static_cast<T>(static_cast<W>(a) * static_cast<W>(b));
  }
};
struct Larger {
  template <class T>
  static bool better(T a, T b) {
    return a > b;
  }
  template <class T>
  static T of(T a, T b) {
    return b > a ? b : a;
  }
};
struct Smaller {
  template <class T>
  static bool better(T a, T b) {
    return a < b;
  }
  template <class T>
  static T of(T a, T b) {
    return b < a ? b : a;
  }
};

// The same, but NaNs propagate; as two selects, which compilers vectorise.
template <class Better>
struct OrNan {
  template <class T>
  static T of(T a, T b) {
    const T better = Better::better(a, b) ? a : b;
    return a != a ? a : better;
  }
};

// Several independent results, which the compiler keeps in vectors.
template <class Join, class T>
T fold(const T* x, int64_t n, T start) {
  constexpr int kSide = 256 / static_cast<int>(sizeof(T));
  T total = start;
  int64_t i = 0;
  if (n >= kSide) {
    T side[kSide];
    for (int k = 0; k < kSide; ++k) side[k] = start;
    for (; i + kSide <= n; i += kSide) {
#pragma omp simd
      for (int k = 0; k < kSide; ++k) side[k] = Join::of(side[k], x[i + k]);
    }
    for (int k = 0; k < kSide; ++k) total = Join::of(total, side[k]);
  }
  for (; i < n; ++i) total = Join::of(total, x[i]);
  return total;
}

template <class T>
T sum(const T* x, int64_t n) {
  return fold<Add>(x, n, T(0));
}
template <class T>
T product(const T* x, int64_t n) {
  return fold<Multiply>(x, n, T(1));
}
// Whether the sums of this type fit into 64 bits.
template <class T>
constexpr bool kNarrow = std::is_integral_v<T> && sizeof(T) < 8;

template <class T>
int64_t wide_sum(const T* x, int64_t n) {
  int64_t total = 0;
#pragma omp simd reduction(+ : total)
  for (int64_t i = 0; i < n; ++i) total += static_cast<int64_t>(x[i]);
  return total;
}

template <class T>
void add_into_wide(int64_t* out, const T* x, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) out[i] += static_cast<int64_t>(x[i]);
}

template <class Better, class T>
T extreme(const T* x, int64_t n) {
  return fold<Better>(x, n, x[0]);
}

template <class Join, class T>
void join_into(T* out, const T* x, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) out[i] = Join::of(out[i], x[i]);
}

template <class Join, class T>
void join(T* out, const T* x, const T* y, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) out[i] = Join::of(x[i], y[i]);
}

template <class Join, class T>
void join_four_into(T* out, const T* x, int64_t stride, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    const T* at = x + i;
    const T first = Join::of(at[0], at[stride]);
    const T second = Join::of(at[2 * stride], at[3 * stride]);
    out[i] = Join::of(out[i], Join::of(first, second));
  }
}

// One result for each group of elements. `out` may be `x`: no group begins before its result.
template <class Join, int kGroup, class T>
void fold_groups(T* out, const T* x, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    const T* at = x + i * kGroup;
    T total = Join::of(at[0], at[1]);
    if constexpr (kGroup > 2) total = Join::of(total, at[2]);
    if constexpr (kGroup > 3) total = Join::of(total, Join::of(at[3], at[4]));
    if constexpr (kGroup > 5) total = Join::of(total, Join::of(at[5], at[6]));
    out[i] = total;
  }
}

// Short rows are reduced by one prime factor of their length at a time, in the first-level cache.
template <class Join, class T>
void fold_rows(T* out, const T* x, int64_t rows, int64_t n) {
  constexpr int64_t kBlock = 4096;
  T part[kBlock / 2];
  const int64_t together = kBlock / n;
  for (int64_t r = 0; r < rows; r += together) {
    const int64_t many = rows - r < together ? rows - r : together;
    const T* from = x + r * n;
    for (int64_t left = n; left > 1;) {
      const int step = left % 2 == 0 ? 2 : left % 3 == 0 ? 3 : left % 5 == 0 ? 5 : 7;
      left /= step;
      T* to = left == 1 ? out + r : part;
      switch (step) {
        case 2: fold_groups<Join, 2>(to, from, many * left); break;
        case 3: fold_groups<Join, 3>(to, from, many * left); break;
        case 5: fold_groups<Join, 5>(to, from, many * left); break;
        default: fold_groups<Join, 7>(to, from, many * left);
      }
      from = to;
    }
  }
}

// Whether an element replaces the best one so far: it is better, or the first NaN.
template <class Better, class T>
bool takes_over(T value, T best) {
  return Better::better(value, best) | ((value != value) & (best == best));
}

template <class Better, class T>
int64_t place_in_row(const T* x, int64_t n) {
  constexpr int64_t kBlock = 1024;
  T best = x[0];
  if (n < 64) {
    int64_t place = 0;
    for (int64_t i = 1; i < n; ++i) {
      const bool better = takes_over<Better>(x[i], best);
      best = better ? x[i] : best;
      place = better ? i : place;
    }
    return place;
  }
  // First the block that holds it, then its index in the block.
  int64_t block = 0;
  for (int64_t i = 0; i < n && best == best; i += kBlock) {
    const T found = fold<OrNan<Better>>(x + i, n - i < kBlock ? n - i : kBlock, best);
    if (!takes_over<Better>(found, best)) continue;
    best = found;
    block = i;
  }
  if (best != best) {
    while (x[block] == x[block]) ++block;
  } else {
    while (x[block] != best) ++block;
  }
  return block;
}

template <class Better, class T>
void places_in_rows(int64_t* out, const T* x, int64_t rows, int64_t n) {
  for (int64_t r = 0; r < rows; ++r) out[r] = place_in_row<Better>(x + r * n, n);
}

template <class Better, class T>
void places_in_columns(int64_t* out, const T* x, int64_t count, int64_t stride, int64_t width) {
  // Indices as wide as the elements, so that both fill vectors alike.
  using Place = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;
  constexpr int64_t kColumns = 512;
  constexpr int64_t kRows = int64_t{1} << 30;
  T best[kColumns];
  Place place[kColumns];
  for (int64_t begin = 0; begin < width; begin += kColumns) {
    const int64_t size = width - begin < kColumns ? width - begin : kColumns;
    for (int64_t i = 0; i < size; ++i) {
      best[i] = x[begin + i];
      out[begin + i] = 0;
    }
    for (int64_t first = 0; first < count; first += kRows) {
      const int64_t rows = count - first < kRows ? count - first : kRows;
      for (int64_t i = 0; i < size; ++i) place[i] = -1;
      for (int64_t k = 0; k < rows; ++k) {
        const T* row = x + (first + k) * stride + begin;
        const auto here = static_cast<Place>(k);
#pragma omp simd
        for (int64_t i = 0; i < size; ++i) {
          const bool better = takes_over<Better>(row[i], best[i]);
          best[i] = better ? row[i] : best[i];
          place[i] = better ? here : place[i];
        }
      }
      for (int64_t i = 0; i < size; ++i) {
        if (place[i] >= 0) out[begin + i] = first + place[i];
      }
    }
  }
}

template <class T>
constexpr ReductionLoopsOf<T> kLoops = {
    .sum = sum<T>,
    .product = product<T>,
    .max = extreme<Larger, T>,
    .min = extreme<Smaller, T>,
    .add_into = join_into<Add, T>,
    .multiply_into = join_into<Multiply, T>,
    .max_into = join_into<Larger, T>,
    .min_into = join_into<Smaller, T>,
    .multiply_four_into = join_four_into<Multiply, T>,
    .max_four_into = join_four_into<OrNan<Larger>, T>,
    .min_four_into = join_four_into<OrNan<Smaller>, T>,
    .sum_rows = fold_rows<Add, T>,
    .product_rows = fold_rows<Multiply, T>,
    .max_rows = fold_rows<OrNan<Larger>, T>,
    .min_rows = fold_rows<OrNan<Smaller>, T>,
    .wide_sum = kNarrow<T> ? wide_sum<T> : nullptr,
    .add_into_wide = kNarrow<T> ? add_into_wide<T> : nullptr,
    .add = join<Add, T>,
    .multiply = join<Multiply, T>,
    .argmax_rows = places_in_rows<Larger, T>,
    .argmin_rows = places_in_rows<Smaller, T>,
    .argmax_columns = places_in_columns<Larger, T>,
    .argmin_columns = places_in_columns<Smaller, T>,
};

}  // namespace

const ReductionLoops& reduction_loops() {
  static constexpr ReductionLoops loops = {
      kLoops<float>,   kLoops<double>,  kLoops<int8_t>,   kLoops<int16_t>,  kLoops<int32_t>,
      kLoops<int64_t>, kLoops<uint8_t>, kLoops<uint16_t>, kLoops<uint32_t>, kLoops<uint64_t>};
  return loops;
}

}  // namespace ef::cpu::EF_ISA
