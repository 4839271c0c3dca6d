// Tells a fuzzer which code ran, in builds whose code is compiled with -fsanitize-coverage.
//
// GCC calls __sanitizer_cov_trace_pc at every edge, and libFuzzer wants counters: each edge counts
// in the slot that its address hashes to. The fuzzer takes both tables over when it starts
// (fuzz/engine.py); until then, comparisons are passed to nobody.
#include <cstddef>
#include <cstdint>

#define VISIBLE extern "C" __attribute__((visibility("default")))
#define UNCHECKED __attribute__((no_sanitize("address", "undefined", "thread")))

constexpr size_t kCounters = size_t{1} << 18;
VISIBLE uint8_t eagerflow_coverage_counters[kCounters] = {};
VISIBLE constexpr size_t eagerflow_coverage_size = kCounters;

extern "C" UNCHECKED void __sanitizer_cov_trace_pc() {
  const auto edge = reinterpret_cast<uintptr_t>(__builtin_return_address(0)) -
                    reinterpret_cast<uintptr_t>(eagerflow_coverage_counters);
  ++eagerflow_coverage_counters[static_cast<uint32_t>(edge * 0x9E3779B1u) >> 14];
}

// The handlers are called in tail position: libFuzzer tells comparisons apart by the address that
// its function returns to.
#define COMPARISON(name, type)                                             \
  VISIBLE void (*eagerflow_##name)(type, type) = nullptr;                  \
  extern "C" UNCHECKED void __sanitizer_cov_trace_##name(type a, type b) { \
    if (eagerflow_##name) eagerflow_##name(a, b);                          \
  }

COMPARISON(cmp1, uint8_t)
COMPARISON(cmp2, uint16_t)
COMPARISON(cmp4, uint32_t)
COMPARISON(cmp8, uint64_t)
COMPARISON(const_cmp1, uint8_t)
COMPARISON(const_cmp2, uint16_t)
COMPARISON(const_cmp4, uint32_t)
COMPARISON(const_cmp8, uint64_t)

VISIBLE void (*eagerflow_switch)(uint64_t, uint64_t*) = nullptr;
extern "C" UNCHECKED void __sanitizer_cov_trace_switch(uint64_t value, uint64_t* cases) {
  if (eagerflow_switch) eagerflow_switch(value, cases);
}

// Comparisons of floating-point numbers guide nothing.
extern "C" void __sanitizer_cov_trace_cmpf(float, float) {}
extern "C" void __sanitizer_cov_trace_cmpd(double, double) {}
