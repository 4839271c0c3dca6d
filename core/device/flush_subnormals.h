// Flushing of subnormals to zero while kernels run.
#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#elif defined(__aarch64__)
#include <cstdint>
#endif

namespace ef {

// During its lifetime, the calling thread's arithmetic treats subnormal floats as zero and returns
// zero instead of them, as TensorFlow's kernels do: on many processors an operation on a subnormal
// takes a hundred times as long. The thread's mode is restored afterwards, so that NumPy and other
// C libraries are not affected.
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

  // For threads that run only kernels.
  static void for_good() { set_mode(mode() | kFlush); }

 private:
  Mode before_;
};

// Restores the default mode of the calling thread during its lifetime: for Python code that is
// called while a kernel runs.
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
