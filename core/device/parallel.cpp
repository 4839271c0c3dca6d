// The threads that help with parallel loops.
//
// OpenMP's threads wait for each other at the end of a loop, for milliseconds if another process
// occupies a processor; these loops end when the work is done.
#include "device/parallel.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <system_error>
#include <thread>
#include <utility>

#include "device/flush_subnormals.h"
#include "device/openmp.h"
#include "device/signals.h"
#include "platform/process.h"
#include "platform/quota.h"

namespace ef {
namespace {

std::atomic<int> limit{0};
thread_local bool busy_with_part = false;
thread_local Interruptible* innermost = nullptr;
constexpr std::chrono::milliseconds kBetweenChecks(50);

inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

using Time = std::chrono::steady_clock::time_point;
using Duration = std::chrono::steady_clock::duration;
inline Time now() { return std::chrono::steady_clock::now(); }

// A thread spins before it sleeps, for as long as it has just worked, so that waiting at most
// doubles its processor time. Waking a thread is slow, above all where a virtual machine has to get
// its processor back.
constexpr std::chrono::microseconds kLeastWait(100);
constexpr std::chrono::milliseconds kMostWait(5);

// Whether `ready` becomes true within a time. After kLeastWait it yields the processor to other
// threads in between.
template <class Ready>
bool wait_awake(Duration worked, const Ready& ready) {
  const Time start = now();
  const Duration longest = std::clamp<Duration>(worked, kLeastWait, kMostWait);
  for (;;) {
    for (int i = 0; i < 64; ++i) {
      if (ready()) return true;
      pause();
    }
    const Duration waited = now() - start;
    if (waited > longest) return false;
    if (waited > kLeastWait) std::this_thread::yield();
  }
}

// The exception of the first part that fails, for the thread that started the loop.
class Failure {
 public:
  bool noted() const { return noted_.load(std::memory_order_relaxed); }
  // Called in a catch block.
  void note() {
    if (!noted_.exchange(true)) exception_ = std::current_exception();
  }
  // The stored exception or null, after all parts are done.
  std::exception_ptr take() {
    noted_.store(false, std::memory_order_relaxed);
    return std::exchange(exception_, nullptr);
  }

 private:
  std::atomic<bool> noted_{false};
  std::exception_ptr exception_;  // written by the thread that sets noted_
};

void run_part(PartFn part, const void* body, int64_t begin, int64_t end) {
  struct Busy {
    Busy() { busy_with_part = true; }
    ~Busy() { busy_with_part = false; }
  } const busy;
  part(body, begin, end);
}

// The parts of a loop that one thread begins with, in a word: a count of loops, the end of the
// parts that are left, and the next one. A thread that takes a part may read the loop's data until
// the part is done.
class Share {
 public:
  void open(uint64_t loops, int64_t next, int64_t end) {
    word_.store(
        loops << 2 * kBits | static_cast<uint64_t>(end) << kBits | static_cast<uint64_t>(next),
        std::memory_order_release);
  }
  // The first part that is left for the thread itself, the last one for others, or -1.
  int64_t take(bool own) {
    uint64_t seen = word_.load(std::memory_order_acquire);
    for (;;) {
      const uint64_t next = seen & kMask, end = seen >> kBits & kMask;
      if (next >= end) return -1;
      const uint64_t rest = own ? seen + 1 : seen - (uint64_t{1} << kBits);
      if (word_.compare_exchange_weak(seen, rest, std::memory_order_acq_rel)) {
        return static_cast<int64_t>(own ? next : end - 1);
      }
    }
  }

 private:
  static constexpr int kBits = 16;
  static constexpr uint64_t kMask = (uint64_t{1} << kBits) - 1;
  alignas(64) std::atomic<uint64_t> word_{0};
};

constexpr int kMostThreads = 512;

class Pool {
 public:
  // Runs a loop; false if another thread's loop is running.
  bool run(int64_t count, int64_t parts, PartFn part, const void* body) {
    if (running_.exchange(true, std::memory_order_acquire)) return false;
    const int threads = std::min(max_threads(), kMostThreads);
    start(threads - 1);
    count_ = count;
    parts_ = parts;
    part_ = part;
    body_ = body;
    unfinished_.store(static_cast<int>(parts), std::memory_order_relaxed);
    untaken_.store(static_cast<int>(parts), std::memory_order_relaxed);
    // The same thread begins with the same part of every loop, so that it finds in its processor's
    // cache what it wrote in the loop before.
    const auto team = std::min<int64_t>(parts, threads);
    team_.store(static_cast<int>(team), std::memory_order_relaxed);
    const uint64_t loops = loops_.load(std::memory_order_relaxed) + 1;
    for (int64_t k = 0; k < team; ++k) {
      shares_[static_cast<size_t>(k)].open(loops, parts * k / team, parts * (k + 1) / team);
    }
    loops_.store(loops, std::memory_order_seq_cst);
    if (sleeping_.load(std::memory_order_seq_cst) > 0) {
      signal_.fetch_add(1, std::memory_order_seq_cst);
      signal_.notify_all();
    }
    const Time start = now();
    work(0);
    finish(now() - start);
    const std::exception_ptr failure = failure_.take();
    running_.store(false, std::memory_order_release);
    if (failure) std::rethrow_exception(failure);
    return true;
  }

 private:
  // Takes parts until none are left, those of other threads last.
  void work(int thread) {
    const int team = team_.load(std::memory_order_relaxed);
    for (int k = 0; k < team && untaken_.load(std::memory_order_relaxed) > 0; ++k) {
      const int owner = (thread + k) % team;
      Share& share = shares_[static_cast<size_t>(owner)];
      for (int64_t part; (part = share.take(owner == thread)) >= 0;) run(part, thread == 0);
    }
  }

  // After a failure parts are counted, not computed. Only the thread that started the loop checks
  // for interrupts.
  void run(int64_t index, bool started_here) {
    untaken_.fetch_sub(1, std::memory_order_relaxed);
    if (!failure_.noted()) {
      try {
        run_part(part_, body_, count_ * index / parts_, count_ * (index + 1) / parts_);
        if (started_here) check_interrupt();
      } catch (...) {
        failure_.note();
      }
    }
    if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) unfinished_.notify_one();
  }

  void finish(Duration worked) {
    const auto done = [&] { return unfinished_.load(std::memory_order_acquire) == 0; };
    if (done() || wait_awake(worked, done)) return;
    for (int left; (left = unfinished_.load(std::memory_order_acquire)) != 0;) {
      unfinished_.wait(left, std::memory_order_acquire);
    }
  }

  // If the system refuses new threads, loops use the existing ones.
  void start(int workers) {
    if (started_ >= workers || refused_) return;
    const BlockSignals from_the_start;  // signals are handled by the program's threads
    try {
      for (; started_ < workers; ++started_) {
        std::thread([this, index = started_] { serve(index); }).detach();
      }
    } catch (const std::system_error&) {
      refused_ = true;
    }
  }

  void serve(int index) {
    BlockSignals::for_good();
    FlushSubnormals::for_good();
    uint64_t known = 0;
    const auto wanted = [&] {
      return loops_.load(std::memory_order_seq_cst) != known && index < max_threads() - 1;
    };
    for (Duration worked{};;) {
      if (!wait_awake(worked, wanted)) {
        worked = {};
        const int seen = signal_.load(std::memory_order_seq_cst);
        sleeping_.fetch_add(1, std::memory_order_seq_cst);
        if (!wanted()) signal_.wait(seen, std::memory_order_seq_cst);
        sleeping_.fetch_sub(1, std::memory_order_seq_cst);
        continue;
      }
      known = loops_.load(std::memory_order_seq_cst);
      const Time start = now();
      work(index + 1);
      worked = now() - start;
    }
  }

  std::array<Share, kMostThreads> shares_;
  alignas(64) std::atomic<uint64_t> loops_{0};  // how many have begun
  alignas(64) std::atomic<int> untaken_{0};
  alignas(64) std::atomic<int> unfinished_{0};
  alignas(64) std::atomic<int> sleeping_{0};
  std::atomic<int> signal_{0};
  std::atomic<bool> running_{false};
  int started_ = 0;  // from here on, guarded by running_
  bool refused_ = false;
  std::atomic<int> team_{0};  // threads that have a share
  int64_t count_ = 0;
  int64_t parts_ = 0;
  PartFn part_ = nullptr;
  const void* body_ = nullptr;
  Failure failure_;
};

// Never destroyed: its threads run until the process ends.
std::atomic<Pool*> shared{nullptr};

// A child process has its parent's memory, but not its threads.
void forget_threads() { shared.store(nullptr, std::memory_order_relaxed); }
[[maybe_unused]] const int registered = platform::at_fork(nullptr, nullptr, forget_threads);

Pool& pool() {
  Pool* current = shared.load(std::memory_order_acquire);
  if (current) return *current;
  auto* fresh = new Pool;
  if (shared.compare_exchange_strong(current, fresh)) return *fresh;
  delete fresh;
  return *current;
}

// Runs a loop on OpenMP's threads.
void run_on_openmp(int threads, int64_t count, PartFn part, const void* body) {
  struct Loop {
    int64_t count;
    PartFn part;
    const void* body;
    Failure failure;
  } loop{count, part, body, {}};
  const auto run = [](void* state, int64_t thread, int64_t team) {
    auto& [count, part, body, failure] = *static_cast<Loop*>(state);
    const FlushSubnormals flush;
    try {
      part(body, count * thread / team, count * (thread + 1) / team);
    } catch (...) {
      failure.note();
    }
  };
  ef::run_on_openmp(threads, run, &loop);
  if (const std::exception_ptr failure = loop.failure.take()) std::rethrow_exception(failure);
}

}  // namespace

int default_threads() {
  static const int count = [] {
    const int all = openmp_threads();
    if (std::getenv("OMP_NUM_THREADS")) return all;
    const int few = std::min(all, platform::quota_processors());
    if (few < all) set_openmp_threads(few);
    return few;
  }();
  return count;
}

int max_threads() {
  const int chosen = limit.load(std::memory_order_relaxed);
  return chosen > 0 ? chosen : default_threads();
}

void set_max_threads(int count) {
  limit.store(count, std::memory_order_relaxed);
  if (count > 0) set_openmp_threads(count);
}

Interruptible::Interruptible(Check check, void* state)
    : outer_(std::exchange(innermost, this)), check_(check), state_(state) {
  if (check_) next_ = std::chrono::steady_clock::now() + kBetweenChecks;
}

Interruptible::~Interruptible() { innermost = outer_; }

bool interruptible() { return innermost && innermost->check_ && !busy_with_part; }

void check_interrupt() {
  Interruptible* const current = innermost;
  if (!current || !current->check_ || busy_with_part) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < current->next_) return;
  current->next_ = now + kBetweenChecks;
  // Signal handlers are user code.
  const KeepSubnormals keep;
  const Interruptible none(nullptr, nullptr);
  current->check_(current->state_);
}

bool loops_follow_closely() {
  thread_local Time last{};
  const Time before = std::exchange(last, now());
  return last - before < kLeastWait / 2;
}

bool in_parallel() { return busy_with_part || in_openmp_region(); }

void run_parts(int64_t count, int64_t pieces, PartFn part, const void* body) {
  const int threads = max_threads();
  const bool often = interruptible();
  if (!often && openmp_is_awake()) {
    return run_on_openmp(static_cast<int>(std::min<int64_t>(pieces, threads)), count, part, body);
  }
  constexpr int64_t kPartsPerThread = 4;
  constexpr int64_t kMostParts = 1 << 12;
  int64_t parts =
      std::min({pieces, kMostParts, (often ? 64 * kPartsPerThread : kPartsPerThread) * threads});
  if (parts > threads) parts -= parts % threads;
  if (threads > 1 && pool().run(count, parts, part, body)) return;
  if (!often) return part(body, 0, count);
  for (int64_t k = 0; k < parts; ++k) {
    part(body, count * k / parts, count * (k + 1) / parts);
    check_interrupt();
  }
}

}  // namespace ef
