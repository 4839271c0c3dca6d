// Splitting loops over threads.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <type_traits>

namespace ef {

// Threads a parallel loop may use.
int max_threads();
void set_max_threads(int count);

// Whether the calling thread is at work on a part of a parallel loop.
bool in_parallel();

// Lets loops that this thread starts while it lives be ended early: `check`, which may throw, is
// called with `state` now and then between their parts, of which there are more than usual. Not
// while a lock is held that `check` or another thread with Python's lock may wait for.
class Interruptible {
 public:
  using Check = void (*)(void*);
  // Null: loops run to their ends, also those of an enclosing Interruptible's.
  Interruptible(Check check, void* state);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  friend void check_interrupt();
  friend bool interruptible();
  Interruptible* outer_;
  Check check_;
  void* state_;
  std::chrono::steady_clock::time_point next_;
};

// Whether the loops that the calling thread starts can be ended early.
bool interruptible();

// Throws if the calling thread's kernel is to end. For kernels whose long loops are not these.
void check_interrupt();

// Tells that OpenMP's threads have just worked for a library. They keep their processors for a
// while, so that the loops that follow had better be theirs too.
void openmp_ran();

using PartFn = void (*)(const void* body, int64_t begin, int64_t end);

// Runs `part` for [0, count) in at most `pieces` contiguous parts. The calling thread takes one
// piece after the other, others join it as they get a processor, and nobody waits for a thread that
// has no piece.
void run_parts(int64_t count, int64_t pieces, PartFn part, const void* body);

// Calls body(begin, end) over [0, count) in contiguous pieces of at least `grain` items, in
// parallel when there is more than one piece. A parallel loop costs about a microsecond, and ten
// more when the other threads sleep: choose a grain worth at least ten. An exception that the body
// throws is thrown from here; other pieces may be left out then.
template <class Body>
void parallel_for(int64_t count, int64_t grain, const Body& body) {
  if (count <= 0) return;
  const int64_t pieces = count / std::max<int64_t>(grain, 1);
  if (pieces <= 1 || in_parallel() || (max_threads() == 1 && !interruptible())) {
    body(int64_t{0}, count);
    return;
  }
  run_parts(
      count, pieces,
      [](const void* function, int64_t begin, int64_t end) {
        (*static_cast<const Body*>(function))(begin, end);
      },
      &body);
}

// Calls body(i) for [0, count) in order on the calling thread, and asks for interrupts now and
// then.
template <class Body>
void serial_for(int64_t count, const Body& body) {
  constexpr int64_t kBetweenChecks = int64_t{1} << 20;
  for (int64_t i = 0; i < count;) {
    const int64_t end = std::min(i + kBetweenChecks, count);
    for (; i < end; ++i) body(i);
    if (i < count) check_interrupt();
  }
}

}  // namespace ef
