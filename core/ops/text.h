// Operations on strings.
#pragma once

#include "tensor/dtype.h"

namespace ef {
class InferContext;
}

namespace ef::ops {

inline constexpr DTypeSet kText{DType::kString};

// Infers strings of the first input's shape.
void same_texts(InferContext& c);

// Attributes of string_length and string_part.
struct TextUnitAttrs {
  bool characters = false;  // count UTF-8 characters, not bytes
};
struct StringCaseAttrs {
  bool upper;
};

enum class HashMethod : uint8_t { kFarm, kMurmur, kSip };
constexpr const char* words_of(HashMethod) { return "farm|murmur|sip"; }

struct StringHashAttrs {
  int64_t buckets;
  HashMethod method;
  int64_t key0 = 0;
  int64_t key1 = 0;
};

struct StringToNumberAttrs {
  DType dtype;
};

enum class NumberFormat : uint8_t { kFixed, kScientific, kShortest };
constexpr const char* words_of(NumberFormat) { return "fixed|scientific|shortest"; }

struct StringOfNumberAttrs {
  int64_t precision = 6;
  NumberFormat format = NumberFormat::kFixed;
};

}  // namespace ef::ops
