// Vectors of which only the first elements are in memory. For *.simd.cpp files only: every name
// lives in the namespace of one instruction set.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/cpu/vector_math.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace ef::cpu::EF_ISA {
namespace {

// Whether parts of vectors are loaded in one instruction.
#if defined(__AVX2__)
inline constexpr bool kLoadsParts = true;
#else
inline constexpr bool kLoadsParts = false;
#endif

// Loads the first `count` elements of a vector, the others as 0; and stores them, or adds them with
// `add`. These functions do not take the address of a vector: tiles would keep such a vector in
// memory during their loop.
#if defined(__AVX512F__)
EF_INLINE F32 load_part(const float* from, int64_t count) {
  return (F32)_mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << count) - 1), from);
}
EF_INLINE F64 load_part(const double* from, int64_t count) {
  return (F64)_mm512_maskz_loadu_pd(static_cast<__mmask8>((1u << count) - 1), from);
}
EF_INLINE void store_part(float* to, F32 v, int64_t count, bool add) {
  if (add) v += load_part(to, count);
  _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1u << count) - 1), (__m512)v);
}
EF_INLINE void store_part(double* to, F64 v, int64_t count, bool add) {
  if (add) v += load_part(to, count);
  _mm512_mask_storeu_pd(to, static_cast<__mmask8>((1u << count) - 1), (__m512d)v);
}
#elif defined(__AVX2__)
EF_INLINE __m256i mask_of(int64_t words) {
  alignas(64) static const int32_t kMasks[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kMasks + 8 - words));
}
EF_INLINE F32 load_part(const float* from, int64_t count) {
  return (F32)_mm256_maskload_ps(from, mask_of(count));
}
EF_INLINE F64 load_part(const double* from, int64_t count) {
  return (F64)_mm256_maskload_pd(from, mask_of(2 * count));
}
EF_INLINE void store_part(float* to, F32 v, int64_t count, bool add) {
  if (add) v += load_part(to, count);
  _mm256_maskstore_ps(to, mask_of(count), (__m256)v);
}
EF_INLINE void store_part(double* to, F64 v, int64_t count, bool add) {
  if (add) v += load_part(to, count);
  _mm256_maskstore_pd(to, mask_of(2 * count), (__m256d)v);
}
#else
template <class T>
__attribute__((noinline)) Vec<T> load_part(const T* from, int64_t count) {
  T part[kLanes<T>] = {};
  for (int64_t j = 0; j < count; ++j) part[j] = from[j];
  Vec<T> v;
  std::memcpy(&v, part, sizeof v);
  return v;
}
template <class T, class V>
__attribute__((noinline)) void store_part(T* to, V v, int64_t count, bool add) {
  T part[kLanes<T>];
  std::memcpy(part, &v, sizeof part);
  for (int64_t j = 0; j < count; ++j) to[j] = add ? to[j] + part[j] : part[j];
}
#endif

}  // namespace
}  // namespace ef::cpu::EF_ISA
