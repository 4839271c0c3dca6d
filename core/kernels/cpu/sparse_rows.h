// What kernels of the indices of sparse tensors share: pieces of work, and the order of rows.
#pragma once

#include <algorithm>
#include <cstdint>

#include "device/parallel.h"

namespace ef::cpu {

inline constexpr int64_t kSparseGrain = 16'384;

// Into how many pieces so many elements are divided for threads.
inline int64_t pieces_of(int64_t count) {
  return std::max<int64_t>(1, std::min<int64_t>(max_threads(), count / kSparseGrain));
}

// Calls body(piece) for each piece; threads share them.
template <class Body>
void for_pieces(int64_t pieces, const Body& body) {
  parallel_for(pieces, 1, [&](int64_t begin, int64_t end) {
    for (int64_t piece = begin; piece < end; ++piece) body(piece);
  });
}

// The order of two rows of indices: negative, zero or positive.
inline int compare(const int64_t* a, const int64_t* b, int64_t rank) {
  for (int64_t k = 0; k < rank; ++k) {
    if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
  }
  return 0;
}

}  // namespace ef::cpu
