// Vector loops over one row: the parts of softmax, losses, biases and pooling.
#pragma once

#include <cstdint>

#include "device/isa.h"

namespace ef::cpu {

inline constexpr uint8_t kNoPlace = 255;

template <class T>
struct RowLoopsOf {
  T (*max)(const T* x, int64_t n);
  T (*min)(const T* x, int64_t n);
  T (*sum)(const T* x, int64_t n);
  T (*dot)(const T* x, const T* y, int64_t n);
  void (*subtract)(T* out, const T* x, T number, int64_t n);
  void (*scale)(T* out, const T* x, T number, int64_t n);
  void (*add_rows)(T* out, const T* x, const T* y, int64_t n);
  // out = exp(x - number); returns the sum of the results.
  T (*exp_shifted)(T* out, const T* x, T number, int64_t n);
  // The same without `out`.
  T (*sum_exp)(const T* x, T number, int64_t n);
  // out = (exp(x - number) * factor - labels) * scale; labels may be null.
  void (*exp_minus)(T* out, const T* x, T number, T factor, const T* labels, T scale, int64_t n);
  // out += the sum of four rows that are `stride` elements apart.
  void (*add_four_into)(T* out, const T* x, int64_t stride, int64_t n);
  // out = max(out, x), NaN if either is.
  void (*max_into)(T* out, const T* x, int64_t n);
  void (*min_into)(T* out, const T* x, int64_t n);
  void (*add_into)(T* out, const T* x, int64_t n);
  // out = out + x + y, at least `low` and at most `high`; NaN stays. y may be null.
  void (*add_clipped)(T* out, const T* x, const T* y, T low, T high, int64_t n);
  // out += x * number
  void (*add_scaled)(T* out, const T* x, T number, int64_t n);
  // out += the sum of `count` rows of x, each times a factor. Rows have n elements; their indices
  // are two elements apart in `rows`, as in the indices of sparse matrices.
  void (*add_scaled_rows)(T* out, const T* x, const int64_t* rows, const T* factors, int64_t count,
                          int64_t n);
  // The same for indices that are one element apart, as the columns of CSR.
  void (*add_scaled_columns)(T* out, const T* x, const int32_t* columns, const T* factors,
                             int64_t count, int64_t n);
  // out = (dy - number) * y
  void (*softmax_grad)(T* out, const T* dy, const T* y, T number, int64_t n);
  // Pooling, for `count` pixels of n channels that are `step` elements apart in x:
  // out = max(out, x), NaN if either is.
  void (*max_into_pixels)(T* out, const T* x, int64_t n, int64_t count, int64_t step);
  // Where x equals y or is NaN, and no pixel of the window matched before: out += dy. `out` has the
  // layout of x. Windows with a NaN have the result NaN.
  void (*max_grad_pixels)(T* out, const T* x, const T* y, const T* dy, int32_t* found, int64_t n,
                          int64_t count, int64_t step);
  // The same for whole windows, with the `places` offsets of a window's pixels from its first one.
  // `out` is overwritten; with `add`, the gradient is added to it.
  void (*max_windows)(T* out, const T* x, const int64_t* offsets, int places, int64_t n,
                      int64_t count, int64_t step);
  void (*max_windows_grad)(T* out, const T* x, const T* y, const T* dy, const int64_t* offsets,
                           int places, int64_t n, int64_t count, int64_t step, bool add);
  // The index of the first pixel of a window that equals y or is NaN; kNoPlace if there is none.
  void (*window_places)(uint8_t* out, const T* x, const T* y, const int64_t* offsets, int places,
                        int64_t n, int64_t count, int64_t step);
  // out = dy where `places` equals `place`, else 0.
  void (*from_place)(T* out, const uint8_t* places, const T* dy, uint8_t place, int64_t n);
  void (*mean_windows)(T* out, const T* x, const int64_t* offsets, int places, int64_t n,
                       int64_t count, int64_t step);
  // The cross entropy of labels and softmax(x). `out` holds exp(x - top), whose sum is `sum`, and
  // becomes the gradient; it may be null.
  T (*cross_entropy)(T* out, const T* x, const T* labels, T top, T sum, int64_t n);
  // The cross entropy of labels z and sigmoid(x).
  void (*sigmoid_cross_entropy)(T* out, const T* z, const T* x, int64_t n);
};

struct RowLoops {
  RowLoopsOf<float> float32;
  RowLoopsOf<double> float64;
};

EF_EVERY_ISA(RowLoops, row_loops)

// The loops for this machine.
const RowLoops& row_loops();
template <class T>
const RowLoopsOf<T>& row_loops_of();
template <>
inline const RowLoopsOf<float>& row_loops_of<float>() {
  return row_loops().float32;
}
template <>
inline const RowLoopsOf<double>& row_loops_of<double>() {
  return row_loops().float64;
}

}  // namespace ef::cpu
