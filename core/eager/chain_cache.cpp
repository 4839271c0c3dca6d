// The most recently used chains.
#include "eager/chain_cache.h"

#include <array>
#include <functional>
#include <mutex>

#include "platform/process.h"

namespace ef {
namespace {

std::shared_ptr<const cpu::Chain> build(const ChainKey& key) {
  auto chain = std::make_shared<cpu::Chain>(key.inputs);
  std::vector<int> numbers;
  for (size_t i = 0; i < key.inputs.size(); ++i) numbers.push_back(static_cast<int>(i));
  for (const ChainKey::Step& step : key.steps) {
    InlineVector<int, 4> operands;
    for (const int32_t operand : step.operands) {
      operands.push_back(numbers[static_cast<size_t>(operand)]);
    }
    numbers.push_back(chain->add(*step.op, step.attrs, operands, step.output));
  }
  std::vector<int> results;
  for (const int32_t result : key.results) results.push_back(numbers[static_cast<size_t>(result)]);
  chain->finish(results);
  return chain;
}

struct Entry {
  size_t hash = 0;
  ChainKey key;
  std::shared_ptr<const cpu::Chain> chain;
};

constexpr size_t kSets = 64, kWays = 4;

struct Cache {
  std::mutex mutex;
  std::array<Entry, kSets * kWays> entries;
  size_t next = 0;  // the entry of a set to replace next
};

Cache& cache() {
  static Cache* const only = [] {
    static Cache* made = new Cache;  // threads may outlive the end of the program
    platform::at_fork([] { made->mutex.lock(); }, [] { made->mutex.unlock(); },
                      [] { made->mutex.unlock(); });
    return made;
  }();
  return *only;
}

}  // namespace

size_t ChainKey::hash() const {
  size_t hash = inputs.size();
  const auto mix = [&](size_t value) { hash = (hash ^ value) * 0x9E3779B97F4A7C15U; };
  for (const DType dtype : inputs) mix(static_cast<size_t>(dtype));
  for (const Step& step : steps) {
    mix(reinterpret_cast<size_t>(step.op));
    for (const int32_t operand : step.operands) mix(static_cast<size_t>(operand));
  }
  for (const int32_t result : results) mix(static_cast<size_t>(result));
  return hash ^ hash >> 32;
}

void make_chain_cache() { cache(); }

std::shared_ptr<const cpu::Chain> chain_for(const ChainKey& key) {
  const size_t hash = key.hash();
  Cache& known = cache();
  Entry* const set = &known.entries[hash % kSets * kWays];
  {
    const std::lock_guard lock(known.mutex);
    for (size_t way = 0; way < kWays; ++way) {
      if (set[way].chain && set[way].hash == hash && set[way].key == key) return set[way].chain;
    }
  }
  Entry fresh{hash, key, build(key)};
  std::shared_ptr<const cpu::Chain> chain = fresh.chain;
  const std::lock_guard lock(known.mutex);
  std::swap(set[known.next++ % kWays], fresh);
  return chain;
}

}  // namespace ef
