// Files: what was written is read and mapped, with the checksum of one pass over memory.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <system_error>

#include "checksum/crc32c.h"
#include "files/checked_io.h"
#include "tests/check.h"

namespace ef {
namespace {

TEST(checked_io_round_trip) {
  std::FILE* stream = std::tmpfile();
  const int file = fileno(stream);
  // More than two stretches, and no multiple of a piece.
  std::string bytes((size_t{20} << 20) + 12345, '\0');
  uint32_t state = 1;
  for (char& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<char>(state >> 24);
  }
  const uint32_t sum = crc32c(0, bytes.data(), bytes.size());
  CHECK_EQUAL(checksum(bytes.data(), bytes.size()), sum);
  CHECK_EQUAL(write_checked(file, 100, bytes.data(), bytes.size()), sum);
  std::string read(bytes.size(), '\0');
  CHECK_EQUAL(read_checked(file, 100, read.data(), read.size()), sum);
  CHECK(read == bytes);
  Buffer* mapped = map_file(file, 100, bytes.size());
  CHECK(std::memcmp(mapped->data(), bytes.data(), bytes.size()) == 0);
  CHECK(!mapped->writable());
  mapped->release();
  CHECK_EQUAL(write_checked(file, 0, nullptr, 0), 0u);
  std::fclose(stream);
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
