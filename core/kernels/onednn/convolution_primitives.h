// oneDNN's primitives for parts of convolutions.
#pragma once

#include <array>

#include "kernels/cpu/float_convolution.h"
#include "kernels/onednn/onednn.h"

namespace ef::cpu {

using Dims = dnnl::memory::dims;
using Desc = dnnl::memory::desc;

// The filter in the layout of programs.
Desc stored_filter_desc(const Convolution& c);

// A primitive for a number of images, and its layout of the filter.
struct Primitive {
  dnnl::primitive convolution;
  std::array<int, 4> arguments;
  std::array<Desc, 4> descs;
  Desc filter;
  size_t scratch_bytes = 0;

  onednn::Step step() const { return onednn::Step(convolution, arguments, descs); }
};
Primitive make_primitive(const Convolution& c);

onednn::Step reorder_step(const Desc& from, const Desc& to);

// The least number of multiplications of a piece for a thread; they take about 20 us.
inline constexpr int64_t kLeastPiece = 1'000'000;

// A part of a convolution, itself a convolution.
struct Part {
  Convolution convolution;
  int64_t image = 0;  // offsets of the operands
  int64_t result = 0;
};
// The k-th of the parts with whole images.
Part part_of_images(const Convolution& c, int64_t k, int64_t parts);
// A part of image n: these rows of the written operand, and the rows of the other operand that
// contribute to them. Returns false if no rows contribute.
bool part_of_rows(const Convolution& c, int64_t n, int64_t begin, int64_t end, Part& part);
// Whether two parts of a convolution can use one primitive.
bool same_primitive(const Convolution& a, const Convolution& b);

// The key of a plan; `kind` distinguishes plans of different types.
onednn::Key key_of(const Convolution& c, int64_t kind, bool threaded);

}  // namespace ef::cpu
