// Files: written bytes are read again, with the checksum of one pass over memory.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <system_error>

#include "checksum/crc32c.h"
#include "files/checked_io.h"
#include "platform/files.h"
#include "tests/check.h"

namespace ef {
namespace {

TEST(checked_io_round_trip) {
  std::FILE* stream = std::tmpfile();
  const int file = fileno(stream);
  // More than two stretches, and not a multiple of a piece.
  std::string bytes((size_t{20} << 20) + 12345, '\0');
  uint32_t state = 1;
  for (char& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<char>(state >> 24);
  }
  const uint32_t sum = crc32c(0, bytes.data(), bytes.size());
  CHECK_EQUAL(write_checked(file, 100, bytes.data(), bytes.size()), sum);
  std::string read(bytes.size(), '\0');
  CHECK_EQUAL(read_checked(file, 100, read.data(), read.size()), sum);
  CHECK(read == bytes);
  CHECK_EQUAL(write_checked(file, 0, nullptr, 0), 0u);
  std::fclose(stream);
}

// Sizes around a piece, a stretch and several: bytes outside the requested range stay the same.
TEST(checked_io_last_pieces) {
  constexpr size_t kPiece = size_t{256} << 10, kStretch = size_t{2} << 20, kMargin = 4096;
  const size_t sizes[] = {0,
                          1,
                          kPiece - 1,
                          kPiece,
                          kPiece + 1,
                          kStretch - 1,
                          kStretch,
                          kStretch + 1,
                          2 * kStretch,
                          3 * kStretch + kPiece,
                          3 * kStretch + 7};
  for (const size_t size : sizes) {
    std::FILE* stream = std::tmpfile();
    const int file = fileno(stream);
    std::string bytes(size + kMargin, '\0');
    uint32_t state = static_cast<uint32_t>(size);
    for (char& byte : bytes) {
      state = state * 1664525 + 1013904223;
      byte = static_cast<char>(state >> 24);
    }
    const std::string before(size + 2 * kMargin, 'b');
    CHECK_EQUAL(write_checked(file, 0, before.data(), before.size()),
                crc32c(0, before.data(), before.size()));
    const uint32_t sum = crc32c(0, bytes.data(), size);
    CHECK_EQUAL(write_checked(file, kMargin, bytes.data(), size), sum);
    std::string all(before.size() + 1, 'x');
    CHECK_EQUAL(platform::read_at(file, all.data(), all.size(), 0),
                static_cast<int64_t>(before.size()));
    all.pop_back();
    CHECK(all == before.substr(0, kMargin) + bytes.substr(0, size) + before.substr(0, kMargin));
    std::string read(size + kMargin, 'r');
    CHECK_EQUAL(read_checked(file, kMargin, read.data(), size), sum);
    CHECK(read == bytes.substr(0, size) + std::string(kMargin, 'r'));
    std::fclose(stream);
  }
}

TEST(checked_io_refusals) {
  std::FILE* stream = std::tmpfile();
  char byte = 'x';
  int code = 0;
  try {
    read_checked(fileno(stream), 0, &byte, 1);  // the file is empty
  } catch (const std::system_error& error) {
    code = error.code().value();
  }
  CHECK_EQUAL(code, EIO);
  try {
    write_checked(-1, 0, &byte, 1);
  } catch (const std::system_error& error) {
    code = error.code().value();
  }
  CHECK_EQUAL(code, EBADF);
  std::fclose(stream);
}

}  // namespace
}  // namespace ef
