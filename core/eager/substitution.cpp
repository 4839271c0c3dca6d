#include "eager/substitution.h"

#include <utility>

namespace ef {
namespace {

thread_local Substitution* innermost = nullptr;

}  // namespace

std::atomic<int> Substitution::active_ = 0;

Substitution::Substitution(std::unordered_map<uint64_t, Tensor> values)
    : values_(std::move(values)), around_(std::exchange(innermost, this)) {
  ++active_;
}

Substitution::~Substitution() {
  innermost = around_;
  --active_;
}

Tensor* Substitution::find_here(uint64_t variable) {
  for (Substitution* layer = innermost; layer; layer = layer->around_) {
    const auto entry = layer->values_.find(variable);
    if (entry != layer->values_.end()) return &entry->second;
  }
  return nullptr;
}

}  // namespace ef
