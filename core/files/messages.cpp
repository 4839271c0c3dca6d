#include "files/messages.h"

#include <bit>
#include <cstring>

#include "files/wire.h"

namespace ef {
namespace {

static_assert(std::endian::native == std::endian::little, "messages hold little-endian numbers");

// Deeper messages are refused, as protobuf refuses them.
constexpr int kMaxDepth = 100;

Wire wire_of(FieldKind kind) {
  switch (kind) {
    case FieldKind::kDouble:
    case FieldKind::kFixed64: return kFixed64;
    case FieldKind::kFloat:
    case FieldKind::kFixed32: return kFixed32;
    case FieldKind::kString:
    case FieldKind::kBytes:
    case FieldKind::kMessage: return kLength;
    default: return kVarint;
  }
}

uint64_t bits_of(std::string_view bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), bytes.size());
  return bits;
}

bool is_utf8(std::string_view text) {
  const auto* at = reinterpret_cast<const uint8_t*>(text.data());
  const auto* const end = at + text.size();
  while (at < end) {
    const uint8_t first = *at++;
    if (first < 0x80) continue;
    const int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    if (first < 0xc2 || first > 0xf4 || end - at < more) return false;
    // No overlong forms, no halves of surrogate pairs, nothing above U+10FFFF.
    const uint8_t least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const uint8_t most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (*at < least || *at > most) return false;
    for (int k = 1; k < more; ++k) {
      if ((at[k] & 0xc0) != 0x80) return false;
    }
    at += more;
  }
  return true;
}

// Reads a value that is no group.
bool read_value(Reader& reader, uint32_t wire, FieldValue& value) {
  switch (wire) {
    case kVarint: return reader.varint(value.number);
    case kLength: return reader.bytes(value.bytes);
    case kFixed32:
    case kFixed64: {
      std::string_view bytes;
      if (!reader.take(wire == kFixed32 ? 4 : 8, bytes)) return false;
      value.number = bits_of(bytes);
      return true;
    }
    default: return false;
  }
}

constexpr uint32_t kGroup = 3, kEndOfGroup = 4;

}  // namespace

int MessageType::find(uint32_t number) const {
  for (size_t k = 0; k < fields.size(); ++k) {
    if (fields[k].number == number) return static_cast<int>(k);
  }
  return -1;
}

bool MessageReader::packed_value(FieldValue& value) {
  value = {.field = packed_field_};
  Reader reader(packed_);
  if (!read_value(reader, wire_of(type_.fields[static_cast<size_t>(packed_field_)].kind), value)) {
    return false;
  }
  packed_ = reader.rest();
  return true;
}

// Skips what follows the tag of a group, to its end.
bool MessageReader::skip_group(uint32_t number, int depth) {
  if (depth > kMaxDepth) return false;
  while (!content_.empty()) {
    Reader reader(content_);
    uint32_t field, wire;
    if (!reader.tag(field, wire)) return false;
    FieldValue skipped;
    const bool is_group = wire == kGroup || wire == kEndOfGroup;
    if (!is_group && !read_value(reader, wire, skipped)) return false;
    content_ = reader.rest();
    if (wire == kEndOfGroup) return field == number;
    if (wire == kGroup && !skip_group(field, depth + 1)) return false;
  }
  return false;
}

bool MessageReader::next(FieldValue& value) {
  damaged_ = true;  // until something else is known
  while (true) {
    if (!packed_.empty()) return packed_value(value) ? (damaged_ = false, true) : false;
    if (content_.empty()) {
      damaged_ = false;
      return false;
    }
    Reader reader(content_);
    uint32_t number, wire;
    if (!reader.tag(number, wire)) return false;
    if (wire == kGroup) {
      content_ = reader.rest();
      if (!skip_group(number, 1)) return false;
      continue;
    }
    value = {.field = type_.find(number)};
    if (!read_value(reader, wire, value)) return false;
    content_ = reader.rest();
    if (value.field < 0) continue;
    const MessageField& field = type_.fields[static_cast<size_t>(value.field)];
    const Wire expected = wire_of(field.kind);
    if (wire == expected) {
      damaged_ = false;
      return true;
    }
    if (field.repeated && wire == kLength) {
      packed_ = value.bytes;
      packed_field_ = value.field;
    }
  }
}

bool is_well_formed(const std::vector<MessageType>& types, int type, std::string_view content,
                    int depth) {
  if (depth > kMaxDepth) return false;
  const MessageType& declared = types[static_cast<size_t>(type)];
  MessageReader reader(declared, content);
  for (FieldValue value; reader.next(value);) {
    const MessageField& field = declared.fields[static_cast<size_t>(value.field)];
    if (field.kind == FieldKind::kString && !is_utf8(value.bytes)) return false;
    if (field.kind == FieldKind::kMessage &&
        !is_well_formed(types, field.message, value.bytes, depth + 1)) {
      return false;
    }
  }
  return !reader.damaged();
}

}  // namespace ef
