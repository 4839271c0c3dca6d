// The encoding of protocol buffers' messages: fields with tags.
#pragma once

#include <cstdint>
#include <string_view>

namespace ef {

// The encoding of a field's value: the lower three bits of its tag.
enum Wire : uint32_t { kVarint = 0, kFixed64 = 1, kLength = 2, kFixed32 = 5 };

// Walks over the fields of a message.
class Reader {
 public:
  explicit Reader(std::string_view data) : data_(data) {}

  bool done() const { return data_.empty(); }
  std::string_view rest() const { return data_; }

  bool varint(uint64_t& value) {
    value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (data_.empty()) return false;
      const auto byte = static_cast<uint8_t>(data_.front());
      data_.remove_prefix(1);
      value |= static_cast<uint64_t>(byte & 127) << shift;
      if (byte < 128) return true;
    }
    return false;
  }

  bool tag(uint32_t& field, uint32_t& wire) {
    uint64_t value;
    if (!varint(value) || value > UINT32_MAX) return false;
    field = static_cast<uint32_t>(value >> 3);
    wire = static_cast<uint32_t>(value & 7);
    return field != 0;
  }

  bool bytes(std::string_view& value) {
    uint64_t size;
    return varint(size) && take(size, value);
  }

  bool take(uint64_t size, std::string_view& value) {
    if (size > data_.size()) return false;
    value = data_.substr(0, size);
    data_.remove_prefix(size);
    return true;
  }

  bool skip(uint32_t wire) {
    std::string_view unused;
    uint64_t integer;
    switch (wire) {
      case kVarint: return varint(integer);
      case kFixed64: return take(8, unused);
      case kLength: return bytes(unused);
      case kFixed32: return take(4, unused);
      default: return false;
    }
  }

 private:
  std::string_view data_;
};

}  // namespace ef
