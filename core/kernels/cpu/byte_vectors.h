// Vectors of bytes, one for each element of a vector of floats. For *.simd.cpp files only: every
// name lives in the namespace of one instruction set.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/cpu/vector_math.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace ef::cpu::EF_ISA {
namespace {

// Integers as wide as the elements.
template <class T>
using MaskVec = std::conditional_t<std::is_same_v<T, float>, I32, I64>;

// As many bytes as a vector has elements.
typedef int8_t BytesOfFloats __attribute__((vector_size(EF_VECTOR_BYTES / 4)));
typedef int8_t BytesOfDoubles __attribute__((vector_size(EF_VECTOR_BYTES / 8)));
template <class T>
using ByteVec = std::conditional_t<std::is_same_v<T, float>, BytesOfFloats, BytesOfDoubles>;

// Compilers widen and narrow vectors of bytes piece by piece.
template <class T>
EF_INLINE MaskVec<T> widened(const uint8_t* memory) {
  ByteVec<T> bytes;
  std::memcpy(&bytes, memory, sizeof(bytes));
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4) {
    return (MaskVec<T>)_mm512_cvtepi8_epi32((__m128i)bytes);
  } else {
    return (MaskVec<T>)_mm512_cvtepi8_epi64(_mm_loadl_epi64((const __m128i*)&bytes));
  }
#elif defined(__AVX2__)
  if constexpr (sizeof(T) == 4) {
    return (MaskVec<T>)_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i*)&bytes));
  } else {
    return (MaskVec<T>)_mm256_cvtepi8_epi64(_mm_loadu_si32(&bytes));
  }
#else
  return __builtin_convertvector(bytes, MaskVec<T>);
#endif
}

// The low byte of each element.
template <class T>
EF_INLINE void put_narrowed(uint8_t* memory, MaskVec<T> v) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4) {
    const __m128i bytes = _mm512_cvtepi32_epi8((__m512i)v);
    std::memcpy(memory, &bytes, sizeof(bytes));
  } else {
    const __m128i bytes = _mm512_cvtepi64_epi8((__m512i)v);
    std::memcpy(memory, &bytes, kLanes<T>);
  }
#else
  const auto bytes = __builtin_convertvector(v, ByteVec<T>);
  std::memcpy(memory, &bytes, sizeof(bytes));
#endif
}

}  // namespace
}  // namespace ef::cpu::EF_ISA
