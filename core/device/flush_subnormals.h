// Subnormal numbers count as zero while kernels run.
#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#elif defined(__aarch64__)
#include <cstdint>
#endif

namespace ef {

// While it lives, the calling thread's arithmetic takes subnormal floats for zero and gives zero in
// place of them, as TensorFlow's kernels do: on many processors an operation on a subnormal number
// takes a hundred times as long as one on another number. The thread's own mode comes back
// afterwards, so that NumPy and the program's C libraries do not notice.
class FlushSubnormals {
 public:
  FlushSubnormals() : before_(mode()) {
    if ((before_ & kFlush) != kFlush) set_mode(before_ | kFlush);
  }
  ~FlushSubnormals() {
    if ((before_ & kFlush) != kFlush) set_mode(before_);
  }
  FlushSubnormals(const FlushSubnormals&) = delete;
  FlushSubnormals& operator=(const FlushSubnormals&) = delete;

#if defined(__SSE2__)
  using Mode = unsigned;
  static constexpr Mode kFlush = 0x8040;  // flush to zero, denormals are zero
  static Mode mode() { return _mm_getcsr(); }
  static void set_mode(Mode mode) { _mm_setcsr(mode); }
#elif defined(__aarch64__)
  using Mode = uint64_t;
  static constexpr Mode kFlush = Mode{1} << 24;  // FPCR.FZ covers inputs and results
  static Mode mode() {
    Mode value;
    asm volatile("mrs %0, fpcr" : "=r"(value));
    return value;
  }
  static void set_mode(Mode mode) { asm volatile("msr fpcr, %0" : : "r"(mode)); }
#else
  using Mode = unsigned;
  static constexpr Mode kFlush = 0;
  static Mode mode() { return 0; }
  static void set_mode(Mode) {}
#endif

  // For threads that run nothing but kernels.
  static void for_good() { set_mode(mode() | kFlush); }

 private:
  Mode before_;
};

// Gives the calling thread the usual mode while it lives: for a program's code that is called while
// a kernel runs.
class KeepSubnormals {
 public:
  KeepSubnormals() : before_(FlushSubnormals::mode()) {
    FlushSubnormals::set_mode(before_ & ~FlushSubnormals::kFlush);
  }
  ~KeepSubnormals() { FlushSubnormals::set_mode(before_); }
  KeepSubnormals(const KeepSubnormals&) = delete;
  KeepSubnormals& operator=(const KeepSubnormals&) = delete;

 private:
  FlushSubnormals::Mode before_;
};

}  // namespace ef
