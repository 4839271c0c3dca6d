// Parallel loops: every item once, exceptions of parts, interrupts, and the arithmetic of threads.
#include "device/parallel.h"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "device/flush_subnormals.h"
#include "tests/check.h"

namespace ef {
namespace {

// Runs loops on `count` threads while it lives.
struct Threads {
  explicit Threads(int count) { set_max_threads(count); }
  ~Threads() { set_max_threads(0); }
};

bool each_item_once(int64_t count, int64_t grain) {
  std::vector<std::atomic<int>> seen(static_cast<size_t>(count));
  parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
  });
  for (const auto& times : seen) {
    if (times != 1) return false;
  }
  return true;
}

TEST(parallel_loops_take_every_item_once) {
  for (int threads : {1, 2, 3}) {
    const Threads limit(threads);
    for (int64_t count : {1, 7, 1000, 100'003}) {
      for (int64_t grain : {1, 10, 1'000'000}) CHECK(each_item_once(count, grain));
    }
  }
}

// A helper may still look for parts of a loop when the next ones begin.
TEST(parallel_loops_follow_each_other) {
  for (int threads : {2, 4}) {
    const Threads limit(threads);
    int64_t wrong = 0;
    for (int64_t round = 0; round < 5'000; ++round) {
      const int64_t count = 2 + round % 37;
      std::atomic<int64_t> sum{0};
      parallel_for(count, 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) sum += i + round;
      });
      wrong += sum != count * (count - 1) / 2 + count * round;
    }
    CHECK_EQUAL(wrong, 0);
  }
}

TEST(parallel_loops_throw_what_a_part_throws) {
  for (int threads : {1, 2, 3}) {
    const Threads limit(threads);
    for (int round = 0; round < 50; ++round) {
      const auto body = [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          if (i % 10 == 3) invalid_argument("item ", i, " is wrong");
        }
      };
      CHECK_THROWS(Code::kInvalidArgument, "is wrong", parallel_for(40, 1, body));
      CHECK(each_item_once(100, 1));
    }
  }
}

TEST(parallel_loops_inside_of_loops_throw_through_both) {
  const Threads limit(2);
  const auto inner = [](int64_t begin, int64_t) {
    if (begin == 0) invalid_argument("inside");
  };
  const auto outer = [&](int64_t, int64_t) { parallel_for(8, 1, inner); };
  CHECK_THROWS(Code::kInvalidArgument, "inside", parallel_for(8, 1, outer));
  CHECK(!in_parallel());
}

void interrupt(void* calls) {
  if (++*static_cast<int*>(calls) == 2) invalid_argument("interrupted");
}

TEST(interrupts_end_loops) {
  for (int threads : {1, 2}) {
    const Threads limit(threads);
    int calls = 0;
    std::atomic<int> done{0};
    const auto slow = [&](int64_t begin, int64_t end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5) * (end - begin));
      done += static_cast<int>(end - begin);
    };
    {
      const Interruptible scope(interrupt, &calls);
      CHECK(interruptible());
      CHECK_THROWS(Code::kInvalidArgument, "interrupted", parallel_for(1000, 1, slow));
    }
    CHECK(!interruptible());
    CHECK_EQUAL(calls, 2);
    CHECK(done < 1000);
  }
}

TEST(interrupts_wait_where_they_must) {
  int calls = 1;
  const Interruptible outer(interrupt, &calls);
  const Interruptible none(nullptr, nullptr);
  CHECK(!interruptible());
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  check_interrupt();
  CHECK_EQUAL(calls, 1);
}

TEST(serial_loops_are_interrupted) {
  int calls = 1;
  const Interruptible scope(interrupt, &calls);
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  int64_t done = 0;
  CHECK_THROWS(Code::kInvalidArgument, "interrupted",
               serial_for(int64_t{1} << 40, [&](int64_t) { ++done; }));
  CHECK(done < int64_t{1} << 40);
}

float halved(volatile float x) { return x * 0.5f; }

TEST(subnormals_are_flushed_on_all_threads_of_a_loop) {
  const Threads limit(3);
  const float subnormal = 1e-40f;
  CHECK(halved(subnormal) != 0);
  std::atomic<int> kept{0};
  {
    const FlushSubnormals flush;
    parallel_for(64, 1, [&](int64_t, int64_t) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (halved(subnormal) != 0) ++kept;
    });
    const KeepSubnormals keep;
    CHECK(halved(subnormal) != 0);
  }
  CHECK_EQUAL(kept.load(), 0);
  CHECK(halved(subnormal) != 0);
}

}  // namespace
}  // namespace ef
