// Vector loops of products of bytes.
#pragma once

#include <cstdint>

#include "device/isa.h"

namespace ef::cpu {

// Columns of a panel of packed weights, and rows of the other operand that are multiplied by one
// word of it.
constexpr int64_t kInt8PanelCols = 16;
constexpr int64_t kInt8Word = 4;
// The byte that represents zero in the left operand, whose bytes are unsigned.
constexpr int kInt8Zero = 128;

// Weights in panels of 16 columns. A word holds 4 consecutive rows of one column. The rows are
// divided into segments of `words` words; the left operand has an address for each segment.
struct Int8Panels {
  int64_t segments;
  const int64_t* offsets;  // of the segments in the left operand, from the first one
  int64_t words;           // of a segment
  int64_t cols;
  const float* scale;    // one for each column, padded to whole panels
  const int32_t* start;  // of the sums: minus the contribution of kInt8Zero
  const int8_t* weights;

  int64_t panels() const { return (cols + kInt8PanelCols - 1) / kInt8PanelCols; }
  int64_t panel_bytes() const { return segments * words * kInt8Word * kInt8PanelCols; }
};

struct Int8Loops {
  // The greatest absolute value; NaN if there is one.
  float (*greatest)(const float* x, int64_t n);
  // x * factor, rounded to integers, plus kInt8Zero. |x * factor| is at most 127.
  void (*quantize)(const float* x, int64_t n, float factor, uint8_t* to);
  // Rows of the product, in the columns of the panels [first, last): row r has its bytes at
  // lefts[r] and is multiplied by scales[r * scale_step].
  void (*multiply)(const Int8Panels& b, int64_t first, int64_t last, const uint8_t* const* lefts,
                   int64_t rows, const float* scales, int64_t scale_step, float* out);
};

EF_EVERY_ISA(Int8Loops, int8_loops)

}  // namespace ef::cpu
