// Splitting loops over threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace ef {

// Threads a parallel loop may use.
int max_threads();
void set_max_threads(int count);

// Whether the calling thread is at work on a part of a parallel loop.
bool in_parallel();

// Tells that OpenMP's threads have just worked for a library. They keep their processors for a
// while, so that the loops that follow had better be theirs too.
void openmp_ran();

using PartFn = void (*)(const void* body, int64_t begin, int64_t end);

// Runs `part` for `parts` pieces of [0, count). The calling thread takes one piece after the other,
// others join it as they get a processor, and nobody waits for a thread that has no piece.
void run_parts(int64_t count, int64_t parts, PartFn part, const void* body);

// Calls body(begin, end) over [0, count) in contiguous pieces of at least `grain` items, in
// parallel when there is more than one piece. A parallel loop costs about a microsecond, and ten
// more when the other threads sleep: choose a grain worth at least ten. The body must not throw.
template <class Body>
void parallel_for(int64_t count, int64_t grain, const Body& body) {
  if (count <= 0) return;
  constexpr int64_t kPartsPerThread = 4;
  const int64_t pieces = count / std::max<int64_t>(grain, 1);
  if (pieces <= 1 || max_threads() == 1 || in_parallel()) {
    body(int64_t{0}, count);
    return;
  }
  run_parts(
      count, std::min<int64_t>(pieces, kPartsPerThread * max_threads()),
      [](const void* function, int64_t begin, int64_t end) {
        (*static_cast<const Body*>(function))(begin, end);
      },
      &body);
}

}  // namespace ef
