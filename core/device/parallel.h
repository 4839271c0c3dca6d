// Splitting loops over the OpenMP threads that oneDNN uses too.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>

namespace ef {

// Threads a parallel loop may use.
int max_threads();
void set_max_threads(int count);

// Calls body(begin, end) over [0, count) in contiguous pieces of at least `grain` items, in
// parallel when there is more than one piece. A parallel region costs one to two microseconds:
// choose a grain worth at least ten. The body must not throw.
template <class Body>
void parallel_for(int64_t count, int64_t grain, const Body& body) {
  if (count <= 0) return;
  const int64_t pieces = std::min<int64_t>(max_threads(), count / std::max<int64_t>(grain, 1));
  if (pieces <= 1 || omp_in_parallel()) {
    body(int64_t{0}, count);
    return;
  }
#pragma omp parallel num_threads(static_cast<int>(pieces))
  {
    const int64_t threads = omp_get_num_threads();
    const int64_t thread = omp_get_thread_num();
    const int64_t begin = count * thread / threads;
    const int64_t end = count * (thread + 1) / threads;
    if (begin < end) body(begin, end);
  }
}

}  // namespace ef
