// Checksums: RFC 3720's published values, and both implementations against each other.
#include <cstdint>
#include <string>

#include "checksum/crc32c.h"
#include "tests/check.h"

namespace ef {
namespace {

TEST(crc32c_known_values) {
  CHECK_EQUAL(crc32c(0, "123456789", 9), 0xe3069283u);
  const std::string zeros(32, '\0');
  const std::string ones(32, '\xff');
  CHECK_EQUAL(crc32c(0, zeros.data(), zeros.size()), 0x8a9136aau);
  CHECK_EQUAL(crc32c(0, ones.data(), ones.size()), 0x62a8ab43u);
  CHECK_EQUAL(crc32c(0, nullptr, 0), 0u);
}

TEST(crc32c_lengths_and_pieces) {
  std::string bytes(40000, '\0');
  uint32_t state = 1;
  for (char& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<char>(state >> 24);
  }
  for (const size_t size : {1u, 7u, 8u, 100u, 767u, 768u, 769u, 12287u, 12288u, 13060u, 40000u}) {
    const uint32_t whole = crc32c(0, bytes.data(), size);
    CHECK_EQUAL(whole, detail::crc32c_portable(0, bytes.data(), size));
    const size_t first = size / 3;
    CHECK_EQUAL(whole, crc32c(crc32c(0, bytes.data(), first), bytes.data() + first, size - first));
    CHECK_EQUAL(whole, crc32c_combine(crc32c(0, bytes.data(), first),
                                      crc32c(0, bytes.data() + first, size - first), size - first));
  }
}

TEST(crc32c_ends_and_alignments) {
  std::string bytes(1600, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 131 + (i >> 8));
  for (size_t start = 0; start < 9; ++start) {
    for (size_t size = 0; size < 40; ++size) {
      CHECK_EQUAL(crc32c(7, bytes.data() + start, size),
                  detail::crc32c_portable(7, bytes.data() + start, size));
      CHECK_EQUAL(crc32c(7, bytes.data() + start, size + 1536),
                  detail::crc32c_portable(7, bytes.data() + start, size + 1536));
    }
  }
  // Combined with the checksum of no bytes, and of many.
  CHECK_EQUAL(crc32c_combine(0x1234u, 0, 0), 0x1234u);
  const std::string zeros(100'000, '\0');
  CHECK_EQUAL(crc32c_combine(0x1234u, crc32c(0, zeros.data(), zeros.size()), zeros.size()),
              crc32c(0x1234u, zeros.data(), zeros.size()));
}

}  // namespace
}  // namespace ef
