// Releasing and acquiring Python's lock, also on threads that Python did not start.
#pragma once

#include <Python.h>

#include <cstddef>  // defines __GLIBCXX__ where it is GNU's

#if defined(__GLIBCXX__)
#include <cxxabi.h>
#include <unistd.h>
#endif

namespace ef::py {

// Runs `body`, which acquires Python's lock. During shutdown, Python before 3.14 ends threads that
// do so by unwinding their stacks, and noexcept functions of C++ would then abort the process. Such
// a thread waits here for the process to end. Other libraries than GNU's do not unwind stacks.
template <class Body>
auto surviving_shutdown(const Body& body) {
#if defined(__GLIBCXX__)
  try {
    return body();
  } catch (abi::__forced_unwind&) {
    for (;;) pause();
  }
#else
  return body();
#endif
}

inline void take_back(PyThreadState* state) {
  surviving_shutdown([&] { PyEval_RestoreThread(state); });
}

// During its lifetime, other Python threads may run. The thread must hold the lock.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  ~Unlocked() { take_back(state_); }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
};

// Holds the lock during its lifetime, on any thread; the thread may hold it already.
class Locked {
 public:
  Locked() : state_(surviving_shutdown(PyGILState_Ensure)) {}
  ~Locked() { PyGILState_Release(state_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  PyGILState_STATE state_;
};

}  // namespace ef::py
