// Running an elementwise computation over many elements: threads and non-temporal stores.
#pragma once

#include <algorithm>
#include <cstdint>

#include "device/parallel.h"
#include "kernels/cpu/elementwise_loops.h"

namespace ef::cpu {

// Outputs larger than the caches are written with non-temporal stores, which do not read the memory
// first.
inline constexpr int64_t kStreamBytes = int64_t{16} << 20;
inline constexpr int64_t kBlockBytes = 4096;

// Of more elements than two such parts, no operation leaves all to one thread, however little it
// does with each: the next one, if it does more, would find half of them in the wrong cache.
inline constexpr int64_t kLargestGrain = 32'768;

inline const char* byte_at(const void* data, int64_t bytes) {
  return static_cast<const char*>(data) + bytes;
}
inline char* byte_at(void* data, int64_t bytes) { return static_cast<char*>(data) + bytes; }

// Calls compute(to, begin, count), which must write elements [begin, begin + count) to `to`, until
// all elements are in `out`.
template <class Compute>
void for_element_blocks(void* out, int64_t element_bytes, int64_t count, int64_t grain,
                        const Compute& compute) {
  grain = std::min(grain, kLargestGrain);
  auto* target = static_cast<char*>(out);
  if (count * element_bytes < kStreamBytes) {
    parallel_for(count, grain, [&](int64_t begin, int64_t end) {
      compute(target + begin * element_bytes, begin, end - begin);
    });
    return;
  }
  const ElementLoops& loops = element_loops();
  parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    alignas(64) char block[kBlockBytes];
    const auto misaligned =
        static_cast<int64_t>(reinterpret_cast<uintptr_t>(target + begin * element_bytes) % 64);
    const int64_t head = std::min((64 - misaligned) % 64 / element_bytes, end - begin);
    if (head > 0) compute(target + begin * element_bytes, begin, head);
    for (int64_t i = begin + head; i < end; i += kBlockBytes / element_bytes) {
      const int64_t size = std::min(kBlockBytes / element_bytes, end - i);
      compute(static_cast<void*>(block), i, size);
      loops.stream(target + i * element_bytes, block, size * element_bytes);
    }
    loops.stream_end();
  });
}

}  // namespace ef::cpu
