// The geometry of a sliding window, for convolutions and pooling.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "ops/attrs.h"
#include "tensor/shape.h"

namespace ef {

enum class Padding : uint8_t { kSame, kValid, kExplicit };
constexpr const char* words_of(Padding) { return "SAME|VALID|EXPLICIT"; }
enum class DataFormat : uint8_t { kNhwc, kNchw };
constexpr const char* words_of(DataFormat) { return "NHWC|NCHW"; }

// One spatial dimension.
struct Slide {
  int64_t in = 0;  // `in` and `window` may be unknown; then `out` may be, too
  int64_t window = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t before = 0;  // padding
  int64_t after = 0;
  int64_t out = 0;

  int64_t extent() const { return (window - 1) * dilation + 1; }
  // Whether each window is one element, and the result has an element for each.
  bool is_plain() const { return window == 1 && stride == 1 && before == 0 && after == 0; }
};

// The index of a dimension in a shape of four.
struct Axes {
  int row;
  int col;
  int channel;
};
inline Axes axes_of(DataFormat format) {
  return format == DataFormat::kNhwc ? Axes{1, 2, 3} : Axes{2, 3, 1};
}

// [batch, rows, cols, channels] in the order of the format.
Shape image_shape(DataFormat format, int64_t batch, int64_t rows, int64_t cols, int64_t channels);

// Sizes, strides and paddings from the lists of four entries of operations; `dilations` may be
// empty. Sizes of the image and of the window may be unknown; then paddings and `out` may be, too.
// Throws InvalidArgument or Unimplemented as TensorFlow does, naming `op`.
struct Window {
  Slide row;
  Slide col;
};
Window slide_window(const Shape& image, int64_t window_rows, int64_t window_cols,
                    std::span<const int64_t> strides, Padding padding,
                    std::span<const int64_t> explicit_paddings, std::span<const int64_t> dilations,
                    DataFormat format, const char* op);

}  // namespace ef
