#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

#include "device/flush_subnormals.h"
#include "device/openmp.h"
#include "device/parallel.h"
#include "device/signals.h"
#include "platform/process.h"

namespace ef {
namespace {

// Loops since OpenMP's threads worked for a library, up to the number that still use them.
constexpr int kLoopsAfterOpenmp = 32;
std::atomic<int> loops_since_openmp{kLoopsAfterOpenmp};
std::atomic<bool> openmp_used{false};  // in this process or the one that it was forked from
std::atomic<bool> openmp_lost{false};  // its threads exist in the parent process only

// In a child process, OpenMP would wait for its parent's threads, unless it is asked for one thread
// only.
void forget_threads() {
  if (!openmp_used.load(std::memory_order_relaxed)) return;
  openmp_lost.store(true, std::memory_order_relaxed);
  loops_since_openmp.store(kLoopsAfterOpenmp, std::memory_order_relaxed);
  omp_set_num_threads(1);
}
[[maybe_unused]] const int registered = platform::at_fork(nullptr, nullptr, forget_threads);

// Of the calling thread: the size of its team, and whether the system refused a larger one.
thread_local int prepared = 0;
thread_local bool refused = false;

// Whether the system can start so many threads at once.
bool threads_fit(int count) {
  std::atomic<bool> counted{false};
  std::vector<std::thread> threads;
  try {
    const BlockSignals from_the_start;
    threads.reserve(static_cast<size_t>(count));
    while (count-- > 0) threads.emplace_back([&] { counted.wait(false); });
  } catch (const std::exception&) {  // no memory or no threads
  }
  counted.store(true);
  counted.notify_all();
  for (std::thread& thread : threads) thread.join();
  return count < 0;
}

// OpenMP ends the process if it gets no threads, so they are tried first. While the system refuses
// them, the calling thread works with those that it has.
void prepare_team(int wanted) {
  if (!openmp_works()) return;
  if (refused) wanted = max_threads();
  refused = wanted > std::max(prepared, 1) && !threads_fit(wanted - std::max(prepared, 1));
  omp_set_num_threads(refused ? std::max(prepared, 1) : wanted);
  if (refused) return;
  prepared = wanted;
#pragma omp parallel num_threads(wanted)
  {
    FlushSubnormals::for_good();
    if (omp_get_thread_num() != 0) BlockSignals::for_good();
  }
}

}  // namespace

bool openmp_works() { return !openmp_lost.load(std::memory_order_relaxed); }

void prepare_openmp_threads() {
  const int wanted = omp_get_max_threads();
  if (wanted <= prepared && !refused) return;
  prepare_team(wanted);
}

int openmp_threads() { return omp_get_max_threads(); }

void set_openmp_threads(int count) {
  if (openmp_works()) omp_set_num_threads(count);
}

bool in_openmp_region() { return omp_in_parallel(); }

void openmp_ran() {
  if (!openmp_works()) return;
  openmp_used.store(true, std::memory_order_relaxed);
  loops_since_openmp.store(0, std::memory_order_relaxed);
}

bool openmp_is_awake() {
  const int since = loops_since_openmp.load(std::memory_order_relaxed);
  if (since >= kLoopsAfterOpenmp) return false;
  loops_since_openmp.store(since + 1, std::memory_order_relaxed);
  return true;
}

void run_on_openmp(int threads, void (*body)(void* state, int64_t thread, int64_t threads),
                   void* state) {
  if (threads > prepared) {
    prepare_openmp_threads();
    threads = std::clamp(prepared, 1, threads);
  }
#pragma omp parallel num_threads(threads)
  body(state, omp_get_thread_num(), omp_get_num_threads());
}

}  // namespace ef
