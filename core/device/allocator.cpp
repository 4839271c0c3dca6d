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
#include <new>
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

// Free lists of one thread. A plain aggregate, so that access needs no initialisation check. The
// thread's first deallocation opens it, and its end closes it.
struct ThreadCache {
  std::array<FreeList, kClasses> lists;
  bool open = false;
  bool ended = false;
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
// merged again with its free neighbours, so that layers of all sizes share memory. Allocations
// return nullptr and change nothing if there is no memory, and deallocations need none.
class Arena {
 public:
  // Blocks that are not `counted` are excluded from the statistics.
  void* allocate(size_t bytes, bool counted) {
    if (bytes > platform::physical_memory()) return nullptr;
    const size_t size = round_up(bytes, unit_);
    const std::lock_guard lock(mutex_);
    try {
      if (void* block = take_free(size, counted)) return block;
      if (!extend(size)) {
        unmap_free();
        if (!extend(size)) return nullptr;
      }
      return take_free(size, counted);
    } catch (const std::bad_alloc&) {  // for the entries of blocks
      return nullptr;
    }
  }

  void deallocate(void* address) {
    const std::lock_guard lock(mutex_);
    auto block = blocks_.find(static_cast<std::byte*>(address));
    in_use_ -= block->second.size;
    if (block->second.counted) stats_.large_in_use -= static_cast<int64_t>(block->second.size);
    make_free(block);
  }

  // A child process inherits consistent blocks and an unlocked lock.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

  // Returns the memory of free blocks to the system; their addresses stay taken.
  void release_free() {
    const std::lock_guard lock(mutex_);
    release();
  }

  // Returns their addresses, too.
  void shrink() {
    const std::lock_guard lock(mutex_);
    unmap_free();
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
  using FreeBlocks = std::set<std::pair<size_t, std::byte*>>;
  struct Block {
    size_t size = 0;
    bool counted = false;
    FreeBlocks::node_type
        entry{};  // of a block in use: its entry among the free blocks, once it is
    bool is_free() const { return entry.empty(); }
  };
  using Blocks = std::map<std::byte*, Block>;  // by address

  static constexpr size_t kHugePage = size_t{2} << 20;
  static constexpr size_t kUnit = size_t{16} << 10;
  // Blocks consist of whole pages, which some systems have larger.
  const size_t unit_ = std::max(kUnit, platform::page_size());

  static size_t round_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

  static size_t most_bytes() { return 2 * round_up(platform::physical_memory(), kHugePage); }

  static bool adjacent(Blocks::iterator block, Blocks::iterator next) {
    return block->first + block->second.size == next->first;
  }

  // A new block, which counts as in use. Throws std::bad_alloc if there is no memory for its
  // entries.
  Blocks::iterator insert(std::byte* address, size_t size) {
    FreeBlocks entry;
    entry.emplace(size, address);
    return blocks_.try_emplace(address, Block{.size = size, .entry = entry.extract(entry.begin())})
        .first;
  }

  // Joins a block in use with its free neighbours.
  void make_free(Blocks::iterator block) {
    free_bytes_ += block->second.size;
    const auto next = std::next(block);
    if (next != blocks_.end() && next->second.is_free() && adjacent(block, next)) {
      free_.erase({next->second.size, next->first});
      block->second.size += next->second.size;
      blocks_.erase(next);
    }
    if (block != blocks_.begin()) {
      const auto before = std::prev(block);
      if (before->second.is_free() && adjacent(before, block)) {
        before->second.entry = free_.extract({before->second.size, before->first});
        before->second.size += block->second.size;
        blocks_.erase(block);
        block = before;
      }
    }
    block->second.entry.value() = {block->second.size, block->first};
    free_.insert(std::move(block->second.entry));
  }

  // A part of the address space where twice the size of physical memory is free, or as much as the
  // system allows. Nothing is taken: the arena grows there step by step.
  static std::byte* find_place(size_t least) {
    for (size_t span = most_bytes(); span >= least + kHugePage; span /= 2) {
      if (void* start = platform::find_addresses(span)) {
        return reinterpret_cast<std::byte*>(
            round_up(reinterpret_cast<uintptr_t>(start), kHugePage));
      }
    }
    return nullptr;
  }

  bool grow_at(std::byte* address, size_t bytes) {
    const auto block = insert(address, bytes);
    if (!platform::map_at(address, bytes)) {
      blocks_.erase(block);
      return false;
    }
    end_ = address + bytes;
    make_free(block);
    return true;
  }

  // Grows the arena so that a free block has at least `size` bytes.
  bool extend(size_t size) {
    const auto after = blocks_.lower_bound(end_);
    size_t there = 0;
    if (after != blocks_.begin()) {
      const auto last = std::prev(after);
      const bool at_end = last->second.is_free() && last->first + last->second.size == end_;
      there = at_end ? last->second.size : 0;
    }
    const size_t more = round_up(size - there, kHugePage);
    if (free_bytes_ + in_use_ + more > most_bytes()) return false;
    // No free block fits, so all are idle: beyond a quarter of the memory in use, their memory is
    // released.
    if (free_bytes_ > in_use_ / 4 + (size_t{32} << 20)) release();
    if (end_ && grow_at(end_, more)) return true;
    // Something else is behind the end: the arena goes on elsewhere.
    const size_t all = round_up(size, kHugePage);
    std::byte* const place = find_place(all);
    return place && grow_at(place, all);
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
    const size_t rest = block->second.size - size;
    const auto second = rest > 0 ? insert(block->first + size, rest) : blocks_.end();
    block->second.entry = free_.extract(best);
    block->second.size = size;
    free_bytes_ -= size + rest;
    if (rest > 0) make_free(second);
    block->second.counted = counted;
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

  void release() {
    for (const auto& [size, address] : free_) platform::discard(address, size);
  }

  // Under a limit on addresses, blocks that are too small for one request may be enough together.
  void unmap_free() {
    for (auto entry = free_.begin(); entry != free_.end();) {
      const auto [size, address] = *entry;
      if (!platform::unmap(address, size)) return;
      if (address + size == end_) end_ = address;
      free_bytes_ -= size;
      blocks_.erase(address);
      entry = free_.erase(entry);
    }
  }

  std::mutex mutex_;
  Blocks blocks_;
  FreeBlocks free_;
  size_t free_bytes_ = 0;
  size_t in_use_ = 0;
  size_t growth_limit_ = kSmallMemory;  // memory in use above which the hook is called
  void (*growth_hook_)() = nullptr;
  std::byte* end_ = nullptr;  // where the arena grows
  AllocatorStats stats_;
};

// Never destroyed: tensors may outlive static destruction.
Arena& arena() {
  static Arena* const blocks = [] {
    alignas(Arena) static std::byte memory[sizeof(Arena)];
    platform::at_fork([] { arena().lock(); }, [] { arena().unlock(); }, [] { arena().unlock(); });
    return new (memory) Arena;
  }();
  return *blocks;
}

#ifdef EAGERFLOW_SANITIZE
constexpr bool kCached = false;  // so that the sanitizer sees the lifetime of every block
#else
constexpr bool kCached = true;
#endif

std::atomic<bool> allocated{false};

// The fault of `fail_allocation`: how many allocations are left until one fails, and whether
// threads cache no blocks, so that each allocation counts.
std::atomic<int64_t> until_fault{0};
std::atomic<bool> uncached{false};

bool fails() {
  return until_fault.load(std::memory_order_relaxed) > 0 && until_fault.fetch_sub(1) == 1;
}

// A block that does not come from a free list.
void* fresh_block(size_t bytes, bool counted) {
  allocated.store(true, std::memory_order_relaxed);
  if (fails()) return nullptr;
  if (bytes >= kArenaBlock) return arena().allocate(bytes, counted);
  void* block = platform::allocate_aligned(kStep, bytes);
  if (!block) {
    arena().shrink();
    block = platform::allocate_aligned(kStep, bytes);
  }
  return block;
}

void give_up_block(void* block, size_t bytes) {
  if (bytes >= kArenaBlock) return arena().deallocate(block);
  platform::free_aligned(block);
}

void empty_cache() {
  for (int size_class = 0; size_class < kClasses; ++size_class) {
    FreeList& list = cache.lists[size_class];
    while (FreeBlock* block = list.head) {
      list.head = block->next;
      give_up_block(block, class_bytes(size_class));
    }
    list.count = 0;
  }
}

// Empties a thread's lists when it ends; later deallocations on it are not cached.
struct CacheCloser {
  ~CacheCloser() {
    cache.open = false;
    cache.ended = true;
    empty_cache();
  }
};

bool open_cache() {
  if (cache.ended || uncached.load(std::memory_order_relaxed)) return false;
  thread_local const CacheCloser closer;
  cache.open = true;
  return true;
}

}  // namespace

[[gnu::hot]] void* pool_allocate(size_t bytes) {
  if (bytes > kLargeBlock) return fresh_block(bytes, true);
  const int size_class = class_of(bytes);
  FreeList& list = cache.lists[size_class];
  if (FreeBlock* block = list.head) {
    list.head = block->next;
    --list.count;
    return block;
  }
  return fresh_block(class_bytes(size_class), false);
}

[[gnu::hot]] void pool_deallocate(void* block, size_t bytes) {
  if (bytes > kLargeBlock) return arena().deallocate(block);
  const int size_class = class_of(bytes);
  FreeList& list = cache.lists[size_class];
  const size_t block_bytes = class_bytes(size_class);
  if (!kCached || list.count >= list_limit(block_bytes) || (!cache.open && !open_cache())) {
    give_up_block(block, block_bytes);
    return;
  }
  auto* node = static_cast<FreeBlock*>(block);
  node->next = list.head;
  list.head = node;
  ++list.count;
}

int64_t fail_allocation(int64_t number) {
  uncached.store(number > 0);
  if (number > 0) {
    cache.open = false;
    empty_cache();
  }
  return until_fault.exchange(number);
}

AllocatorStats allocator_stats() { return arena().stats(); }
bool has_allocated() { return allocated.load(std::memory_order_relaxed); }
void reset_allocator_peak() { arena().reset_peak(); }
void set_growth_hook(void (*hook)()) { arena().set_growth_hook(hook); }
void reset_growth() { arena().reset_growth(); }
void release_cached_memory() { arena().release_free(); }

}  // namespace ef
