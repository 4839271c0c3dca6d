#include <algorithm>
#include <cstdlib>
#include <thread>

#include "device/openmp.h"
#include "device/parallel.h"

namespace ef {

bool openmp_works() { return false; }
void prepare_openmp_threads() {}
void set_openmp_threads(int) {}
bool in_openmp_region() { return false; }
void openmp_ran() {}
bool openmp_is_awake() { return false; }

int openmp_threads() {
  const char* const asked = std::getenv("OMP_NUM_THREADS");
  const int count = asked ? std::atoi(asked) : 0;
  return count > 0 ? count : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void run_on_openmp(int, void (*body)(void* state, int64_t thread, int64_t threads), void* state) {
  body(state, 0, 1);
}

}  // namespace ef
