// Matrix transposes: square blocks are transposed in vector registers.
#include "kernels/cpu/transpose.h"

#include <cstdint>
#include <cstring>

#include "kernels/cpu/turned_vectors.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace ef::cpu::EF_ISA {
namespace {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX2__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif

template <class T>
inline void plain(T* out, const T* in, int64_t rows, int64_t cols, int64_t out_stride,
                  int64_t in_stride) {
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < cols; ++c) out[r * out_stride + c] = in[c * in_stride + r];
  }
}

template <class V>
inline void store(void* to, V value, bool around_cache) {
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64) {
    if (around_cache) {
      _mm512_stream_si512(static_cast<__m512i*>(to), reinterpret_cast<__m512i>(value));
      return;
    }
  }
#endif
  (void)around_cache;
  std::memcpy(to, &value, sizeof(V));
}

template <class T>
void transpose(void* out_data, const void* in_data, int64_t rows, int64_t cols, int64_t out_stride,
               int64_t in_stride) {
  constexpr int kWidest = sizeof(T) == 1 ? 16 : kVectorBytes / static_cast<int>(sizeof(T));
  constexpr int N = kWidest > 16 ? 16 : kWidest;
  using Vector = typename Lanes<T, N>::Vector;
  constexpr int64_t kStripe = 64;  // rows of the output that are processed together

  auto* out = static_cast<T*>(out_data);
  const auto* in = static_cast<const T*>(in_data);
  // Whole cache lines of an output far larger than the cache need not be read before the write.
  const bool around_cache = sizeof(Vector) == 64 && reinterpret_cast<uintptr_t>(out) % 64 == 0 &&
                            out_stride * sizeof(T) % 64 == 0 &&
                            rows * cols * static_cast<int64_t>(sizeof(T)) > (8 << 20);
  const int64_t whole_cols = cols - cols % N;
  for (int64_t stripe = 0; stripe < rows; stripe += kStripe) {
    const int64_t stripe_end = stripe + kStripe < rows ? stripe + kStripe : rows;
    const int64_t whole_rows = stripe + (stripe_end - stripe) / N * N;
    for (int64_t c = 0; c < whole_cols; c += N) {
      for (int64_t r = stripe; r < whole_rows; r += N) {
        Vector block[N];
#pragma GCC unroll 64
        for (int k = 0; k < N; ++k) {
          std::memcpy(&block[k], in + (c + k) * in_stride + r, sizeof(Vector));
        }
        turn<T, N>(block);
#pragma GCC unroll 64
        for (int k = 0; k < N; ++k) store(out + (r + k) * out_stride + c, block[k], around_cache);
      }
      if (whole_rows < stripe_end) {
        plain(out + whole_rows * out_stride + c, in + c * in_stride + whole_rows,
              stripe_end - whole_rows, int64_t{N}, out_stride, in_stride);
      }
    }
    if (whole_cols < cols) {
      plain(out + stripe * out_stride + whole_cols, in + whole_cols * in_stride + stripe,
            stripe_end - stripe, cols - whole_cols, out_stride, in_stride);
    }
  }
#if defined(__AVX512F__)
  if (around_cache) _mm_sfence();
#endif
}

template <class T>
void reverse(void* to, const void* from, int64_t count) {
  T* out = static_cast<T*>(to);
  const T* in = static_cast<const T*>(from);
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) out[i] = in[-i];
}

}  // namespace

const TransposeKernels& transpose_kernels() {
  static const TransposeKernels kernels{
      transpose<uint8_t>, transpose<uint16_t>, transpose<uint32_t>, transpose<uint64_t>,
      reverse<uint16_t>,  reverse<uint32_t>,   reverse<uint64_t>};
  return kernels;
}

}  // namespace ef::cpu::EF_ISA
