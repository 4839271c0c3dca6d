// The number of threads.
#include "device/parallel.h"

#include <atomic>

namespace ef {
namespace {

std::atomic<int> limit{0};

}  // namespace

int max_threads() {
  const int chosen = limit.load(std::memory_order_relaxed);
  if (chosen > 0) return chosen;
  static const int available = omp_get_max_threads();
  return available;
}

void set_max_threads(int count) {
  limit.store(count, std::memory_order_relaxed);
  if (count > 0) omp_set_num_threads(count);
}

}  // namespace ef
