// A small hash table from tensor identities to tape entries.
#pragma once

#include <cstdint>
#include <vector>

namespace ef {

// Open addressing with linear probing. Keys are never 0; the value of a missing key is 0.
class IdMap {
 public:
  uint32_t find(uint64_t key) const {
    if (slots_.empty()) return 0;
    for (size_t i = hash(key);; ++i) {
      const Slot& slot = slots_[i & mask_];
      if (slot.key == key) return slot.value;
      if (slot.key == 0) return 0;
    }
  }

  // Sets the value of a new or existing key.
  void set(uint64_t key, uint32_t value) {
    if ((size_ + 1) * 2 > slots_.size()) grow();
    for (size_t i = hash(key);; ++i) {
      Slot& slot = slots_[i & mask_];
      if (slot.key == key || slot.key == 0) {
        size_ += slot.key == 0;
        slot = {key, value};
        return;
      }
    }
  }

 private:
  struct Slot {
    uint64_t key = 0;
    uint32_t value = 0;
  };

  static size_t hash(uint64_t key) { return key * 0x9E3779B97F4A7C15u >> 32; }

  void grow() {
    std::vector<Slot> old(slots_.empty() ? 32 : slots_.size() * 2);
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    size_ = 0;
    for (const Slot& slot : old) {
      if (slot.key != 0) set(slot.key, slot.value);
    }
  }

  std::vector<Slot> slots_;
  size_t mask_ = 0;
  size_t size_ = 0;
};

}  // namespace ef
