// Snappy: blocks written byte by byte after its format, and damaged ones.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "data/snappy.h"
#include "tests/check.h"

namespace ef {
namespace {

using namespace std::string_view_literals;

std::string noise(size_t size, uint32_t state = 1) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<char>(state >> 24);
  }
  return bytes;
}

void check_round_trip(const std::string& data) {
  const std::string block = snappy_compress(data);
  const auto back = snappy_expand(block);
  CHECK(back && *back == data);
  // Truncated blocks are refused.
  for (size_t size = 0; size < block.size(); size += 1 + block.size() / 50) {
    CHECK(!snappy_expand(std::string_view(block).substr(0, size)));
  }
  CHECK(!snappy_expand(block + '\0'));
}

void check_expands(std::string_view block, std::string_view data) {
  const auto found = snappy_expand(block);
  CHECK(found && *found == data);
}

TEST(snappy_reads_each_kind_of_piece) {
  check_expands("\0"sv, "");
  check_expands("\1\0a"sv, "a");
  check_expands("\3\10abc"sv, "abc");
  check_expands("\x81\x80\x80\x80\0\0a"sv, "a");  // a length may have five bytes
  // A literal whose length has one, two, three and four bytes.
  const std::string text = noise(300);
  for (size_t bytes = 1; bytes <= 4; ++bytes) {
    std::string block = "\xac\x02";  // 300
    block += static_cast<char>((59 + bytes) << 2);
    block += std::string("\x2b\x01\0\0", 4).substr(0, bytes == 1 ? 2 : bytes);
    if (bytes == 1) block[2] = static_cast<char>(61 << 2);
    check_expands(block + text, text);
  }
  std::string block = "\x3d\xf0\x3c";  // 61 bytes after a length of one byte
  check_expands(block + text.substr(0, 61), text.substr(0, 61));
  block = "\x3c\xec";  // 60 bytes: the longest length in a tag
  check_expands(block + text.substr(0, 60), text.substr(0, 60));
  // A near copy of 4 to 11 bytes, from up to 2047 bytes before.
  check_expands("\10\14abcd\1\4"sv, "abcdabcd");
  check_expands("\17\14abcd\x1d\4"sv, "abcdabcdabcdabc");
  const std::string far = noise(2047);
  block = std::string("\x83\x10") + "\xf4\xfe\x07" + far + "\xe1\xff";
  check_expands(block, far + far.substr(0, 4));
  // Copies with offsets of two and four bytes, of 1 to 64 bytes.
  check_expands("\5\14abcd\2\4\0"sv, "abcda");
  check_expands("\5\14abcd\3\3\0\0\0"sv, "abcdb");
  check_expands("\x41\0z\xfe\1\0"sv, std::string(65, 'z'));
}

TEST(snappy_refuses_damage) {
  for (const std::string_view block : {
           ""sv,                             // no length
           "\x80"sv,                         // one that goes on
           "\xff\xff\xff\xff\x7f"sv,         // one above 32 bits
           "\x81\x80\x80\x80\x80\0\0a"sv,    // and one of too many bytes
           "\1"sv,                           // nothing follows
           "\2\0a"sv,                        // too little
           "\1\4ab"sv,                       // too much
           "\2\4a"sv,                        // a literal that is cut off,
           "\2\xf0"sv,                       // or its length
           "\x8\14abcd\1"sv,                 // a copy that is
           "\x8\14abcd\2\4"sv,               //
           "\x8\14abcd\3\4\0\0"sv,           //
           "\x8\14abcd\1\0"sv,               // from nowhere
           "\x8\14abcd\1\5"sv,               // from before the beginning
           "\x7\14abcd\1\4"sv,               // beyond the end
           "\x80\x80\x80\x80\x08\1\0aaa"sv,  // a length that so few bytes cannot have
       }) {
    CHECK(!snappy_expand(block));
  }
  // Three bytes expand to 64.
  check_expands("\x41\0z\xfe\1\0"sv, std::string(65, 'z'));
}

TEST(snappy_round_trips) {
  for (const size_t size :
       {0u, 1u, 3u, 4u, 5u, 59u, 60u, 61u, 62u, 255u, 256u, 257u, 65535u, 65536u, 65537u, 70000u}) {
    check_round_trip(noise(size));
    check_round_trip(std::string(size, 'x'));
  }
  // Copies of every length: those of 65 to 67 bytes must not leave a remainder below 4.
  for (size_t length = 1; length < 200; ++length) {
    const std::string piece = noise(length, static_cast<uint32_t>(length));
    check_round_trip(piece + "0123" + piece + "4567" + piece);
  }
  // Matches just inside the window, and just outside.
  const std::string word = noise(16, 99);
  for (const size_t gap : {65535u - 16, 65536u - 16, 65537u - 16}) {
    check_round_trip(word + std::string(gap, 'y') + word);
  }
}

TEST(snappy_writes_what_others_read) {
  // The longest literal whose length is in its tag, the shortest that needs a byte, and four.
  CHECK_EQUAL(snappy_compress(noise(60)).size(), 1u + 1 + 60);
  CHECK_EQUAL(snappy_compress(noise(61)).size(), 1u + 2 + 61);
  // 65 bytes are copied as 61 and 4, and the last four bytes can be a match.
  CHECK_EQUAL(snappy_compress(std::string(66, 'a')), std::string("\x42\0a\xf2\1\0\x0e\1\0", 9));
  CHECK_EQUAL(snappy_compress("abcdefghabcd").size(), 1u + 9 + 3);
  const std::string large = noise((1 << 24) + 1);
  const std::string large_block = snappy_compress(large);
  CHECK_EQUAL(large_block.size(), 4 + 5 + large.size());
  CHECK(snappy_expand(large_block) == large);
  CHECK_EQUAL(snappy_compress(""), std::string("\0", 1));
  CHECK_EQUAL(snappy_compress("abc"), "\3\10abc");
  // A literal of one byte, then copies of 64 and 60 bytes from one byte before, then 4 bytes.
  std::string block("\x81\1\0a", 4);
  block += std::string("\xfe\1\0\xfe\1\0", 6);
  CHECK_EQUAL(snappy_compress(std::string(129, 'a')), block);
  block = std::string("\x82\1\0a", 4) + std::string("\xfe\1\0\xf2\1\0\x0e\1\0", 9);
  CHECK_EQUAL(snappy_compress(std::string(130, 'a')).size(), block.size());
  // No match is outside the window: a copy's offset has 16 bits.
  const std::string word = "the same sixteen";
  const auto size_with = [&](size_t gap) {
    return snappy_compress(word + std::string(gap, 'y') + word).size();
  };
  CHECK(size_with(65535 - 16) + 10 < size_with(65536 - 16));
  CHECK(snappy_compress(std::string(10000, 'a')).size() < 500);
}

}  // namespace
}  // namespace ef
