// Vector loops over one row.
#include "kernels/cpu/row_loops.h"

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/cpu/byte_vectors.h"
#include "kernels/cpu/vector_math.h"

namespace ef::cpu::EF_ISA {
namespace {

// The first n elements of a vector; the others are zero.
template <class T>
EF_INLINE Vec<T> load(const T* from, int64_t n = kLanes<T>) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<T, float>) {
    return (Vec<T>)_mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << n) - 1), from);
  }
#endif
  Vec<T> v = {};
  std::memcpy(&v, from, static_cast<size_t>(n) * sizeof(T));
  return v;
}
template <class T>
EF_INLINE void store(T* to, Vec<T> v, int64_t n = kLanes<T>) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<T, float>) {
    return _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1u << n) - 1), (__m512)v);
  }
#endif
  std::memcpy(to, &v, static_cast<size_t>(n) * sizeof(T));
}

struct Larger {
  template <class V>
  static auto of(V a, V b) {
    return a > b;
  }
};
struct Smaller {
  template <class V>
  static auto of(V a, V b) {
    return a < b;
  }
};

// The extreme of `result` and the first n elements of a vector; NaN if one of them is.
template <class Better, class T>
T extreme_of_lanes(Vec<T> v, int64_t n, T result) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<T, float>) {
    const auto lanes = static_cast<__mmask16>((1u << n) - 1);
    if (result != result) return result;
    if (_mm512_mask_cmp_ps_mask(lanes, (__m512)v, (__m512)v, _CMP_UNORD_Q)) {
      return __builtin_nanf("");
    }
    const __m512 all = _mm512_mask_mov_ps(_mm512_set1_ps(result), lanes, (__m512)v);
    return std::is_same_v<Better, Larger> ? _mm512_reduce_max_ps(all) : _mm512_reduce_min_ps(all);
  }
#endif
  // Without branches, which would be unpredictable.
  for (int64_t k = 0; k < n; ++k) {
    const T value = v[k];
    result = (Better::of(value, result) | (value != value)) ? value : result;
  }
  return result;
}

// The extreme of n > 0 elements; NaN if one of them is.
template <class Better, class T>
T extreme_of(const T* x, int64_t n) {
  constexpr int64_t kWidth = kLanes<T>;
  constexpr int kChains = 4;  // independent ones hide the latency of a comparison
  T result = x[0];
  int64_t i = 0;
  if (n >= kWidth) {
    const auto join = [](Vec<T> v, Vec<T>& b) { b = Better::of(v, b) | (v != v) ? v : b; };
    const auto step = [&](const T* from, Vec<T>& b) {
      Vec<T> v;
      std::memcpy(&v, from, sizeof v);
      join(v, b);
    };
    Vec<T> best[kChains];
    std::memcpy(&best[0], x, sizeof best[0]);
    for (int k = 1; k < kChains; ++k) best[k] = best[0];
    for (; i + kChains * kWidth <= n; i += kChains * kWidth) {
      for (int k = 0; k < kChains; ++k) step(x + i + k * kWidth, best[k]);
    }
    for (; i + kWidth <= n; i += kWidth) step(x + i, best[0]);
    join(best[1], best[0]);
    join(best[3], best[2]);
    join(best[2], best[0]);
    result = extreme_of_lanes<Better, T>(best[0], kWidth, result);
  }
  return i < n ? extreme_of_lanes<Better, T>(load(x + i, n - i), n - i, result) : result;
}

// The sum of the first n elements of a vector.
template <class V>
auto sum_of_lanes(V v, int64_t n) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<V, F32>) {
    return _mm512_mask_reduce_add_ps(static_cast<__mmask16>((1u << n) - 1), (__m512)v);
  }
#endif
  auto total = v[0];
  for (int64_t k = 1; k < n; ++k) total += v[k];
  return total;
}

template <class T>
T sum_of(const T* x, int64_t n) {
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; ++i) sum += x[i];
  return sum;
}

template <class T>
T dot(const T* x, const T* y, int64_t n) {
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

template <class T>
void subtract(T* out, const T* x, T number, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) out[i] = x[i] - number;
}

template <class T>
void scale(T* out, const T* x, T number, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) out[i] = x[i] * number;
}

template <bool stores, class T>
EF_INLINE T exp_and_sum(T* out, const T* x, T number, int64_t n) {
  constexpr int64_t kWidth = kLanes<T>;
  Vec<T> sums[2] = {};
  const auto step = [&](int64_t i, Vec<T>& sum) {
    // Rows are contiguous: the next one is prefetched while this one is computed.
    __builtin_prefetch(x + n + i);
    Vec<T> v;
    std::memcpy(&v, x + i, sizeof v);
    v = vexp(v - number);
    if constexpr (stores) std::memcpy(out + i, &v, sizeof v);
    sum += v;
  };
  int64_t i = 0;
  for (; i + 2 * kWidth <= n; i += 2 * kWidth) {
    step(i, sums[0]);
    step(i + kWidth, sums[1]);
  }
  for (; i + kWidth <= n; i += kWidth) step(i, sums[0]);
  T total = i > 0 ? sum_of_lanes(sums[0] + sums[1], kWidth) : T(0);
  if (i < n) {
    const Vec<T> v = vexp(load(x + i, n - i) - number);
    if constexpr (stores) store(out + i, v, n - i);
    total += sum_of_lanes(v, n - i);
  }
  return total;
}

template <class T>
T exp_shifted(T* out, const T* x, T number, int64_t n) {
  return exp_and_sum<true>(out, x, number, n);
}

template <class T>
T sum_exp(const T* x, T number, int64_t n) {
  return exp_and_sum<false>(static_cast<T*>(nullptr), x, number, n);
}

template <class T>
void add_four_into(T* out, const T* x, int64_t stride, int64_t n) {
  const T* const x1 = x + stride;
  const T* const x2 = x1 + stride;
  const T* const x3 = x2 + stride;
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) out[i] += (x[i] + x1[i]) + (x2[i] + x3[i]);
}

template <class T>
void add_rows(T* out, const T* x, const T* y, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) out[i] = x[i] + y[i];
}

template <class Better, class T>
void extreme_into(T* out, const T* x, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    out[i] = Better::of(x[i], out[i]) | (x[i] != x[i]) ? x[i] : out[i];
  }
}

template <class T>
void max_into_pixels(T* out, const T* x, int64_t n, int64_t count, int64_t step) {
  for (int64_t k = 0; k < count; ++k) extreme_into<Larger>(out + k * n, x + k * step, n);
}

template <class T>
void add_into(T* out, const T* x, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) out[i] += x[i];
}

template <class T>
T clipped(T v, T low, T high) {
  v = v <= low ? low : v;
  return v >= high ? high : v;
}

template <class T>
void add_clipped(T* out, const T* x, const T* y, T low, T high, int64_t n) {
  if (y) {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) out[i] = clipped(out[i] + x[i] + y[i], low, high);
  } else {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) out[i] = clipped(out[i] + x[i], low, high);
  }
}

template <class T>
void add_scaled(T* out, const T* x, T number, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) out[i] += x[i] * number;
}

// `Vectors` vectors of each row, whose sums stay in registers.
template <int Vectors, int Step, class T, class Index>
void add_scaled_vectors(T* out, const T* x, const Index* rows, const T* factors, int64_t count,
                        int64_t n) {
  Vec<T> sums[Vectors];
#pragma GCC unroll 4
  for (int v = 0; v < Vectors; ++v) sums[v] = load(out + v * kLanes<T>);
  for (int64_t i = 0; i < count; ++i) {
    const T* const row = x + rows[Step * i] * n;
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) sums[v] += load(row + v * kLanes<T>) * factors[i];
  }
#pragma GCC unroll 4
  for (int v = 0; v < Vectors; ++v) store(out + v * kLanes<T>, sums[v]);
}

// Four chains of additions that overlap. A compiler that makes vectors of them gathers their
// elements, which takes longer.
template <int Step, class T, class Index>
[[gnu::optimize("no-tree-vectorize")]] T dot_chosen(const T* x, const Index* rows, const T* factors,
                                                    int64_t count) {
  T sums[4] = {};
  int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    sums[0] += x[rows[Step * i]] * factors[i];
    sums[1] += x[rows[Step * (i + 1)]] * factors[i + 1];
    sums[2] += x[rows[Step * (i + 2)]] * factors[i + 2];
    sums[3] += x[rows[Step * (i + 3)]] * factors[i + 3];
  }
  for (; i < count; ++i) sums[0] += x[rows[Step * i]] * factors[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// Indices are `Step` elements apart.
template <int Step, class T, class Index>
void add_scaled_chosen(T* out, const T* x, const Index* rows, const T* factors, int64_t count,
                       int64_t n) {
  if (n == 1) {
    *out += dot_chosen<Step>(x, rows, factors, count);
    return;
  }
  int64_t c = 0;
  for (; c + 4 * kLanes<T> <= n; c += 4 * kLanes<T>) {
    add_scaled_vectors<4, Step>(out + c, x + c, rows, factors, count, n);
  }
  for (; c + 2 * kLanes<T> <= n; c += 2 * kLanes<T>) {
    add_scaled_vectors<2, Step>(out + c, x + c, rows, factors, count, n);
  }
  for (; c + kLanes<T> <= n; c += kLanes<T>) {
    add_scaled_vectors<1, Step>(out + c, x + c, rows, factors, count, n);
  }
  for (int64_t i = 0; c < n && i < count; ++i) {
    for (int64_t k = c; k < n; ++k) out[k] += x[rows[Step * i] * n + k] * factors[i];
  }
}

template <class T>
void add_scaled_rows(T* out, const T* x, const int64_t* rows, const T* factors, int64_t count,
                     int64_t n) {
  add_scaled_chosen<2>(out, x, rows, factors, count, n);
}

template <class T>
void add_scaled_columns(T* out, const T* x, const int32_t* columns, const T* factors, int64_t count,
                        int64_t n) {
  add_scaled_chosen<1>(out, x, columns, factors, count, n);
}

template <class T>
void softmax_grad(T* out, const T* dy, const T* y, T number, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) out[i] = (dy[i] - number) * y[i];
}

template <class T>
void max_grad_pixels(T* out, const T* x, const T* y, const T* dy, int32_t* found, int64_t n,
                     int64_t count, int64_t step) {
  for (int64_t k = 0; k < count; ++k) {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) {
      const int32_t hit = ((x[i] == y[i]) | (x[i] != x[i])) & (found[i] == 0);
      out[i] += hit ? dy[i] : T(0);
      found[i] |= hit;
    }
    out += step;
    x += step;
    y += n;
    dy += n;
    found += n;
  }
}

// Calls body(i, size) for vector-sized parts of [0, n), with a constant size where possible.
template <class T, class Body>
void for_vectors(int64_t n, const Body& body) {
  int64_t i = 0;
  for (; i + kLanes<T> <= n; i += kLanes<T>) body(i, std::integral_constant<int64_t, kLanes<T>>());
  if (i < n) body(i, n - i);
}

template <class T>
void max_windows(T* out, const T* x, const int64_t* offsets, int places, int64_t n, int64_t count,
                 int64_t step) {
  for (int64_t k = 0; k < count; ++k, out += n, x += step) {
    for_vectors<T>(n, [&](int64_t i, auto size) {
      Vec<T> top = load(x + offsets[0] + i, size);
      for (int p = 1; p < places; ++p) {
        const Vec<T> v = load(x + offsets[p] + i, size);
        top = (v > top) | (v != v) ? v : top;
      }
      store(out + i, top, size);
    });
  }
}

template <class T>
void mean_windows(T* out, const T* x, const int64_t* offsets, int places, int64_t n, int64_t count,
                  int64_t step) {
  const T share = T(1) / static_cast<T>(places);
  for (int64_t k = 0; k < count; ++k, out += n, x += step) {
    for_vectors<T>(n, [&](int64_t i, auto size) {
      Vec<T> sum = load(x + offsets[0] + i, size);
      for (int p = 1; p < places; ++p) sum += load(x + offsets[p] + i, size);
      store(out + i, sum * share, size);
    });
  }
}

template <class T>
void max_windows_grad(T* out, const T* x, const T* y, const T* dy, const int64_t* offsets,
                      int places, int64_t n, int64_t count, int64_t step, bool add) {
  for (int64_t k = 0; k < count; ++k, out += step, x += step, y += n, dy += n) {
    for_vectors<T>(n, [&](int64_t i, auto size) {
      const Vec<T> top = load(y + i, size);
      Vec<T> rest = load(dy + i, size);  // belongs to the first maximum
      for (int p = 0; p < places; ++p) {
        const Vec<T> pixel = load(x + offsets[p] + i, size);
        const auto hit = (pixel == top) | (pixel != pixel);
        Vec<T> part = hit ? rest : Vec<T>{};
        rest = hit ? Vec<T>{} : rest;
        T* const to = out + offsets[p] + i;
        if (add) part += load(to, size);
        store(to, part, size);
      }
    });
  }
}

template <class T>
void window_places(uint8_t* out, const T* x, const T* y, const int64_t* offsets, int places,
                   int64_t n, int64_t count, int64_t step) {
  for (int64_t k = 0; k < count; ++k, out += n, x += step, y += n) {
    for_vectors<T>(n, [&](int64_t i, auto size) {
      const Vec<T> top = load(y + i, size);
      MaskVec<T> found = MaskVec<T>{} + static_cast<int8_t>(kNoPlace);
      for (int p = places; p-- > 0;) {
        const Vec<T> v = load(x + offsets[p] + i, size);
        found = (v == top) | (v != v) ? MaskVec<T>{} + p : found;
      }
      uint8_t bytes[kLanes<T>];
      put_narrowed<T>(bytes, found);
      std::memcpy(out + i, bytes, static_cast<size_t>(size));
    });
  }
}

template <class T>
void from_place(T* out, const uint8_t* places, const T* dy, uint8_t place, int64_t n) {
  const MaskVec<T> wanted = MaskVec<T>{} + static_cast<int8_t>(place);
  for_vectors<T>(n, [&](int64_t i, auto size) {
    uint8_t bytes[kLanes<T>] = {};
    std::memcpy(bytes, places + i, static_cast<size_t>(size));
    store(out + i, widened<T>(bytes) == wanted ? load(dy + i, size) : Vec<T>{}, size);
  });
}

template <class T>
void exp_minus(T* out, const T* x, T number, T factor, const T* labels, T scale, int64_t n) {
  if (labels) {
    for_vectors<T>(n, [&](int64_t i, auto size) {
      const Vec<T> share = vexp(load(x + i, size) - number) * factor;
      store(out + i, (share - load(labels + i, size)) * scale, size);
    });
  } else {
    for_vectors<T>(n, [&](int64_t i, auto size) {
      store(out + i, vexp(load(x + i, size) - number) * factor * scale, size);
    });
  }
}

template <class T>
T cross_entropy(T* out, const T* x, const T* labels, T top, T sum, int64_t n) {
  const T factor = T(1) / sum;
  const T log_sum = vlog(Vec<T>{} + sum)[0];
  Vec<T> total = {};
  for_vectors<T>(n, [&](int64_t i, auto size) {
    const Vec<T> label = load(labels + i, size);
    // A label of zero contributes nothing, even if the logit is minus infinity.
    total += label != 0 ? label * (log_sum - (load(x + i, size) - top)) : Vec<T>{};
    if (out) store(out + i, load(out + i, size) * factor - label, size);
  });
  return sum_of_lanes(total, kLanes<T>);
}

// max(x, 0) - x z + log(1 + exp(-|x|)): no overflow for any x.
template <class T>
void sigmoid_cross_entropy(T* out, const T* z, const T* x, int64_t n) {
  for_vectors<T>(n, [&](int64_t i, auto size) {
    const Vec<T> v = load(x + i, size);
    const Vec<T> loss =
        (v > 0 ? v : Vec<T>{}) - v * load(z + i, size) + vlog1p_of_share(vexp(-vabs(v)));
    store(out + i, v != v ? v : loss, size);
  });
}

template <class T>
constexpr RowLoopsOf<T> kLoops = {
    .max = extreme_of<Larger, T>,
    .min = extreme_of<Smaller, T>,
    .sum = sum_of<T>,
    .dot = dot<T>,
    .subtract = subtract<T>,
    .scale = scale<T>,
    .add_rows = add_rows<T>,
    .exp_shifted = exp_shifted<T>,
    .sum_exp = sum_exp<T>,
    .exp_minus = exp_minus<T>,
    .add_four_into = add_four_into<T>,
    .max_into = extreme_into<Larger, T>,
    .min_into = extreme_into<Smaller, T>,
    .add_into = add_into<T>,
    .add_clipped = add_clipped<T>,
    .add_scaled = add_scaled<T>,
    .add_scaled_rows = add_scaled_rows<T>,
    .add_scaled_columns = add_scaled_columns<T>,
    .softmax_grad = softmax_grad<T>,
    .max_into_pixels = max_into_pixels<T>,
    .max_grad_pixels = max_grad_pixels<T>,
    .max_windows = max_windows<T>,
    .max_windows_grad = max_windows_grad<T>,
    .window_places = window_places<T>,
    .from_place = from_place<T>,
    .mean_windows = mean_windows<T>,
    .cross_entropy = cross_entropy<T>,
    .sigmoid_cross_entropy = sigmoid_cross_entropy<T>,
};

}  // namespace

const RowLoops& row_loops() {
  static constexpr RowLoops loops = {kLoops<float>, kLoops<double>};
  return loops;
}

}  // namespace ef::cpu::EF_ISA
