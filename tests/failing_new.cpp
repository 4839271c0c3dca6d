// Replaces C++'s operator new, when preloaded, by one that fails once; see allocation_faults.py.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {
std::atomic<int64_t> until_fault{0};
}

extern "C" int64_t fail_new(int64_t number) { return until_fault.exchange(number); }

void* operator new(size_t bytes) {
  const bool fails = until_fault.load() > 0 && until_fault.fetch_sub(1) == 1;
  void* const memory = fails ? nullptr : std::malloc(bytes ? bytes : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
