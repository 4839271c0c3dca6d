// The OpenMP threads of libraries.
#pragma once

namespace ef {

// False in a child process whose parent has used them: OpenMP would wait for threads that only the
// parent has.
bool openmp_works();

// Prepares OpenMP's threads, which libraries share the calling thread's work with: they take
// subnormal numbers for zero as the calling thread does, and no signals.
void prepare_openmp_threads();

}  // namespace ef
