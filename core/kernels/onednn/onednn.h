// oneDNN primitives, created once per shape and kept together with their memory objects.
#pragma once

#include <dnnl.hpp>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>

#include "device/signals.h"
#include "tensor/inline_vector.h"

namespace ef::cpu::onednn {

// The CPU engine, shared by all threads.
const dnnl::engine& engine();
// The calling thread's stream.
const dnnl::stream& stream();

// During its lifetime, confines oneDNN to the calling thread and blocks signals there.
class OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  BlockSignals no_signals_;
  int threads_;
};

// A step of a plan: one primitive whose memory objects receive their addresses before each run.
class Step {
 public:
  Step() = default;
  Step(dnnl::primitive primitive, std::span<const int> arguments,
       std::span<const dnnl::memory::desc> descriptors);
  explicit operator bool() const { return static_cast<bool>(primitive_); }
  // One address per argument, in the order of construction.
  void run(std::initializer_list<const void*> addresses);
  // The same on the calling thread alone, as a part of a parallel loop.
  void run_alone(std::initializer_list<const void*> addresses);

 private:
  void execute(std::initializer_list<const void*> addresses);

  static constexpr int kMaxArguments = 8;
  dnnl::primitive primitive_;
  dnnl::memory memory_[kMaxArguments];
  dnnl_exec_arg_t arguments_[kMaxArguments];
  int count_ = 0;
};

// The key of a plan: integers, the first of which identifies the kind.
using Key = InlineVector<int64_t, 32>;

// The base of everything that can be cached.
struct Plan {
  virtual ~Plan() = default;
};

// The calling thread's plan for `key`, or nullptr. Plans hold addresses during a run, so every
// thread has its own; the least recently used are evicted when there are too many.
Plan* find_plan(const Key& key);
// Keeps a plan and returns it.
Plan* keep_plan(const Key& key, std::unique_ptr<Plan> plan);

[[noreturn]] void rethrow(const char* what, const dnnl::error& error);

// Runs `make`, translating oneDNN's exceptions into ours; `what` names the operation.
template <class Make>
auto guarded(const char* what, const Make& make) {
  try {
    return make();
  } catch (const dnnl::error& error) {
    rethrow(what, error);
  }
}

// The calling thread's plan for `key`, which `make` builds the first time; `what` names the
// operation.
template <class Kind, class Make>
Kind* plan_for(const Key& key, const char* what, const Make& make) {
  Plan* plan = find_plan(key);
  if (!plan) plan = keep_plan(key, guarded(what, make));
  return static_cast<Kind*>(plan);
}

}  // namespace ef::cpu::onednn
