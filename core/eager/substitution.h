// Values that represent variables on one thread, so that a function of variables can be called as
// one of values.
#pragma once

#include <atomic>
#include <cstdint>
#include <unordered_map>

#include "tensor/tensor.h"

namespace ef {

// While an object lives, this thread reads the given values in place of those of the variables, and
// its assignments replace these values. Objects nest: those made last come first.
class Substitution {
 public:
  explicit Substitution(std::unordered_map<uint64_t, Tensor> values);
  ~Substitution();
  Substitution(const Substitution&) = delete;
  Substitution& operator=(const Substitution&) = delete;

  // The value that represents the variable of an id on this thread; null if there is none.
  static Tensor* find(uint64_t variable) {
    if (active_.load(std::memory_order_relaxed) == 0) [[likely]]
      return nullptr;
    return find_here(variable);
  }

 private:
  static Tensor* find_here(uint64_t variable);

  static std::atomic<int> active_;  // the number of objects on all threads
  std::unordered_map<uint64_t, Tensor> values_;
  Substitution* const around_;
};

}  // namespace ef
