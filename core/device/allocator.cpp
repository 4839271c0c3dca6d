// Size-class free lists for small blocks, best fit in mapped regions for large ones.
#include "device/allocator.h"

#include <sys/mman.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <utility>

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

// Blocks cut from mapped regions. A free block is split for a smaller request and grows together
// again with its free neighbours, so that layers of different sizes share memory.
class LargeBlocks {
 public:
  void* allocate(size_t bytes) {
    const size_t size = round_up(bytes, kUnit);
    {
      const std::lock_guard lock(mutex_);
      if (void* block = take_free(size)) return block;
    }
    if (size > physical_memory()) return nullptr;
    // Regions that are free but too small make room for one from which both sizes can be cut.
    release_all();
    const size_t region = round_up(size, kHugePage);
    std::byte* const start = map(region);
    if (!start) return nullptr;
    const std::lock_guard lock(mutex_);
    blocks_[start] = {region, true, true};
    free_.emplace(region, start);
    stats_.large_cached += static_cast<int64_t>(region);
    return take_free(size);
  }

  void deallocate(void* address) {
    const std::lock_guard lock(mutex_);
    auto block = blocks_.find(static_cast<std::byte*>(address));
    stats_.large_in_use -= static_cast<int64_t>(block->second.size);
    stats_.large_cached += static_cast<int64_t>(block->second.size);
    block->second.free = true;
    const auto next = std::next(block);
    if (next != blocks_.end() && next->second.free && !next->second.starts_region) {
      free_.erase({next->second.size, next->first});
      block->second.size += next->second.size;
      blocks_.erase(next);
    }
    if (!block->second.starts_region) {
      const auto previous = std::prev(block);
      if (previous->second.free) {
        free_.erase({previous->second.size, previous->first});
        previous->second.size += block->second.size;
        blocks_.erase(block);
        block = previous;
      }
    }
    free_.emplace(block->second.size, block->first);
  }

  // Unmaps the regions that are wholly free.
  void release_all() {
    const std::lock_guard lock(mutex_);
    for (auto it = free_.begin(); it != free_.end();) {
      const auto block = blocks_.find(it->second);
      const auto next = std::next(block);
      const bool whole =
          block->second.starts_region && (next == blocks_.end() || next->second.starts_region);
      if (!whole) {
        ++it;
        continue;
      }
      munmap(block->first, block->second.size);
      stats_.large_cached -= static_cast<int64_t>(block->second.size);
      blocks_.erase(block);
      it = free_.erase(it);
    }
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
  struct Block {
    size_t size = 0;
    bool free = false;
    bool starts_region = false;
  };
  using Blocks = std::map<std::byte*, Block>;  // by address: neighbours are next to each other

  static constexpr size_t kHugePage = size_t{2} << 20;
  static constexpr size_t kUnit = size_t{64} << 10;

  static size_t round_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

  static size_t physical_memory() {
    static const size_t total = [] {
      struct sysinfo info;
      if (sysinfo(&info) != 0) return ~size_t{0};
      return static_cast<size_t>(info.totalram) * info.mem_unit;
    }();
    return total;
  }

  static std::byte* map(size_t bytes) {
    // Over-map, then cut to a huge-page boundary, so that the kernel can use huge pages at once.
    const size_t span = bytes + kHugePage;
    void* raw = mmap(nullptr, span, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw == MAP_FAILED) return nullptr;
    const auto start = reinterpret_cast<uintptr_t>(raw);
    const uintptr_t aligned = round_up(start, kHugePage);
    if (aligned > start) munmap(raw, aligned - start);
    const uintptr_t end = start + span;
    if (end > aligned + bytes) {
      munmap(reinterpret_cast<void*>(aligned + bytes), end - aligned - bytes);
    }
    auto* region = reinterpret_cast<std::byte*>(aligned);
    madvise(region, bytes, MADV_HUGEPAGE);
    return region;
  }

  // The smallest free block that is large enough, cut to size; nullptr if there is none.
  void* take_free(size_t size) {
    const auto found = free_.lower_bound({size, nullptr});
    if (found == free_.end()) return nullptr;
    const auto block = blocks_.find(found->second);
    free_.erase(found);
    stats_.large_cached -= static_cast<int64_t>(block->second.size);
    if (const size_t rest = block->second.size - size; rest > 0) {
      std::byte* const address = block->first + size;
      blocks_.emplace_hint(std::next(block), address, Block{rest, true, false});
      free_.emplace(rest, address);
      stats_.large_cached += static_cast<int64_t>(rest);
      block->second.size = size;
    }
    block->second.free = false;
    stats_.large_in_use += static_cast<int64_t>(size);
    stats_.large_peak = std::max(stats_.large_peak, stats_.large_in_use);
    return block->first;
  }

  std::mutex mutex_;
  Blocks blocks_;
  std::set<std::pair<size_t, std::byte*>> free_;
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
