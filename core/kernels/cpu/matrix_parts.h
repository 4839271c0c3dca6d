// How work on batches of matrices is divided among threads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "device/parallel.h"
#include "tensor/dtype.h"

namespace ef::cpu {

// The least number of multiplications for a thread.
inline constexpr int64_t kSystemGrain = 65'536;

// Calls body with a float or a double.
template <class Body>
void on_type(DType dtype, const Body& body) {
  dtype == DType::kFloat32 ? body(float{}) : body(double{});
}

// Calls body(first column, columns) for parts of `k` columns that each take `cost`, on several
// threads if there are many.
template <class Body>
void for_columns(int64_t k, int64_t cost, const Body& body) {
  constexpr int64_t kLeastColumns = 48;
  parallel_for(k, std::max(kLeastColumns, 4 * kSystemGrain / std::max<int64_t>(cost, 1)),
               [&](int64_t begin, int64_t end) { body(begin, end - begin); });
}

// Calls body(index) for each of `count` matrices that take this many multiplications.
template <class Body>
void for_matrices(int64_t count, int64_t cost, const Body& body) {
  if (count == 1) return body(int64_t{0});
  parallel_for(count, kSystemGrain / std::max<int64_t>(cost, 1) + 1,
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) body(i);
               });
}

}  // namespace ef::cpu
