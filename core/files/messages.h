// Messages of protocol buffers by their declarations: checks them, and finds their fields.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ef {

// What a field holds, as protocol buffers number it.
enum class FieldKind : uint8_t {
  kDouble = 1,
  kFloat = 2,
  kInt64 = 3,
  kUint64 = 4,
  kInt32 = 5,
  kFixed64 = 6,
  kFixed32 = 7,
  kBool = 8,
  kString = 9,
  kMessage = 11,
  kBytes = 12,
  kUint32 = 13,
  kEnum = 14,
  kSint64 = 18,
};

struct MessageField {
  uint32_t number;
  FieldKind kind;
  bool repeated;
  bool is_map;  // a repeated message of keys and values
  int message;  // the index of the declaration of its messages
  int oneof;    // the index of the group whose fields exclude each other; -1 if it is in none
};

struct MessageType {
  std::vector<MessageField> fields;
  int find(uint32_t number) const;  // the index of a field; -1 for unknown numbers
};

// A field's value in a message: an integer, the bits of a floating-point number, or bytes.
struct FieldValue {
  int field;
  uint64_t number = 0;
  std::string_view bytes;
};

// Walks over the values of declared fields; packed values one by one. Skips others.
class MessageReader {
 public:
  MessageReader(const MessageType& type, std::string_view content)
      : type_(type), content_(content) {}

  // Finds the next value. False at the end, and where the message is damaged.
  bool next(FieldValue& value);
  bool damaged() const { return damaged_; }

 private:
  bool packed_value(FieldValue& value);
  bool skip_group(uint32_t number, int depth);

  const MessageType& type_;
  std::string_view content_;
  std::string_view packed_;
  int packed_field_ = -1;
  bool damaged_ = false;
};

// Whether a message and all messages in it are well-formed, and their strings UTF-8.
bool is_well_formed(const std::vector<MessageType>& types, int type, std::string_view content,
                    int depth = 0);

}  // namespace ef
