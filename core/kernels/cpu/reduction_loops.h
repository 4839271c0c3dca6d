// Vector loops of reductions, of places of extremes and of running totals, for numbers of one type.
#pragma once

#include <cstdint>

namespace ef::cpu {

template <class T>
struct ReductionLoopsOf {
  // One result for n numbers; integers wrap.
  T (*sum)(const T* x, int64_t n);
  T (*product)(const T* x, int64_t n);
  T (*max)(const T* x, int64_t n);
  T (*min)(const T* x, int64_t n);
  // out = out op x
  void (*add_into)(T* out, const T* x, int64_t n);
  void (*multiply_into)(T* out, const T* x, int64_t n);
  void (*max_into)(T* out, const T* x, int64_t n);
  void (*min_into)(T* out, const T* x, int64_t n);
  // out = x op y
  void (*add)(T* out, const T* x, const T* y, int64_t n);
  void (*multiply)(T* out, const T* x, const T* y, int64_t n);
  // For each of `rows` rows of n numbers, where its first largest or smallest one is. NaNs do not
  // count; where nothing else is, it is the first place.
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

namespace baseline {
const ReductionLoops& reduction_loops();
}
namespace avx2 {
const ReductionLoops& reduction_loops();
}
namespace avx512 {
const ReductionLoops& reduction_loops();
}

}  // namespace ef::cpu
