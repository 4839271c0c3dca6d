// The allocator: alignment, reuse, splitting and joining of large blocks, threads, refusal.
#include "device/allocator.h"

#if !defined(_WIN32)
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <atomic>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <random>
#include <thread>
#include <vector>

#include "tests/check.h"

namespace ef {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

TEST(allocator_aligns) {
  for (size_t bytes : {size_t{1}, size_t{63}, size_t{64}, size_t{65}, size_t{4097}, kMiB - 1, kMiB,
                       kMiB + 1, 5 * kMiB + 3}) {
    void* block = pool_allocate(bytes);
    CHECK(block != nullptr);
    CHECK_EQUAL(reinterpret_cast<uintptr_t>(block) % 64, uintptr_t{0});
    std::memset(block, 1, bytes);
    pool_deallocate(block, bytes);
  }
}

int calls_of_hook = 0;

TEST(allocator_tells_that_memory_has_doubled) {
  reset_growth();
  calls_of_hook = 0;
  set_growth_hook([] { ++calls_of_hook; });
  void* first = pool_allocate(300 * kMiB);
  CHECK_EQUAL(calls_of_hook, 1);
  void* second = pool_allocate(250 * kMiB);  // less than twice as much
  CHECK_EQUAL(calls_of_hook, 1);
  void* third = pool_allocate(200 * kMiB);
  CHECK_EQUAL(calls_of_hook, 2);
  pool_deallocate(second, 250 * kMiB);
  pool_deallocate(third, 200 * kMiB);
  second = pool_allocate(450 * kMiB);  // as before
  CHECK_EQUAL(calls_of_hook, 2);
  pool_deallocate(first, 300 * kMiB);
  pool_deallocate(second, 450 * kMiB);
  reset_growth();
  first = pool_allocate(300 * kMiB);
  CHECK_EQUAL(calls_of_hook, 3);
  set_growth_hook(nullptr);
  pool_deallocate(first, 300 * kMiB);
}

TEST(allocator_reuses_what_was_freed) {
  for (size_t bytes : {size_t{100}, size_t{10'000}, 3 * kMiB}) {
    void* first = pool_allocate(bytes);
    pool_deallocate(first, bytes);
    void* second = pool_allocate(bytes);
    CHECK(first == second);
    pool_deallocate(second, bytes);
  }
}

TEST(allocator_joins_neighbours) {
  release_cached_memory();
  std::vector<void*> blocks;
  for (int i = 0; i < 8; ++i) blocks.push_back(pool_allocate(4 * kMiB));
  for (void* block : blocks) pool_deallocate(block, 4 * kMiB);
  reset_allocator_peak();
  // The memory of eight freed blocks is reused for one block of their total size.
  void* whole = pool_allocate(32 * kMiB);
  bool inside = false;
  for (void* block : blocks) inside = inside || block == whole;
  CHECK(inside);
  pool_deallocate(whole, 32 * kMiB);
}

TEST(allocator_counts_large_blocks) {
  const int64_t before = allocator_stats().large_in_use;
  void* block = pool_allocate(8 * kMiB);
  CHECK(allocator_stats().large_in_use >= before + static_cast<int64_t>(8 * kMiB));
  CHECK(allocator_stats().large_peak >= allocator_stats().large_in_use);
  pool_deallocate(block, 8 * kMiB);
  CHECK_EQUAL(allocator_stats().large_in_use, before);
}

TEST(allocator_refuses_what_is_not_there) {
  CHECK(pool_allocate(size_t{1} << 60) == nullptr);
  void* block = pool_allocate(2 * kMiB);
  CHECK(block != nullptr);
  pool_deallocate(block, 2 * kMiB);
}

TEST(allocator_fails_once) {
  for (const size_t bytes : {size_t{100}, size_t{100'000}, 3 * kMiB}) {
    CHECK_EQUAL(fail_allocation(2), 0);
    void* first = pool_allocate(bytes);
    CHECK(first != nullptr);
    pool_deallocate(first, bytes);  // it is not cached: the next allocation counts, too
    CHECK(pool_allocate(bytes) == nullptr);
    first = pool_allocate(bytes);
    CHECK(first != nullptr);
    pool_deallocate(first, bytes);
    CHECK_EQUAL(fail_allocation(0), 0);
  }
}

#if defined(__linux__)
size_t addresses() {
  size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

// In a child process, under a limit on addresses.
TEST(allocator_takes_what_it_needs) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{addresses() + 300 * kMiB, RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &limit);
    constexpr size_t kBytes = 64 * kMiB;
    std::vector<void*> blocks;
    while (void* block = pool_allocate(kBytes)) blocks.push_back(block);
    const size_t count = blocks.size();
    bool good = count >= 4;
    // Blocks on both sides of the one that stays are together as large as the next request: they
    // return their addresses.
    void* const stays = blocks[count / 2];
    std::memset(stays, 1, kBytes);
    for (void* block : blocks) {
      if (block != stays) pool_deallocate(block, kBytes);
    }
    void* const large = pool_allocate((count - 2) * kBytes);
    good = good && large;
    if (large) std::memset(large, 2, (count - 2) * kBytes);
    for (size_t k = 0; k < kBytes; ++k) good = good && static_cast<char*>(stays)[k] == 1;
    _exit(good ? 0 : 1);
  }
  int status = -1;
  CHECK_EQUAL(waitpid(child, &status, 0), child);
  CHECK_EQUAL(status, 0);
}
#endif

// Writes and checks blocks of random sizes: no two blocks may overlap.
void churn(unsigned seed) {
  std::mt19937 random(seed);
  struct Block {
    unsigned char* memory;
    size_t bytes;
    unsigned char mark;
  };
  std::vector<Block> blocks;
  for (int step = 0; step < 2000; ++step) {
    if (blocks.size() < 40 && random() % 3) {
      const size_t bytes = random() % 8 ? random() % 5000 + 1 : random() % (3 * kMiB) + 1;
      auto* memory = static_cast<unsigned char*>(pool_allocate(bytes));
      const auto mark = static_cast<unsigned char>(random());
      memory[0] = memory[bytes / 2] = memory[bytes - 1] = mark;
      blocks.push_back({memory, bytes, mark});
    } else if (!blocks.empty()) {
      const size_t chosen = random() % blocks.size();
      const Block block = blocks[chosen];
      CHECK_EQUAL(block.memory[0], block.mark);
      CHECK_EQUAL(block.memory[block.bytes / 2], block.mark);
      CHECK_EQUAL(block.memory[block.bytes - 1], block.mark);
      pool_deallocate(block.memory, block.bytes);
      blocks[chosen] = blocks.back();
      blocks.pop_back();
    }
  }
  for (const Block& block : blocks) pool_deallocate(block.memory, block.bytes);
}

TEST(allocator_survives_churn) { churn(1); }

TEST(allocator_survives_churn_on_threads) {
  std::vector<std::thread> threads;
  for (unsigned k = 0; k < 8; ++k) threads.emplace_back(churn, k);
  for (std::thread& thread : threads) thread.join();
}

TEST(allocator_takes_blocks_of_other_threads) {
  std::vector<void*> blocks;
  std::thread([&] {
    for (int i = 0; i < 100; ++i) blocks.push_back(pool_allocate(256));
  }).join();
  for (void* block : blocks) pool_deallocate(block, 256);
  void* block = pool_allocate(256);
  CHECK(block != nullptr);
  pool_deallocate(block, 256);
}

#if !defined(_WIN32)
TEST(allocator_is_open_in_forked_processes) {
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (int k = 0; k < 3; ++k) {
    threads.emplace_back([&] {
      while (!stop) pool_deallocate(pool_allocate(2 * kMiB), 2 * kMiB);
    });
  }
  for (int i = 0; i < 50; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(30);  // a lock that is never released would block the child for ever
      _exit(pool_allocate(2 * kMiB) ? 0 : 1);
    }
    int status = -1;
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(status, 0);
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
}
#endif

}  // namespace
}  // namespace ef
