#include "data/snappy.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace ef {
namespace {

// A block begins with the length of the data. Pieces follow, each after a tag whose lower two bits
// are its kind: literal bytes, or a copy of earlier data at an offset.
enum Tag : uint8_t { kLiteral = 0, kCopyNear = 1, kCopy = 2, kCopyFar = 3 };

constexpr size_t kWindow = 1 << 16;  // copies reach back by less than this
constexpr int kHashBits = 14;
constexpr size_t kShortest = 4, kLongest = 64;

uint32_t four_bytes(const char* data) {
  uint32_t value;
  std::memcpy(&value, data, sizeof(value));
  return value;
}

uint32_t hash_of(uint32_t value) { return (value * 0x1e35a7bdu) >> (32 - kHashBits); }

void append_integer(std::string& out, size_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> (8 * i) & 255));
}

void add_literal(std::string& out, std::string_view data) {
  if (data.empty()) return;
  const size_t rest = data.size() - 1;
  if (rest < 60) {
    out.push_back(static_cast<char>(rest << 2 | kLiteral));
  } else {
    size_t bytes = 1;
    while (bytes < 4 && rest >> (8 * bytes)) ++bytes;
    out.push_back(static_cast<char>((59 + bytes) << 2 | kLiteral));
    append_integer(out, rest, bytes);
  }
  out.append(data);
}

void add_copy(std::string& out, size_t offset, size_t length) {
  while (length > 0) {
    // The remainder must not be shorter than the shortest copy.
    const size_t piece = length > kLongest && length < kLongest + kShortest
                             ? length - kShortest
                             : std::min(length, kLongest);
    out.push_back(static_cast<char>((piece - 1) << 2 | kCopy));
    append_integer(out, offset, 2);
    length -= piece;
  }
}

bool read_integer(std::string_view& data, size_t bytes, size_t& value) {
  if (data.size() < bytes) return false;
  value = 0;
  for (size_t i = 0; i < bytes; ++i) {
    value |= static_cast<size_t>(static_cast<uint8_t>(data[i])) << (8 * i);
  }
  data.remove_prefix(bytes);
  return true;
}

bool read_length(std::string_view& block, size_t& length) {
  length = 0;
  for (int shift = 0; shift < 35; shift += 7) {
    if (block.empty()) return false;
    const auto byte = static_cast<uint8_t>(block.front());
    block.remove_prefix(1);
    length |= static_cast<size_t>(byte & 127) << shift;
    if (byte < 128) return length <= UINT32_MAX;
  }
  return false;
}

}  // namespace

std::string snappy_compress(std::string_view data) {
  std::string out;
  for (size_t rest = data.size();; rest >>= 7) {
    out.push_back(static_cast<char>(rest < 128 ? rest : (rest & 127) | 128));
    if (rest < 128) break;
  }
  // The last position of four bytes with a hash, plus one.
  std::array<uint32_t, 1 << kHashBits> seen{};
  size_t literal = 0, at = 0;
  while (at + kShortest <= data.size()) {
    const uint32_t word = four_bytes(data.data() + at);
    uint32_t& last_seen = seen[hash_of(word)];
    const size_t before = last_seen;
    last_seen = static_cast<uint32_t>(at + 1);
    if (before == 0 || at - (before - 1) >= kWindow ||
        four_bytes(data.data() + before - 1) != word) {
      // The longer there is no match, the fewer positions are tried.
      at += 1 + (at - literal) / 32;
      continue;
    }
    const size_t match = before - 1;
    size_t length = kShortest;
    while (at + length < data.size() && data[match + length] == data[at + length]) ++length;
    add_literal(out, data.substr(literal, at - literal));
    add_copy(out, at - match, length);
    at += length;
    literal = at;
  }
  add_literal(out, data.substr(std::min(literal, data.size())));
  return out;
}

std::optional<std::string> snappy_expand(std::string_view block) {
  size_t size;
  if (!read_length(block, size)) return std::nullopt;
  // Three bytes expand to at most 64, so a damaged length cannot request more memory than that.
  if (size > 32 * (block.size() + 1)) return std::nullopt;
  std::string out;
  out.reserve(size);
  while (!block.empty()) {
    const auto tag = static_cast<uint8_t>(block.front());
    block.remove_prefix(1);
    size_t length, offset;
    if ((tag & 3) == kLiteral) {
      length = tag >> 2;
      if (length >= 60 && !read_integer(block, length - 59, length)) return std::nullopt;
      ++length;
      if (length > block.size() || length > size - out.size()) return std::nullopt;
      out.append(block.substr(0, length));
      block.remove_prefix(length);
      continue;
    }
    if ((tag & 3) == kCopyNear) {
      length = (tag >> 2 & 7) + 4;
      if (!read_integer(block, 1, offset)) return std::nullopt;
      offset |= static_cast<size_t>(tag >> 5) << 8;
    } else {
      length = (tag >> 2) + 1;
      if (!read_integer(block, (tag & 3) == kCopy ? 2 : 4, offset)) return std::nullopt;
    }
    if (offset == 0 || offset > out.size() || length > size - out.size()) return std::nullopt;
    // The copied range may overlap the written one.
    for (size_t i = 0; i < length; ++i) out.push_back(out[out.size() - offset]);
  }
  if (out.size() != size) return std::nullopt;
  return out;
}

}  // namespace ef
