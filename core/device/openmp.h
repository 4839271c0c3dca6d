// The OpenMP threads of libraries. openmp/used.cpp has them; openmp/absent.cpp is for compilers
// without OpenMP, and no library uses it there.
#pragma once

#include <cstdint>

namespace ef {

// False in a child process whose parent has used them: OpenMP would wait for threads that only the
// parent has.
bool openmp_works();

// Prepares OpenMP's threads, which libraries share the calling thread's work with: they take
// subnormal numbers for zero as the calling thread does, and no signals.
void prepare_openmp_threads();

// The number of threads that OMP_NUM_THREADS asks for, or that of processors. A loop's number is
// max_threads().
int openmp_threads();
void set_openmp_threads(int count);

// Whether the calling thread belongs to a region that runs on OpenMP's threads.
bool in_openmp_region();

// Whether the next loop should use OpenMP's threads, which spin for a while after they have worked
// for a library. Called for each loop.
bool openmp_is_awake();

// Calls body(state, thread, threads) on each of at most `threads` OpenMP threads.
void run_on_openmp(int threads, void (*body)(void* state, int64_t thread, int64_t threads),
                   void* state);

}  // namespace ef
