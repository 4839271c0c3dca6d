// The caching allocator: freed blocks are kept by size and handed out again.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ef {

// Memory of at least `bytes` bytes, aligned to 64. Blocks up to kLargeBlock come from per-thread
// free lists; larger ones from an arena of huge pages that all threads share.
// Returns nullptr when the machine cannot provide that much.
void* pool_allocate(size_t bytes);
// Frees a block; `bytes` is the size that pool_allocate was called with.
void pool_deallocate(void* block, size_t bytes);

inline constexpr size_t kLargeBlock = size_t{1} << 20;

struct AllocatorStats {
  int64_t large_in_use = 0;  // bytes of large blocks handed out
  int64_t large_peak = 0;    // highest large_in_use so far
};
AllocatorStats allocator_stats();
void reset_allocator_peak();
// Whether a small block was ever asked for, which every tensor needs.
bool has_allocated();
// Calls `hook` whenever more than twice as much memory is in use as at the last reset_growth(),
// under the allocator's lock: it must neither allocate nor free tensors. Null: nobody is called.
void set_growth_hook(void (*hook)());
// What is in use now is what later growth is measured by.
void reset_growth();
// For tests: the allocation of this number fails, counted from 1 over all threads, and no other.
// Only allocations that no free list serves are counted; the calling thread's lists, and those that
// a thread would begin, stay empty until a number of 0. Returns how many of the last number were
// left.
int64_t fail_allocation(int64_t number);
// Returns the memory of free large blocks to the operating system.
void release_cached_memory();

}  // namespace ef
