// Repeated elements and rows, as operands of broadcasts have them, written in whole vectors.
#include <cstdint>
#include <cstring>

#include "kernels/cpu/broadcast.h"
#include "kernels/cpu/turned_vectors.h"
#include "kernels/cpu/vector_math.h"

namespace ef::cpu::EF_ISA {
namespace {

template <class E>
constexpr int kWidth = EF_VECTOR_BYTES / static_cast<int>(sizeof(E));

template <class E>
constexpr bool kVectors = sizeof(E) <= 8;

inline int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }

// Writes stretches in whole vectors of so many elements, whose ends the next stretches overwrite.
template <int Width, class E>
EF_INLINE void write_stretches(E*& to, const E*& from, int64_t step, int64_t length, int64_t& count,
                               int64_t& total) {
  const int64_t whole = (length + Width - 1) / Width * Width;
  for (; total >= whole; from += step) {
    const auto value = typename Lanes<E, Width>::Vector{} + *from;
    for (int64_t i = 0; i < count; i += Width) std::memcpy(to + i, &value, sizeof value);
    to += count;
    total -= count;
    count = length;
  }
}

template <class E>
void repeat_each(void* out, const void* data, int64_t step, int64_t length, int64_t left,
                 int64_t total) {
  auto* to = static_cast<E*>(out);
  const auto* from = static_cast<const E*>(data);
  int64_t count = left;
  if constexpr (kVectors<E>) {
    constexpr int kNarrow = 16 / sizeof(E);
    if (length <= kNarrow) {
      write_stretches<kNarrow>(to, from, step, length, count, total);
    } else {
      write_stretches<kWidth<E>>(to, from, step, length, count, total);
    }
  }
  for (; total > 0; from += step) {
    const int64_t part = min(count, total);
    const E value = *from;
    for (int64_t i = 0; i < part; ++i) to[i] = value;
    to += part;
    total -= part;
    count = length;
  }
}

// The most vectors of a row that stay in registers.
constexpr int kMostVectors = 8;

// Writes a row of so many vectors, of which the last one may overlap the one before, until less
// than a row is missing.
template <int Vectors, class E>
EF_INLINE void write_rows(E*& to, const E* row, int64_t length, int64_t& total) {
  typename Lanes<E, kWidth<E>>::Vector part[Vectors];
  const auto at = [&](int k) { return k + 1 < Vectors ? k * kWidth<E> : length - kWidth<E>; };
#pragma GCC unroll 8
  for (int k = 0; k < Vectors; ++k) std::memcpy(&part[k], row + at(k), sizeof part[k]);
  for (; total >= length; to += length, total -= length) {
#pragma GCC unroll 8
    for (int k = 0; k < Vectors; ++k) std::memcpy(to + at(k), &part[k], sizeof part[k]);
  }
}

template <class E>
void write_rows(E*& to, const E* row, int64_t length, int64_t& total) {
  switch ((length + kWidth<E> - 1) / kWidth<E>) {
    case 1: return write_rows<1>(to, row, length, total);
    case 2: return write_rows<2>(to, row, length, total);
    case 3: return write_rows<3>(to, row, length, total);
    case 4: return write_rows<4>(to, row, length, total);
    case 5: return write_rows<5>(to, row, length, total);
    case 6: return write_rows<6>(to, row, length, total);
    case 7: return write_rows<7>(to, row, length, total);
    default: return write_rows<kMostVectors>(to, row, length, total);
  }
}

// The same for rows that fill no vector: a vector of as many rows as it has room for, whose end the
// next one overwrites.
template <class E>
void write_short_rows(E* to, const E* row, int64_t length, int64_t total) {
  E rows[kWidth<E>];
  for (int64_t i = 0, k = 0; i < min(kWidth<E>, total); ++i) {
    rows[i] = row[k];
    if (++k == length) k = 0;
  }
  if (total < kWidth<E>) {
    for (int64_t i = 0; i < total; ++i) to[i] = rows[i];
    return;
  }
  typename Lanes<E, kWidth<E>>::Vector part;
  std::memcpy(&part, rows, sizeof part);
  const int64_t filled = kWidth<E> / length * length;
  for (; total >= kWidth<E>; to += filled, total -= filled) std::memcpy(to, &part, sizeof part);
  for (int64_t i = 0; i < total; ++i) to[i] = rows[i];
}

template <class E>
void repeat_row(void* out, const void* data, int64_t length, int64_t first, int64_t total) {
  auto* to = static_cast<E*>(out);
  const auto* row = static_cast<const E*>(data);
  const auto copy = [&](const E* from, int64_t count) {
    std::memcpy(to, from, static_cast<size_t>(count) * sizeof(E));
    to += count;
    total -= count;
  };
  if (first > 0) copy(row + first, min(length - first, total));
  if constexpr (kVectors<E>) {
    if (length < kWidth<E>) return write_short_rows(to, row, length, total);
    if (length <= kMostVectors * kWidth<E>) write_rows(to, row, length, total);
  }
  while (total > 0) copy(row, min(length, total));
}

}  // namespace

const Expansions& expansions() {
  static const Expansions found{{repeat_each<uint8_t>, repeat_each<uint16_t>, repeat_each<uint32_t>,
                                 repeat_each<uint64_t>, repeat_each<SixteenBytes>},
                                {repeat_row<uint8_t>, repeat_row<uint16_t>, repeat_row<uint32_t>,
                                 repeat_row<uint64_t>, repeat_row<SixteenBytes>}};
  return found;
}

}  // namespace ef::cpu::EF_ISA
