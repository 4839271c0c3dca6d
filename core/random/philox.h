// Philox 4x32-10, the counter-based generator of Salmon et al., "Parallel random numbers: as easy
// as 1, 2, 3" (SC 2011).
#pragma once

#include <array>
#include <cstdint>

namespace ef {

// A position in one of 2^64 streams of 2^128 blocks of four 32-bit words.
class Philox {
 public:
  using Block = std::array<uint32_t, 4>;

  Philox(uint64_t key, uint64_t counter_low, uint64_t counter_high)
      : key_(key), low_(counter_low), high_(counter_high) {}

  // The next block.
  Block operator()() {
    const Block block = current();
    skip(1);
    return block;
  }

  uint64_t key() const { return key_; }
  uint64_t counter_low() const { return low_; }
  uint64_t counter_high() const { return high_; }

  void skip(uint64_t blocks) {
    low_ += blocks;
    high_ += low_ < blocks;
  }

 private:
  Block current() const {
    Block x = {static_cast<uint32_t>(low_), static_cast<uint32_t>(low_ >> 32),
               static_cast<uint32_t>(high_), static_cast<uint32_t>(high_ >> 32)};
    auto k0 = static_cast<uint32_t>(key_);
    auto k1 = static_cast<uint32_t>(key_ >> 32);
    for (int round = 0; round < 10; ++round) {
      const uint64_t p0 = uint64_t{0xD2511F53} * x[0];
      const uint64_t p1 = uint64_t{0xCD9E8D57} * x[2];
      x = {static_cast<uint32_t>(p1 >> 32) ^ x[1] ^ k0, static_cast<uint32_t>(p1),
           static_cast<uint32_t>(p0 >> 32) ^ x[3] ^ k1, static_cast<uint32_t>(p0)};
      k0 += 0x9E3779B9;
      k1 += 0xBB67AE85;
    }
    return x;
  }

  uint64_t key_;
  uint64_t low_;
  uint64_t high_;
};

// Returns the words of a Philox stream one by one.
class PhiloxNumbers {
 public:
  explicit PhiloxNumbers(Philox philox) : philox_(philox) {}
  uint32_t operator()() {
    if (used_ == 4) {
      block_ = philox_();
      used_ = 0;
    }
    return block_[used_++];
  }

 private:
  Philox philox_;
  Philox::Block block_{};
  size_t used_ = 4;
};

}  // namespace ef
