// Hashes of byte strings whose values never change.
#pragma once

#include <cstdint>
#include <string_view>

namespace ef::data {

// FarmHash's 64-bit fingerprint, `farmhashna::Hash64` (https://github.com/google/farmhash).
uint64_t fingerprint64(std::string_view text);

// MurmurHash64A (https://github.com/aappleby/smhasher).
uint64_t murmur64(std::string_view text, uint64_t seed);

// SipHash-2-4 (J.-P. Aumasson, D. Bernstein, 2012).
uint64_t siphash(uint64_t key0, uint64_t key1, std::string_view text);

}  // namespace ef::data
