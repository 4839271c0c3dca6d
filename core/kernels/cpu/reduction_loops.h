// Vector loops of reductions, argmax and argmin, and cumulative sums and products.
#pragma once

#include <cstdint>
#include <type_traits>

#include "device/isa.h"

namespace ef::cpu {

// Whether rows of n elements are short, and n has no prime factor above `largest`, at most 7.
constexpr bool is_short_row(int64_t n, int64_t largest) {
  if (n < 2 || n > 32) return false;
  for (int64_t factor = 2; factor <= largest; ++factor) {
    while (n % factor == 0) n /= factor;
  }
  return n == 1;
}

template <class T>
struct ReductionLoopsOf {
  // One result for n elements; integers wrap. row_loops.h has the extremes of floats.
  T (*sum)(const T* x, int64_t n);
  T (*product)(const T* x, int64_t n);
  T (*max)(const T* x, int64_t n);
  T (*min)(const T* x, int64_t n);
  // out = out op x
  void (*add_into)(T* out, const T* x, int64_t n);
  void (*multiply_into)(T* out, const T* x, int64_t n);
  void (*max_into)(T* out, const T* x, int64_t n);
  void (*min_into)(T* out, const T* x, int64_t n);
  // out = out op four rows that are `stride` elements apart; NaN if one of them is
  void (*multiply_four_into)(T* out, const T* x, int64_t stride, int64_t n);
  void (*max_four_into)(T* out, const T* x, int64_t stride, int64_t n);
  void (*min_four_into)(T* out, const T* x, int64_t stride, int64_t n);
  // One result for each of `rows` short rows of n elements, with prime factors of at most 7; NaN if
  // an element is.
  void (*sum_rows)(T* out, const T* x, int64_t rows, int64_t n);
  void (*product_rows)(T* out, const T* x, int64_t rows, int64_t n);
  void (*max_rows)(T* out, const T* x, int64_t rows, int64_t n);
  void (*min_rows)(T* out, const T* x, int64_t rows, int64_t n);
  // Sums of integers of at most 32 bits, which do not wrap; null for other types.
  int64_t (*wide_sum)(const T* x, int64_t n);
  void (*add_into_wide)(int64_t* out, const T* x, int64_t n);
  // out = x op y
  void (*add)(T* out, const T* x, const T* y, int64_t n);
  void (*multiply)(T* out, const T* x, const T* y, int64_t n);
  // The index of the first NaN in each of `rows` rows of n elements, else of the first largest or
  // smallest element.
  void (*argmax_rows)(int64_t* out, const T* x, int64_t rows, int64_t n);
  void (*argmin_rows)(int64_t* out, const T* x, int64_t rows, int64_t n);
  // The same for `width` columns of `count` rows that are `stride` apart.
  void (*argmax_columns)(int64_t* out, const T* x, int64_t count, int64_t stride, int64_t width);
  void (*argmin_columns)(int64_t* out, const T* x, int64_t count, int64_t stride, int64_t width);
};

struct ReductionLoops : ReductionLoopsOf<float>,
                        ReductionLoopsOf<double>,
                        ReductionLoopsOf<int8_t>,
                        ReductionLoopsOf<int16_t>,
                        ReductionLoopsOf<int32_t>,
                        ReductionLoopsOf<int64_t>,
                        ReductionLoopsOf<uint8_t>,
                        ReductionLoopsOf<uint16_t>,
                        ReductionLoopsOf<uint32_t>,
                        ReductionLoopsOf<uint64_t> {};

// Whether there are vector loops for a type.
template <class T>
inline constexpr bool kLooped = std::is_base_of_v<ReductionLoopsOf<T>, ReductionLoops>;

EF_EVERY_ISA(ReductionLoops, reduction_loops)

}  // namespace ef::cpu
