// Hashes of byte strings whose values never change.
#include "data/string_hash.h"

#include <bit>
#include <cstring>
#include <utility>

namespace ef::data {
namespace {

constexpr uint64_t k0 = 0xC3A5C85C97CB3127;
constexpr uint64_t k1 = 0xB492B66FBE98F273;
constexpr uint64_t k2 = 0x9AE16A3B2F90404F;

template <class T>
T load(const char* at) {
  static_assert(std::endian::native == std::endian::little);
  T word;
  std::memcpy(&word, at, sizeof word);
  return word;
}
uint64_t word(const char* at) { return load<uint64_t>(at); }

uint64_t folded(uint64_t value) { return value ^ (value >> 47); }

// Mixes 128 bits into 64.
uint64_t pair(uint64_t u, uint64_t v, uint64_t factor) {
  const uint64_t a = folded((u ^ v) * factor);
  return folded((v ^ a) * factor) * factor;
}

// Up to 16 bytes.
uint64_t of_short(const char* data, uint64_t size) {
  const uint64_t factor = k2 + size * 2;
  if (size >= 8) {
    const uint64_t a = word(data) + k2;
    const uint64_t b = word(data + size - 8);
    return pair(std::rotr(b, 37) * factor + a, (std::rotr(a, 25) + b) * factor, factor);
  }
  if (size >= 4) {
    const uint64_t first = load<uint32_t>(data);
    return pair(size + (first << 3), load<uint32_t>(data + size - 4), factor);
  }
  if (size == 0) return k2;
  const auto byte = [=](uint64_t i) {
    return static_cast<uint64_t>(static_cast<uint8_t>(data[i]));
  };
  const uint64_t y = byte(0) + (byte(size >> 1) << 8);
  const uint64_t z = size + (byte(size - 1) << 2);
  return folded((y * k2) ^ (z * k0)) * k2;
}

// 17 to 64 bytes.
uint64_t of_medium(const char* data, uint64_t size) {
  const uint64_t factor = k2 + size * 2;
  const uint64_t a = word(data) * (size <= 32 ? k1 : k2);
  const uint64_t b = word(data + 8);
  const uint64_t c = word(data + size - 8) * factor;
  const uint64_t d = word(data + size - 16) * k2;
  const uint64_t y = std::rotr(a + b, 43) + std::rotr(c, 30) + d;
  const uint64_t z = pair(y, a + std::rotr(b + k2, 18) + c, factor);
  if (size <= 32) return z;
  const uint64_t e = word(data + 16) * factor;
  const uint64_t f = word(data + 24);
  const uint64_t g = (y + word(data + size - 32)) * factor;
  const uint64_t h = (z + word(data + size - 24)) * factor;
  return pair(std::rotr(e + f, 43) + std::rotr(g, 30) + h, e + std::rotr(f + a, 18) + g, factor);
}

struct Two {
  uint64_t first = 0;
  uint64_t second = 0;
};

// Hashes 32 bytes with two seeds.
Two weak(const char* at, uint64_t a, uint64_t b) {
  const uint64_t z = word(at + 24);
  a += word(at);
  b = std::rotr(b + a + z, 21);
  const uint64_t c = a;
  a += word(at + 8) + word(at + 16);
  b += std::rotr(a, 44);
  return {a + z, b + c};
}

// More than 64 bytes.
uint64_t of_long(const char* data, uint64_t size) {
  uint64_t y = 81 * k1 + 113;
  uint64_t z = folded(y * k2 + 113) * k2;
  uint64_t x = 81 * k2 + word(data);
  Two v;
  Two w;
  const auto step = [&](const char* at, uint64_t factor, uint64_t weight) {
    x = std::rotr(x + y + v.first + word(at + 8), 37) * factor;
    y = std::rotr(y + v.second + word(at + 48), 42) * factor;
    x ^= w.second * weight;
    y += v.first * weight + word(at + 40);
    z = std::rotr(z + w.first, 33) * factor;
    v = weak(at, v.second * factor, x + w.first);
    w = weak(at + 32, z + w.second, y + word(at + 16));
    std::swap(z, x);
  };
  for (uint64_t at = 0; at < (size - 1) / 64 * 64; at += 64) step(data + at, k1, 1);
  const uint64_t factor = k1 + ((z & 0xFF) << 1);
  w.first += (size - 1) & 63;
  v.first += w.first;
  w.first += v.first;
  step(data + size - 64, factor, 9);
  return pair(pair(v.first, w.first, factor) + folded(y) * k0 + z,
              pair(v.second, w.second, factor) + x, factor);
}

// The last bytes as a little-endian integer.
uint64_t rest(const char* at, uint64_t count) {
  uint64_t value = 0;
  std::memcpy(&value, at, count);
  return value;
}

}  // namespace

uint64_t fingerprint64(std::string_view text) {
  if (text.size() <= 16) return of_short(text.data(), text.size());
  if (text.size() <= 64) return of_medium(text.data(), text.size());
  return of_long(text.data(), text.size());
}

uint64_t murmur64(std::string_view text, uint64_t seed) {
  constexpr uint64_t kFactor = 0xC6A4A7935BD1E995;
  const uint64_t size = text.size();
  uint64_t h = seed ^ (size * kFactor);
  const uint64_t whole = size - size % 8;
  for (uint64_t i = 0; i < whole; i += 8) {
    h = (h ^ (folded(word(text.data() + i) * kFactor) * kFactor)) * kFactor;
  }
  if (size % 8) h = (h ^ rest(text.data() + whole, size % 8)) * kFactor;
  return folded(folded(h) * kFactor);
}

uint64_t siphash(uint64_t key0, uint64_t key1, std::string_view text) {
  uint64_t v0 = key0 ^ 0x736F6D6570736575;
  uint64_t v1 = key1 ^ 0x646F72616E646F6D;
  uint64_t v2 = key0 ^ 0x6C7967656E657261;
  uint64_t v3 = key1 ^ 0x7465646279746573;
  const auto rounds = [&](int count) {
    for (int i = 0; i < count; ++i) {
      v0 += v1;
      v1 = std::rotl(v1, 13) ^ v0;
      v0 = std::rotl(v0, 32);
      v2 += v3;
      v3 = std::rotl(v3, 16) ^ v2;
      v0 += v3;
      v3 = std::rotl(v3, 21) ^ v0;
      v2 += v1;
      v1 = std::rotl(v1, 17) ^ v2;
      v2 = std::rotl(v2, 32);
    }
  };
  const auto take = [&](uint64_t value) {
    v3 ^= value;
    rounds(2);
    v0 ^= value;
  };
  const uint64_t size = text.size();
  const uint64_t whole = size - size % 8;
  for (uint64_t i = 0; i < whole; i += 8) take(word(text.data() + i));
  take(rest(text.data() + whole, size % 8) | (size << 56));
  v2 ^= 0xFF;
  rounds(4);
  return v0 ^ v1 ^ v2 ^ v3;
}

}  // namespace ef::data
