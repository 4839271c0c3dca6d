// Splitting loops over threads.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <type_traits>

namespace ef {

// The number of threads that a program starts with: OMP_NUM_THREADS, or that of the processors that
// the system and the quota on processor time allow.
int default_threads();
// The largest number of threads of a parallel loop.
int max_threads();
void set_max_threads(int count);

// Whether the calling thread runs a part of a parallel loop.
bool in_parallel();

// Makes the loops that this thread starts during its lifetime interruptible: `check`, which may
// throw, is called with `state` from time to time between their parts, of which there are more than
// usual. Not to be used while a lock is held that `check` or another thread with Python's lock may
// wait for.
class Interruptible {
 public:
  using Check = void (*)(void*);
  // Null: loops are not interruptible, also within an enclosing Interruptible.
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

// Whether the loops that the calling thread starts are interruptible.
bool interruptible();

// Throws if the calling thread's kernel is interrupted. For kernels with other long loops.
void check_interrupt();

// Announces that OpenMP's threads have just worked for a library. They keep spinning for a while,
// so that the next loops should use them, too.
void openmp_ran();

// Whether the calling thread asked this less than 50 microseconds ago. Loops that ask before they
// are shared keep the other threads awake where that is so, and may share less work than others.
bool loops_follow_closely();

using PartFn = void (*)(const void* body, int64_t begin, int64_t end);

// Runs `part` for [0, count) in at most `pieces` contiguous parts. The calling thread takes one
// piece after the other, others join when they get a processor, and no thread waits for one without
// a piece.
void run_parts(int64_t count, int64_t pieces, PartFn part, const void* body);

// Calls body(begin, end) over [0, count) in contiguous pieces of at least `grain` items, in
// parallel when there is more than one piece. A parallel loop costs about a microsecond, and ten
// more when the other threads sleep: choose a grain worth at least ten. An exception of the body is
// rethrown; other pieces may be skipped then.
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

// Calls body(i) for [0, count) in order on the calling thread, and checks for interrupts from time
// to time.
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
