// Output sizes and paddings of sliding windows.
#include "ops/window.h"

#include <algorithm>

#include "tensor/error.h"

namespace ef {
namespace {

void place(Slide& slide, Padding padding, const char* op) {
  if (slide.in < 0 || (slide.window < 0 && padding != Padding::kSame)) {
    slide.out = kUnknownSize;
    return;
  }
  const int64_t extent = slide.extent();
  if (slide.in < 0) {
    slide.out = kUnknownSize;
    return;
  }
  if (padding == Padding::kSame) {
    slide.out = (slide.in + slide.stride - 1) / slide.stride;
    if (slide.window < 0) return;
    const int64_t total = std::max<int64_t>((slide.out - 1) * slide.stride + extent - slide.in, 0);
    slide.before = total / 2;
    slide.after = total - slide.before;
    return;
  }
  if (slide.window < 0) {
    slide.out = kUnknownSize;
    return;
  }
  const int64_t room = slide.in + slide.before + slide.after - extent + slide.stride;
  slide.out = room / slide.stride;
  if (slide.out < 0) {
    invalid_argument("Computed output size would be negative: ", slide.out,
                     " [input_size: ", slide.in, ", effective_filter_size: ", extent,
                     ", stride: ", slide.stride, "] [Op:", op, "]");
  }
}

}  // namespace

Shape image_shape(DataFormat format, int64_t batch, int64_t rows, int64_t cols, int64_t channels) {
  if (format == DataFormat::kNhwc) return {batch, rows, cols, channels};
  return {batch, channels, rows, cols};
}

Window slide_window(const Shape& image, int64_t window_rows, int64_t window_cols,
                    std::span<const int64_t> strides, Padding padding,
                    std::span<const int64_t> explicit_paddings, std::span<const int64_t> dilations,
                    DataFormat format, const char* op) {
  const Axes axes = axes_of(format);
  if (strides.size() != 4) {
    invalid_argument("Sliding window strides field must specify 4 dimensions [Op:", op, "]");
  }
  if (!dilations.empty() && dilations.size() != 4) {
    invalid_argument("Sliding window dilations field must specify 4 dimensions [Op:", op, "]");
  }
  if (strides[0] != 1 || strides[axes.channel] != 1) {
    fail(Code::kUnimplemented,
         "Current implementation does not yet support strides in the batch and depth dimensions. "
         "[Op:",
         op, "]");
  }
  // The limit of sizes, so that no sum or product overflows.
  constexpr int64_t kLimit = int64_t{1} << 31;
  constexpr int64_t kLargestImage = int64_t{1} << 40;
  for (int axis : {axes.row, axes.col}) {
    if (strides[axis] <= 0) {
      invalid_argument("Row and column strides should be larger than 0. [Op:", op, "]");
    }
    if (!dilations.empty() && dilations[axis] <= 0) {
      invalid_argument("Dilated rates should be larger than 0. [Op:", op, "]");
    }
    if (strides[axis] >= kLimit || (!dilations.empty() && dilations[axis] >= kLimit)) {
      invalid_argument("Strides and dilations must be below 2^31 [Op:", op, "]");
    }
  }
  if (!dilations.empty() && (dilations[0] != 1 || dilations[axes.channel] != 1)) {
    fail(Code::kUnimplemented,
         "Current implementation does not yet support dilations in the batch and depth "
         "dimensions. [Op:",
         op, "]");
  }
  if (padding == Padding::kExplicit) {
    if (explicit_paddings.size() != 8) {
      invalid_argument("explicit_paddings attribute must contain 8 values, but got: ",
                       explicit_paddings.size(), " [Op:", op, "]");
    }
    for (int64_t value : explicit_paddings) {
      if (value < 0 || value >= kLimit) {
        invalid_argument("All elements of explicit_paddings must be nonnegative [Op:", op, "]");
      }
    }
    for (int axis : {0, axes.channel}) {
      if (explicit_paddings[2 * axis] != 0 || explicit_paddings[2 * axis + 1] != 0) {
        invalid_argument(
            "Nonzero explicit padding in the batch or depth dimensions is not supported [Op:", op,
            "]");
      }
    }
  } else if (!explicit_paddings.empty()) {
    invalid_argument(
        "explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT [Op:",
        op, "]");
  }
  Window window;
  const auto fill = [&](Slide& slide, int axis, int64_t size) {
    if (image[axis] > kLargestImage || size >= kLimit) {
      invalid_argument("An axis of ", image[axis], " is too long for windows of ", size,
                       " [Op:", op, "]");
    }
    slide.in = image[axis];
    slide.window = size;
    slide.stride = strides[axis];
    slide.dilation = dilations.empty() ? 1 : dilations[axis];
    if (padding == Padding::kExplicit) {
      slide.before = explicit_paddings[2 * axis];
      slide.after = explicit_paddings[2 * axis + 1];
    }
    place(slide, padding, op);
  };
  fill(window.row, axes.row, window_rows);
  fill(window.col, axes.col, window_cols);
  return window;
}

}  // namespace ef
