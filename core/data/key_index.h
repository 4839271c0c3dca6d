// Distinct keys and their row indices, in the order of their first occurrence.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/string_hash.h"
#include "device/pool_allocator.h"

namespace ef::data {

inline uint64_t mixed(uint64_t key) {
  key ^= key >> 32;
  key *= 0xd6e8feb86659fd93U;
  key ^= key >> 32;
  key *= 0xd6e8feb86659fd93U;
  return key ^ key >> 32;
}

// A fast hash of a short text, which may change from version to version.
inline uint64_t text_hash(std::string_view text) {
  if (text.size() > 64) return fingerprint64(text);
  uint64_t hash = 0x9e3779b97f4a7c15U + text.size();
  const char* at = text.data();
  size_t left = text.size();
  for (; left >= 8; left -= 8, at += 8) {
    uint64_t word;
    __builtin_memcpy(&word, at, 8);
    hash = mixed(hash ^ word);
  }
  uint64_t word = 0;
  __builtin_memcpy(&word, at, left);
  return mixed(hash ^ word);
}

// How keys are hashed and stored: integers by value, strings as copies or as views.
template <class Key>
struct KeyTraits {
  // Whether equal hashes imply equal keys: each step of mixed() is invertible.
  static constexpr bool kExact = true;
  static uint64_t hash(Key key) { return mixed(static_cast<uint64_t>(key)); }
};
template <>
struct KeyTraits<std::string_view> {
  static constexpr bool kExact = false;
  static uint64_t hash(std::string_view key) { return text_hash(key); }
};

// Maps keys to row indices by open addressing. `Stored` is the type of the copies of keys.
template <class Key, class Stored = Key>
class KeyIndex {
 public:
  explicit KeyIndex(int64_t expected = 0) { resize(expected); }

  int64_t size() const { return static_cast<int64_t>(keys_.size()); }
  const Stored& key(int64_t row) const { return keys_[static_cast<size_t>(row)]; }
  const std::vector<Stored>& keys() const { return keys_; }

  // The row of a key; -1 if it is absent.
  int64_t find(Key key) const {
    const uint64_t hash = KeyTraits<Key>::hash(key);
    for (size_t at = hash & mask_;; at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      if (slot.row < 0) return -1;
      if (holds(slot, hash, key)) return slot.row;
    }
  }
  // The rows of many keys, key_at(i) for each i below `count`.
  template <class KeyAt>
  void find_all(int64_t count, const KeyAt& key_at, int64_t* rows) const {
    for (int64_t first = 0; first < count; first += kBlock, rows += kBlock) {
      const int64_t size = std::min(kBlock, count - first);
      if constexpr (KeyTraits<Key>::kExact) {
        find_block(size, [&](int64_t i) { return key_at(first + i); }, rows);
      } else {
        for (int64_t i = 0; is_large() && i < size; ++i) prefetch(key_at(first + i));
        for (int64_t i = 0; i < size; ++i) rows[i] = find(key_at(first + i));
      }
    }
  }
  // The row of a key. Appends the key if it is absent.
  int64_t add(Key key) {
    const uint64_t hash = KeyTraits<Key>::hash(key);
    size_t at = hash & mask_;
    for (; slots_[at].row >= 0; at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      if (holds(slot, hash, key)) return slot.row;
    }
    const int64_t row = size();
    keys_.emplace_back(key);
    slots_[at] = {hash, row};
    if (2 * keys_.size() > slots_.size()) resize(2 * size());
    return row;
  }
  // Removes a key and moves the last key to its row. Returns the row, or -1 if the key is absent.
  int64_t remove(Key key) {
    const uint64_t hash = KeyTraits<Key>::hash(key);
    size_t at = hash & mask_;
    while (true) {
      const Slot& slot = slots_[at];
      if (slot.row < 0) return -1;
      if (holds(slot, hash, key)) break;
      at = (at + 1) & mask_;
    }
    const int64_t row = slots_[at].row;
    // Keys that were displaced by an occupied slot move up.
    for (size_t next = (at + 1) & mask_; slots_[next].row >= 0; next = (next + 1) & mask_) {
      const size_t home = slots_[next].hash & mask_;
      if (((next - home) & mask_) < ((next - at) & mask_)) continue;
      slots_[at] = slots_[next];
      at = next;
    }
    slots_[at].row = -1;
    const int64_t last = size() - 1;
    if (row != last) {
      const uint64_t moved = KeyTraits<Key>::hash(Key(keys_.back()));
      size_t slot = moved & mask_;
      while (slots_[slot].row != last) slot = (slot + 1) & mask_;
      slots_[slot].row = row;
      keys_[static_cast<size_t>(row)] = std::move(keys_.back());
    }
    keys_.pop_back();
    return row;
  }
  // Whether lookups often miss the cache.
  bool is_large() const { return slots_.size() * sizeof(Slot) > (1U << 18U); }
  // Prefetches what a key's lookup reads.
  void prefetch(Key key) const { __builtin_prefetch(&slots_[KeyTraits<Key>::hash(key) & mask_]); }

 private:
  struct Slot {
    uint64_t hash = 0;
    int64_t row = -1;
  };

  using Slots = std::vector<Slot, PoolAllocator<Slot>>;
  static constexpr int64_t kBlock = 256;

  // Each pass probes one slot of every unresolved key, until all have reached their own slot or an
  // empty one, so that no branch depends on the contents of a slot.
  template <class KeyAt>
  void find_block(int64_t size, const KeyAt& key_at, int64_t* rows) const {
    std::array<uint64_t, kBlock> hashes;
    std::array<size_t, kBlock> places;
    std::array<int16_t, kBlock> waiting;
    for (int64_t i = 0; i < size; ++i) {
      hashes[i] = KeyTraits<Key>::hash(key_at(i));
      places[i] = hashes[i] & mask_;
      waiting[i] = static_cast<int16_t>(i);
      if (is_large()) __builtin_prefetch(&slots_[places[i]]);
    }
    for (int64_t left = size; left > 0;) {
      int64_t still = 0;
      for (int64_t k = 0; k < left; ++k) {
        const int16_t i = waiting[k];
        const Slot slot = slots_[places[i]];
        const bool same = slot.hash == hashes[i];
        rows[i] = same ? slot.row : -1;
        places[i] = (places[i] + 1) & mask_;
        waiting[still] = i;
        still += !same & (slot.row >= 0);
      }
      left = still;
    }
  }

  bool holds(const Slot& slot, uint64_t hash, const Key& key) const {
    if (slot.hash != hash) return false;
    return KeyTraits<Key>::kExact || Key(keys_[static_cast<size_t>(slot.row)]) == key;
  }

  void resize(int64_t count) {
    const size_t size = std::bit_ceil(static_cast<size_t>(std::max<int64_t>(8, 2 * count + 2)));
    if (size <= slots_.size()) return;
    Slots larger(size);
    mask_ = size - 1;
    for (const Slot& slot : slots_) {
      if (slot.row < 0) continue;
      size_t at = slot.hash & mask_;
      while (larger[at].row >= 0) at = (at + 1) & mask_;
      larger[at] = slot;
    }
    slots_ = std::move(larger);
  }

  Slots slots_;
  size_t mask_ = 0;
  std::vector<Stored> keys_;
};

}  // namespace ef::data
