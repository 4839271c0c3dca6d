// Square blocks of matrices, transposed in vector registers. For *.simd.cpp files only: every name
// lives in the namespace of one instruction set.
#pragma once

#include <cstdint>

namespace ef::cpu::EF_ISA {
namespace {

// N elements of T in a register, and N lane indices for a shuffle.
template <class T, int N>
struct Lanes {
  typedef T Vector __attribute__((vector_size(N * sizeof(T))));
};

// Exchanges the off-diagonal halves of every 2H x 2H block that two rows H apart run through.
template <int H, class T, int N>
inline void exchange(typename Lanes<T, N>::Vector (&row)[N]) {
  typename Lanes<T, N>::Vector first, second;
  for (int k = 0; k < N; ++k) {
    first[k] = static_cast<T>((k & H) ? N + k - H : k);
    second[k] = static_cast<T>((k & H) ? N + k : k + H);
  }
#pragma GCC unroll 64
  for (int i = 0; i < N; ++i) {
    if (i & H) continue;
    const auto a = row[i];
    const auto b = row[i + H];
    row[i] = __builtin_shuffle(a, b, first);
    row[i + H] = __builtin_shuffle(a, b, second);
  }
}

template <class T, int N>
inline void turn(typename Lanes<T, N>::Vector (&row)[N]) {
  if constexpr (N > 8) exchange<8, T, N>(row);
  if constexpr (N > 4) exchange<4, T, N>(row);
  if constexpr (N > 2) exchange<2, T, N>(row);
  exchange<1, T, N>(row);
}

}  // namespace
}  // namespace ef::cpu::EF_ISA
