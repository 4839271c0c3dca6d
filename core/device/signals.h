// Keeping signals away from code that they would break.
#pragma once

#include <signal.h>

#include <utility>

namespace ef {

// While it lives, handlers of signals do not run on the calling thread; what arrives meanwhile is
// handled afterwards. Two system calls, or none on a thread that never takes signals.
//
// oneDNN's matrix products use the stack pointer for addresses on the heap
// (github.com/uxlfoundation/oneDNN/issues/4845): a handler would write its frame there.
//
// Windows runs handlers on threads of their own: there is nothing to block.
class BlockSignals {
 public:
#if defined(_WIN32)
  BlockSignals() {}
  static void for_good() {}
  BlockSignals(const BlockSignals&) = delete;
  BlockSignals& operator=(const BlockSignals&) = delete;
#else
  BlockSignals() : outermost_(!std::exchange(blocked, true)) {
    if (!outermost_) return;
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockSignals() {
    if (!outermost_) return;
    blocked = false;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  BlockSignals(const BlockSignals&) = delete;
  BlockSignals& operator=(const BlockSignals&) = delete;

  // For threads that work for others only.
  static void for_good() {
    if (std::exchange(blocked, true)) return;
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
  }

 private:
  static inline thread_local bool blocked = false;
  const bool outermost_;
  sigset_t before_;
#endif
};

}  // namespace ef
