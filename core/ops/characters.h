// Strings as characters, replacements in strings, lines as fields, and sets of rows.
#pragma once

#include "ops/op.h"

namespace ef::ops {

extern const Op utf8_decode;     // input -> code points, offsets, splits
extern const Op utf8_encode;     // codes, splits -> strings
extern const Op string_replace;  // input, rewrite; members of a class of bytes
extern const Op csv_fields;      // input; delimiter, columns
extern const Op base64_encode;
extern const Op base64_decode;
extern const Op string_bytes;  // input; dtype, offset
extern const Op bytes_string;  // x, prefix
extern const Op set_rows;      // a, a_splits, b, b_splits; operation

}  // namespace ef::ops
