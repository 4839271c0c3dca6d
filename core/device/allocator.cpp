// Size-class free lists for small blocks, a best-fit cache of mapped blocks for large ones.
#include "device/allocator.h"

#include <sys/mman.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <map>
#include <mutex>

namespace ef {
namespace {

// Sixteen classes of 64 bytes each, then four per doubling up to kLargeBlock.
constexpr size_t kStep = 64;
constexpr size_t kFineLimit = 1024;
constexpr int kFineClasses = 16;
constexpr int kClasses = kFineClasses + 4 * 10 + 1;

int class_of(size_t bytes) {
  if (bytes <= kFineLimit) return static_cast<int>((bytes + kStep - 1) / kStep);
  const int log = std::bit_width(bytes - 1) - 1;  // bytes lies in (2^log, 2^(log+1)]
  const size_t quarter = size_t{1} << (log - 2);
  const size_t steps = (bytes - (size_t{1} << log) + quarter - 1) / quarter;
  return kFineClasses + (log - 10) * 4 + static_cast<int>(steps);
}

size_t class_bytes(int size_class) {
  if (size_class <= kFineClasses) return std::max<size_t>(size_class, 1) * kStep;
  const int steps = size_class - kFineClasses - 1;
  const size_t base = size_t{1} << (10 + steps / 4);
  return base + base / 4 * (steps % 4 + 1);
}

struct FreeBlock {
  FreeBlock* next;
};

struct FreeList {
  FreeBlock* head = nullptr;
  uint32_t count = 0;
};

// Free lists of one thread. A plain aggregate, so that access needs no initialisation check.
struct ThreadCache {
  std::array<FreeList, kClasses> lists;
  bool closed = false;
};

constinit thread_local ThreadCache cache{};

// Frees a thread's lists when it ends; later deallocations on it go straight to free().
struct CacheCloser {
  ~CacheCloser() {
    cache.closed = true;
    for (FreeList& list : cache.lists) {
      while (FreeBlock* block = list.head) {
        list.head = block->next;
        std::free(block);
      }
      list.count = 0;
    }
  }
};

uint32_t list_limit(int size_class) {
  return static_cast<uint32_t>(
      std::clamp<size_t>((size_t{4} << 20) / class_bytes(size_class), 16, 4096));
}

class LargeBlocks {
 public:
  void* allocate(size_t bytes) {
    const size_t capacity = round_up(bytes);
    {
      const std::lock_guard lock(mutex_);
      const auto found = free_.lower_bound(capacity);
      if (found != free_.end() && found->first <= capacity + capacity / 8) {
        void* block = found->second;
        const size_t size = found->first;
        free_.erase(found);
        stats_.large_cached -= static_cast<int64_t>(size);
        take(block, size);
        return block;
      }
    }
    if (capacity > physical_memory()) return nullptr;
    trim_for(capacity);
    void* block = map(capacity);
    if (!block) {
      release_all();
      block = map(capacity);
      if (!block) return nullptr;
    }
    const std::lock_guard lock(mutex_);
    take(block, capacity);
    return block;
  }

  void deallocate(void* block) {
    const std::lock_guard lock(mutex_);
    const auto found = sizes_.find(block);
    const size_t size = found->second;
    sizes_.erase(found);
    stats_.large_in_use -= static_cast<int64_t>(size);
    stats_.large_cached += static_cast<int64_t>(size);
    free_.emplace(size, block);
  }

  void release_all() {
    const std::lock_guard lock(mutex_);
    for (const auto& [size, block] : free_) munmap(block, size);
    free_.clear();
    stats_.large_cached = 0;
  }

  AllocatorStats stats() {
    const std::lock_guard lock(mutex_);
    return stats_;
  }

  void reset_peak() {
    const std::lock_guard lock(mutex_);
    stats_.large_peak = stats_.large_in_use;
  }

 private:
  static constexpr size_t kHugePage = size_t{2} << 20;

  static size_t round_up(size_t bytes) {
    const size_t unit = size_t{64} << 10;
    return (bytes + unit - 1) / unit * unit;
  }

  static size_t physical_memory() {
    static const size_t total = [] {
      struct sysinfo info;
      if (sysinfo(&info) != 0) return ~size_t{0};
      return static_cast<size_t>(info.totalram) * info.mem_unit;
    }();
    return total;
  }

  static void* map(size_t bytes) {
    // Over-map, then cut to a huge-page boundary, so that the kernel can use huge pages at once.
    const size_t span = bytes + kHugePage;
    void* raw = mmap(nullptr, span, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw == MAP_FAILED) return nullptr;
    const auto start = reinterpret_cast<uintptr_t>(raw);
    const uintptr_t aligned = (start + kHugePage - 1) / kHugePage * kHugePage;
    if (aligned > start) munmap(raw, aligned - start);
    const uintptr_t end = start + span;
    if (end > aligned + bytes) {
      munmap(reinterpret_cast<void*>(aligned + bytes), end - aligned - bytes);
    }
    void* block = reinterpret_cast<void*>(aligned);
    madvise(block, bytes, MADV_HUGEPAGE);
    return block;
  }

  void take(void* block, size_t size) {
    sizes_[block] = size;
    stats_.large_in_use += static_cast<int64_t>(size);
    stats_.large_peak = std::max(stats_.large_peak, stats_.large_in_use);
  }

  // Keeps what is mapped within a quarter above the program's own peak.
  void trim_for(size_t capacity) {
    const std::lock_guard lock(mutex_);
    const int64_t wanted = stats_.large_in_use + static_cast<int64_t>(capacity);
    const int64_t limit = std::max(stats_.large_peak, wanted);
    const int64_t allowed = limit + limit / 4 + (int64_t{32} << 20) - wanted;
    while (stats_.large_cached > allowed && !free_.empty()) {
      const auto largest = std::prev(free_.end());
      munmap(largest->second, largest->first);
      stats_.large_cached -= static_cast<int64_t>(largest->first);
      free_.erase(largest);
    }
  }

  std::mutex mutex_;
  std::multimap<size_t, void*> free_;
  std::map<void*, size_t> sizes_;
  AllocatorStats stats_;
};

// Never destroyed: tensors may outlive static destruction.
LargeBlocks& large_blocks() {
  static LargeBlocks* const blocks = new LargeBlocks;
  return *blocks;
}

#ifdef EAGERFLOW_SANITIZE
constexpr bool kCached = false;  // let the sanitizer see every block's real lifetime
#else
constexpr bool kCached = true;
#endif

}  // namespace

void* pool_allocate(size_t bytes) {
  if (bytes > kLargeBlock) return large_blocks().allocate(bytes);
  const int size_class = class_of(bytes);
  FreeList& list = cache.lists[size_class];
  if (FreeBlock* block = list.head) {
    list.head = block->next;
    --list.count;
    return block;
  }
  return std::aligned_alloc(kStep, class_bytes(size_class));
}

void pool_deallocate(void* block, size_t bytes) {
  if (bytes > kLargeBlock) return large_blocks().deallocate(block);
  const int size_class = class_of(bytes);
  FreeList& list = cache.lists[size_class];
  if (!kCached || cache.closed || list.count >= list_limit(size_class)) {
    std::free(block);
    return;
  }
  if (list.head == nullptr) thread_local const CacheCloser closer;
  auto* node = static_cast<FreeBlock*>(block);
  node->next = list.head;
  list.head = node;
  ++list.count;
}

AllocatorStats allocator_stats() { return large_blocks().stats(); }
void reset_allocator_peak() { large_blocks().reset_peak(); }
void release_cached_memory() { large_blocks().release_all(); }

}  // namespace ef
