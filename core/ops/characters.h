// Strings as characters, replacements in strings, CSV fields, and sets of rows.
#pragma once

#include "ops/attrs.h"

namespace ef::ops {

extern const Op utf8_decode;  // input -> code points, offsets, splits
extern const Op utf8_encode;  // codes, splits -> strings

struct StringReplaceAttrs {
  Ints members;  // the class of ASCII characters to replace: 128 bits
  bool runs;
  bool everywhere;
};
extern const Op string_replace;  // input, rewrite

struct CsvFieldsAttrs {
  int64_t delimiter;
  Ints columns;
  bool quotes;
  bool all;
};
extern const Op csv_fields;  // input

struct Base64EncodeAttrs {
  bool pad = false;
};
extern const Op base64_encode;
extern const Op base64_decode;

struct StringBytesAttrs {
  DType dtype;
  int64_t offset = 0;
};
extern const Op string_bytes;  // input
extern const Op bytes_string;  // x, prefix

enum class SetOperation : uint8_t { kIntersection, kUnion, kAMinusB, kBMinusA };
constexpr const char* words_of(SetOperation) { return "intersection|union|a_minus_b|b_minus_a"; }

struct SetRowsAttrs {
  SetOperation operation;
};
extern const Op set_rows;  // a, b, a_splits, b_splits

}  // namespace ef::ops
