// CRC-32C by table, and by the SSE 4.2 instruction in three streams at a time.
#include "checksum/crc32c.h"

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

#include <array>
#include <cstring>

namespace ef {
namespace {

constexpr uint32_t kPolynomial = 0x82f63b78;  // Castagnoli's, bits reversed

using Tables = std::array<std::array<uint32_t, 256>, 8>;

// tables[k][b]: the register of byte b after k more zero bytes.
constexpr Tables make_tables() {
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) ? kPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (size_t k = 1; k < 8; ++k) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t last = tables[k - 1][byte];
      tables[k][byte] = (last >> 8) ^ tables[0][last & 255];
    }
  }
  return tables;
}
constexpr Tables kTables = make_tables();

uint64_t load64(const unsigned char* at) {
  uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

// Linear maps of 32 bits: column i is the image of bit i.
using Columns = std::array<uint32_t, 32>;

constexpr uint32_t apply(const Columns& map, uint32_t bits) {
  uint32_t sum = 0;
  for (size_t i = 0; i < 32; ++i) {
    if ((bits >> i) & 1) sum ^= map[i];
  }
  return sum;
}

constexpr Columns square(const Columns& map) {
  Columns result{};
  for (size_t i = 0; i < 32; ++i) result[i] = apply(map, map[i]);
  return result;
}

// powers[log]: the effect of 2^log zero bytes on a register.
using Powers = std::array<Columns, 64>;

constexpr Powers make_powers() {
  Powers powers{};
  for (size_t i = 0; i < 32; ++i) {
    const uint32_t bit = uint32_t{1} << i;
    powers[0][i] = (bit >> 8) ^ kTables[0][bit & 255];
  }
  for (size_t log = 1; log < powers.size(); ++log) powers[log] = square(powers[log - 1]);
  return powers;
}
constexpr Powers kPowers = make_powers();

#if defined(__x86_64__)

// The same, by bytes of the register.
using Shift = std::array<std::array<uint32_t, 256>, 4>;

constexpr Shift make_shift(size_t log) {
  const Columns& map = kPowers[log];
  Shift shift{};
  for (size_t part = 0; part < 4; ++part) {
    for (uint32_t byte = 0; byte < 256; ++byte) shift[part][byte] = apply(map, byte << (8 * part));
  }
  return shift;
}

uint32_t advance(const Shift& shift, uint32_t crc) {
  return shift[0][crc & 255] ^ shift[1][(crc >> 8) & 255] ^ shift[2][(crc >> 16) & 255] ^
         shift[3][crc >> 24];
}

// Three streams hide the instruction's latency of three cycles; their registers are then joined.
template <size_t kBytes>
__attribute__((target("sse4.2,crc32"))) void triple(const Shift& shift, uint64_t& crc,
                                                    const unsigned char*& at, size_t& size) {
  while (size >= 3 * kBytes) {
    uint64_t second = 0;
    uint64_t third = 0;
    for (size_t i = 0; i < kBytes; i += 8) {
      crc = _mm_crc32_u64(crc, load64(at + i));
      second = _mm_crc32_u64(second, load64(at + kBytes + i));
      third = _mm_crc32_u64(third, load64(at + 2 * kBytes + i));
    }
    crc = advance(shift, static_cast<uint32_t>(crc)) ^ second;
    crc = advance(shift, static_cast<uint32_t>(crc)) ^ third;
    at += 3 * kBytes;
    size -= 3 * kBytes;
  }
}

__attribute__((target("sse4.2,crc32"))) uint32_t crc32c_sse42(uint32_t start, const void* data,
                                                              size_t size) {
  static const Shift shift_long = make_shift(12);
  static const Shift shift_short = make_shift(8);
  const auto* at = static_cast<const unsigned char*>(data);
  uint64_t crc = ~start;
  triple<4096>(shift_long, crc, at, size);
  triple<256>(shift_short, crc, at, size);
  for (; size >= 8; at += 8, size -= 8) crc = _mm_crc32_u64(crc, load64(at));
  for (; size > 0; ++at, --size) crc = _mm_crc32_u8(static_cast<uint32_t>(crc), *at);
  return ~static_cast<uint32_t>(crc);
}

#endif

}  // namespace

uint32_t detail::crc32c_portable(uint32_t start, const void* data, size_t size) {
  const auto* at = static_cast<const unsigned char*>(data);
  uint32_t crc = ~start;
  for (; size >= 8; at += 8, size -= 8) {
    const uint64_t word = load64(at) ^ crc;
    crc = 0;
    for (size_t i = 0; i < 8; ++i) crc ^= kTables[7 - i][(word >> (8 * i)) & 255];
  }
  for (; size > 0; ++at, --size) crc = (crc >> 8) ^ kTables[0][(crc ^ *at) & 255];
  return ~crc;
}

uint32_t crc32c_combine(uint32_t first, uint32_t second, size_t size) {
  for (size_t log = 0; size > 0; ++log, size >>= 1) {
    if (size & 1) first = apply(kPowers[log], first);
  }
  return first ^ second;
}

uint32_t crc32c(uint32_t crc, const void* data, size_t size) {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2");
  if (has_instruction) return crc32c_sse42(crc, data, size);
#endif
  return detail::crc32c_portable(crc, data, size);
}

}  // namespace ef
