// Whether the threads of libraries that use OpenMP can be called upon.
#pragma once

namespace ef {

// False in a child process whose parent has used them: OpenMP would wait for threads that only the
// parent has.
bool openmp_works();

// Lets OpenMP's threads, which the calling thread shares its libraries' work with, take subnormal
// numbers for zero as the calling thread does.
void flush_openmp_subnormals();

}  // namespace ef
