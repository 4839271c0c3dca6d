// Whether the threads of libraries that use OpenMP can be called upon.
#pragma once

namespace ef {

// False in a child process whose parent has used them: OpenMP would wait for threads that only the
// parent has.
bool openmp_works();

}  // namespace ef
