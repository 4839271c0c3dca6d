// Size-class free lists for blocks up to kLargeBlock. Blocks from kArenaBlock on are cut from an
// arena.
#include "device/allocator.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "platform/memory.h"
#include "platform/process.h"

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

// From this size on, blocks come from an arena, since malloc would leave holes between them, and
// free lists are shorter, since long ones would keep much memory.
constexpr size_t kArenaBlock = size_t{64} << 10;

uint32_t list_limit(size_t block_bytes) {
  if (block_bytes >= kArenaBlock) return static_cast<uint32_t>(kLargeBlock / block_bytes);
  return static_cast<uint32_t>(std::min<size_t>((size_t{4} << 20) / block_bytes, 4096));
}

// The growth hook is not called while less memory than this is in use.
constexpr size_t kSmallMemory = size_t{64} << 20;

// Blocks cut from one arena that grows at its end. A free block is split for a smaller request and
// merged again with its free neighbours, so that layers of all sizes share memory.
class Arena {
 public:
  // Blocks that are not `counted` are excluded from the statistics.
  void* allocate(size_t bytes, bool counted) {
    if (bytes > physical_memory()) return nullptr;
    const size_t size = round_up(bytes, kUnit);
    const std::lock_guard lock(mutex_);
    if (void* block = take_free(size, counted)) return block;
    if (!extend(size)) return nullptr;
    return take_free(size, counted);
  }

  void deallocate(void* address) {
    const std::lock_guard lock(mutex_);
    auto block = blocks_.find(static_cast<std::byte*>(address));
    in_use_ -= block->second.size;
    if (block->second.counted) stats_.large_in_use -= static_cast<int64_t>(block->second.size);
    free_bytes_ += block->second.size;
    block->second.free = true;
    const auto next = std::next(block);
    if (next != blocks_.end() && next->second.free) absorb_next(block);
    if (block != blocks_.begin() && std::prev(block)->second.free) {
      block = std::prev(block);
      free_.erase({block->second.size, block->first});
      block->second.size += std::next(block)->second.size;
      blocks_.erase(std::next(block));
    }
    free_.emplace(block->second.size, block->first);
  }

  // A child process inherits consistent blocks and an unlocked lock.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

  // Returns the memory of free blocks to the system; their addresses stay reserved.
  void release_free() {
    const std::lock_guard lock(mutex_);
    release();
  }

  AllocatorStats stats() {
    const std::lock_guard lock(mutex_);
    return stats_;
  }

  void reset_peak() {
    const std::lock_guard lock(mutex_);
    stats_.large_peak = stats_.large_in_use;
  }

  void set_growth_hook(void (*hook)()) {
    const std::lock_guard lock(mutex_);
    growth_hook_ = hook;
  }

  void reset_growth() {
    const std::lock_guard lock(mutex_);
    growth_limit_ = std::max(kSmallMemory, 2 * in_use_);
  }

 private:
  struct Block {
    size_t size = 0;
    bool free = false;
    bool counted = false;
  };
  using Blocks = std::map<std::byte*, Block>;  // by address, without gaps

  static constexpr size_t kHugePage = size_t{2} << 20;
  static constexpr size_t kUnit = size_t{16} << 10;

  static size_t round_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

  static size_t physical_memory() {
    static const size_t total = platform::physical_memory();
    return total;
  }

  // Reserves addresses, not memory: twice the size of physical memory, or as much as is allowed.
  bool reserve() {
    for (size_t span = 2 * round_up(physical_memory(), kHugePage); span > kHugePage; span /= 2) {
      void* raw = platform::reserve(span);
      if (!raw) continue;
      const auto start = reinterpret_cast<uintptr_t>(raw);
      end_ = reinterpret_cast<std::byte*>(round_up(start, kHugePage));
      limit_ = reinterpret_cast<std::byte*>(start + span);
      return true;
    }
    return false;
  }

  // Grows the arena so that its last block is free and has at least `size` bytes.
  bool extend(size_t size) {
    if (!end_ && !reserve()) return false;
    const auto last = blocks_.empty() ? blocks_.end() : std::prev(blocks_.end());
    const size_t there = last != blocks_.end() && last->second.free ? last->second.size : 0;
    const size_t more = round_up(size - there, kHugePage);
    if (more > static_cast<size_t>(limit_ - end_)) return false;
    // No free block fits, so all are idle: beyond a quarter of the memory in use, their memory is
    // released.
    if (free_bytes_ > in_use_ / 4 + (size_t{32} << 20)) release();
    if (!platform::commit(end_, more)) return false;
    if (there > 0) {
      free_.erase({there, last->first});
      last->second.size += more;
      free_.emplace(last->second.size, last->first);
    } else {
      blocks_.emplace_hint(blocks_.end(), end_, Block{.size = more, .free = true});
      free_.emplace(more, end_);
    }
    free_bytes_ += more;
    end_ += more;
    return true;
  }

  // The lowest of the 64 smallest free blocks that fit, cut to size; nullptr if there is none.
  // Long-lived blocks gather at the front like this, and free blocks behind stay large.
  void* take_free(size_t size, bool counted) {
    auto best = free_.lower_bound({size, nullptr});
    if (best == free_.end()) return nullptr;
    int candidates = 64;
    for (auto other = best; other != free_.end() && candidates-- > 0; ++other) {
      if (other->second < best->second) best = other;
    }
    const auto block = blocks_.find(best->second);
    free_.erase(best);
    if (const size_t rest = block->second.size - size; rest > 0) {
      std::byte* const address = block->first + size;
      blocks_.emplace_hint(std::next(block), address, Block{.size = rest, .free = true});
      free_.emplace(rest, address);
      block->second.size = size;
    }
    block->second.free = false;
    block->second.counted = counted;
    free_bytes_ -= size;
    in_use_ += size;
    if (in_use_ > growth_limit_) [[unlikely]] {
      growth_limit_ = 2 * in_use_;
      if (growth_hook_) growth_hook_();
    }
    if (!counted) return block->first;
    stats_.large_in_use += static_cast<int64_t>(size);
    stats_.large_peak = std::max(stats_.large_peak, stats_.large_in_use);
    return block->first;
  }

  void absorb_next(Blocks::iterator block) {
    const auto next = std::next(block);
    free_.erase({next->second.size, next->first});
    block->second.size += next->second.size;
    blocks_.erase(next);
  }

  void release() {
    for (const auto& [size, address] : free_) platform::discard(address, size);
  }

  std::mutex mutex_;
  Blocks blocks_;
  std::set<std::pair<size_t, std::byte*>> free_;
  size_t free_bytes_ = 0;
  size_t in_use_ = 0;
  size_t growth_limit_ = kSmallMemory;  // memory in use above which the hook is called
  void (*growth_hook_)() = nullptr;
  std::byte* end_ = nullptr;    // of the accessible part
  std::byte* limit_ = nullptr;  // of the reserved addresses
  AllocatorStats stats_;
};

// Never destroyed: tensors may outlive static destruction.
Arena& arena() {
  static Arena* const blocks = [] {
    platform::at_fork([] { arena().lock(); }, [] { arena().unlock(); }, [] { arena().unlock(); });
    return new Arena;
  }();
  return *blocks;
}

#ifdef EAGERFLOW_SANITIZE
constexpr bool kCached = false;  // so that the sanitizer sees the lifetime of every block
#else
constexpr bool kCached = true;
#endif

std::atomic<bool> allocated{false};

// A block of a size class that does not come from a free list.
void* fresh_block(size_t bytes) {
  allocated.store(true, std::memory_order_relaxed);
  if (bytes >= kArenaBlock) return arena().allocate(bytes, false);
  return platform::allocate_aligned(kStep, bytes);
}

void give_up_block(void* block, size_t bytes) {
  if (bytes >= kArenaBlock) return arena().deallocate(block);
  platform::free_aligned(block);
}

// Empties a thread's lists when it ends; later deallocations on it are not cached.
struct CacheCloser {
  ~CacheCloser() {
    cache.closed = true;
    for (int size_class = 0; size_class < kClasses; ++size_class) {
      FreeList& list = cache.lists[size_class];
      while (FreeBlock* block = list.head) {
        list.head = block->next;
        give_up_block(block, class_bytes(size_class));
      }
      list.count = 0;
    }
  }
};

}  // namespace

[[gnu::hot]] void* pool_allocate(size_t bytes) {
  if (bytes > kLargeBlock) return arena().allocate(bytes, true);
  const int size_class = class_of(bytes);
  FreeList& list = cache.lists[size_class];
  if (FreeBlock* block = list.head) {
    list.head = block->next;
    --list.count;
    return block;
  }
  return fresh_block(class_bytes(size_class));
}

[[gnu::hot]] void pool_deallocate(void* block, size_t bytes) {
  if (bytes > kLargeBlock) return arena().deallocate(block);
  const int size_class = class_of(bytes);
  FreeList& list = cache.lists[size_class];
  const size_t block_bytes = class_bytes(size_class);
  if (!kCached || cache.closed || list.count >= list_limit(block_bytes)) {
    give_up_block(block, block_bytes);
    return;
  }
  if (list.head == nullptr) thread_local const CacheCloser closer;
  auto* node = static_cast<FreeBlock*>(block);
  node->next = list.head;
  list.head = node;
  ++list.count;
}

AllocatorStats allocator_stats() { return arena().stats(); }
bool has_allocated() { return allocated.load(std::memory_order_relaxed); }
void reset_allocator_peak() { arena().reset_peak(); }
void set_growth_hook(void (*hook)()) { arena().set_growth_hook(hook); }
void reset_growth() { arena().reset_growth(); }
void release_cached_memory() { arena().release_free(); }

}  // namespace ef
