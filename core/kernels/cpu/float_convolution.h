// The geometry of a two-dimensional convolution, and convolutions of floats.
#pragma once

#include <cstdint>

#include "ops/window.h"
#include "tensor/dtype.h"

namespace ef::cpu {

enum class Pass { kForward, kInput, kFilter };

// The geometry of one convolution, for all passes.
struct Convolution {
  Pass pass;
  bool depthwise = false;
  DataFormat format = DataFormat::kNhwc;
  Window window;
  int64_t batch = 0;
  int64_t channels = 0;  // of the image
  int64_t filters = 0;   // of the result
  int64_t groups = 1;
  bool short_floats = false;  // bfloat16, except for a filter's gradient, which is float
  int64_t filter_stride = 0;  // elements between neighbouring filter positions of a row

  int64_t group_in() const { return channels / groups; }
  int64_t group_out() const { return filters / groups; }
  // Depthwise filters are stored as [rows, cols, channels, multiplier], the others as
  // [rows, cols, in, out].
  int64_t filter_group_stride() const { return group_out(); }

  // Elements of one image and of one result.
  int64_t image_size() const { return channels * window.row.in * window.col.in; }
  int64_t result_size() const { return filters * window.row.out * window.col.out; }
  int64_t filter_size() const {
    return filters * group_in() * window.row.window * window.col.window;
  }
};

// Writes the operand that `c.pass` names and reads the others. `op` is named in errors.
void convolve(const Convolution& c, const float* image, const float* filter, const float* result,
              const char* op);
// The same by oneDNN if it is available (`onednn/`), otherwise by plain loops (`portable/`).
void large_convolution(const Convolution& c, const float* image, const float* filter,
                       const float* result, const char* op);

// Whether the processor multiplies bfloat16 and the convolution is large enough; otherwise it is
// computed in float.
bool suits_short_convolution(const Convolution& c);
// The same for bfloat16. Sums are accumulated in float and rounded once.
void convolve(const Convolution& c, const Bfloat16* image, const Bfloat16* filter,
              const Bfloat16* result, const char* op);

}  // namespace ef::cpu
