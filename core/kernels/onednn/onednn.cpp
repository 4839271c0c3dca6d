// oneDNN's engine and streams, and the per-thread cache of plans.
#include "kernels/onednn/onednn.h"

#include <omp.h>

#include <algorithm>
#include <cstring>
#include <list>
#include <unordered_map>

#include "device/openmp.h"
#include "device/parallel.h"
#include "tensor/error.h"

namespace ef::cpu::onednn {
namespace {

constexpr size_t kMaxPlans = 512;

struct KeyHash {
  size_t operator()(const Key& key) const {
    uint64_t hash = 0x9e3779b97f4a7c15u;
    for (int64_t word : key) {
      hash = (hash ^ static_cast<uint64_t>(word)) * 0xff51afd7ed558ccdu;
      hash ^= hash >> 32;
    }
    return hash;
  }
};

struct KeyEqual {
  bool operator()(const Key& a, const Key& b) const {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(int64_t)) == 0;
  }
};

struct Kept {
  Key key;
  std::unique_ptr<Plan> plan;
};

// Most recently used first.
struct Cache {
  std::list<Kept> order;
  std::unordered_map<Key, std::list<Kept>::iterator, KeyHash, KeyEqual> index;
};

Cache& cache() {
  thread_local Cache plans;
  return plans;
}

}  // namespace

const dnnl::engine& engine() {
  // Never destroyed: threads that outlive the program still hold primitives.
  static const auto* const shared = new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return *shared;
}

const dnnl::stream& stream() {
  thread_local const dnnl::stream own(engine());
  return own;
}

void rethrow(const char* what, const dnnl::error& error) {
  const Code code = error.status == dnnl_out_of_memory ? Code::kResourceExhausted : Code::kInternal;
  fail(code, "oneDNN failed with status ", static_cast<int>(error.status), " (", error.what(),
       ") [Op:", what, "]");
}

Step::Step(dnnl::primitive primitive, std::span<const int> arguments,
           std::span<const dnnl::memory::desc> descriptors)
    : primitive_(std::move(primitive)), count_(static_cast<int>(arguments.size())) {
  for (int i = 0; i < count_; ++i) {
    memory_[i] = dnnl::memory(descriptors[i], engine(), nullptr);
    arguments_[i] = {arguments[i], memory_[i].get()};
  }
}

OneThread::OneThread() : threads_(omp_get_max_threads()) {
  if (threads_ > 1) omp_set_num_threads(1);
}

OneThread::~OneThread() {
  if (threads_ > 1) omp_set_num_threads(threads_);
}

void Step::execute(std::initializer_list<const void*> addresses) {
  int i = 0;
  for (const void* address : addresses) {
    dnnl_memory_set_data_handle(memory_[i++].get(), const_cast<void*>(address));
  }
  const dnnl_status_t status =
      dnnl_primitive_execute(primitive_.get(), stream().get(), count_, arguments_);
  if (status == dnnl_success) return;
  fail(status == dnnl_out_of_memory ? Code::kResourceExhausted : Code::kInternal,
       "a oneDNN primitive failed with status ", static_cast<int>(status));
}

void Step::run(std::initializer_list<const void*> addresses) {
  const BlockSignals no_signals;
  prepare_openmp_threads();
  execute(addresses);
  openmp_ran();
}

void Step::run_alone(std::initializer_list<const void*> addresses) {
  const OneThread one_thread;
  execute(addresses);
}

Plan* find_plan(const Key& key) {
  Cache& plans = cache();
  if (!plans.order.empty() && KeyEqual{}(plans.order.front().key, key)) {
    return plans.order.front().plan.get();
  }
  const auto found = plans.index.find(key);
  if (found == plans.index.end()) return nullptr;
  plans.order.splice(plans.order.begin(), plans.order, found->second);
  return found->second->plan.get();
}

Plan* keep_plan(const Key& key, std::unique_ptr<Plan> plan) {
  Cache& plans = cache();
  if (plans.order.size() >= kMaxPlans) {
    plans.index.erase(plans.order.back().key);
    plans.order.pop_back();
  }
  plans.order.push_front({key, std::move(plan)});
  plans.index.emplace(key, plans.order.begin());
  return plans.order.front().plan.get();
}

}  // namespace ef::cpu::onednn
