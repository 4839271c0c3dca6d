// Square blocks of matrices, transposed in vector registers. For *.simd.cpp files only: every name
// lives in the namespace of one instruction set.
#pragma once

#include <cstdint>
#include <utility>

namespace ef::cpu::EF_ISA {
namespace {

// N elements of T in a register.
template <class T, int N>
struct Lanes {
  typedef T Vector __attribute__((vector_size(N * sizeof(T))));
};

// Exchanges the off-diagonal halves of every 2H x 2H block that two rows H apart run through.
template <int H, class T, int N, int... k>
inline void exchange(typename Lanes<T, N>::Vector (&row)[N], std::integer_sequence<int, k...>) {
#pragma GCC unroll 64
  for (int i = 0; i < N; ++i) {
    if (i & H) continue;
    const auto a = row[i];
    const auto b = row[i + H];
    row[i] = __builtin_shufflevector(a, b, ((k & H) ? N + k - H : k)...);
    row[i + H] = __builtin_shufflevector(a, b, ((k & H) ? N + k : k + H)...);
  }
}

template <class T, int N>
inline void turn(typename Lanes<T, N>::Vector (&row)[N]) {
  constexpr std::make_integer_sequence<int, N> lanes{};
  if constexpr (N > 8) exchange<8, T, N>(row, lanes);
  if constexpr (N > 4) exchange<4, T, N>(row, lanes);
  if constexpr (N > 2) exchange<2, T, N>(row, lanes);
  exchange<1, T, N>(row, lanes);
}

}  // namespace
}  // namespace ef::cpu::EF_ISA
