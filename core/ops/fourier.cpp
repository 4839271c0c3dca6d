// Fourier transforms: inference. Their gradients and their kernel are in Python.
#include "ops/fourier.h"

#include <algorithm>

#include "ops/attr_fields.h"
#include "ops/host_kernel.h"
#include "ops/op.h"
#include "ops/partial_shapes.h"
#include "tensor/error.h"

namespace ef::ops {
namespace {

DType spectrum_of(DType real) {
  return real == DType::kFloat32 ? DType::kComplex64 : DType::kComplex128;
}
DType real_of(DType spectrum) {
  return spectrum == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
}

void fourier_infer(InferContext& c) {
  const auto& attrs = c.attrs<FourierAttrs>();
  const DType dtype = c.dtype(0);
  const bool takes_real = attrs.kind == FourierKind::kHalf;
  if (takes_real == is_complex(dtype)) {
    invalid_argument("This transform does not take ", dtype, " [Op:", c.op().tf_name, "]");
  }
  const DType result = takes_real                             ? spectrum_of(dtype)
                       : attrs.kind == FourierKind::kFromHalf ? real_of(dtype)
                                                              : dtype;
  Shape shape = c.shape(0);
  if (!shape.ranked() || attrs.axes.is_unknown()) return c.add_output(result, Shape::unranked());
  for (const int64_t axis : attrs.axes) {
    if (axis < 0 || axis >= shape.rank()) {
      invalid_argument("There is no axis ", axis, " in shape ", shape, " [Op:", c.op().tf_name,
                       "]");
    }
  }
  if (attrs.axes.empty()) {
    invalid_argument("A transform needs an axis [Op:", c.op().tf_name, "]");
  }
  const auto last_axis = static_cast<int>(attrs.axes[attrs.axes.size() - 1]);
  int64_t& last = shape[last_axis];
  if (attrs.kind == FourierKind::kHalf && last > 0) last = last / 2 + 1;
  if (attrs.kind == FourierKind::kFromHalf) {
    const int64_t length = size_or_unknown(attrs.length);
    const int64_t bins = length == kUnknownSize ? kUnknownSize : length / 2 + 1;
    if (length == 0 || !compatible(last, bins)) {
      invalid_argument("Half a spectrum of ", last, " values is not that of ", length,
                       " [Op:", c.op().tf_name, "]");
    }
    last = length;
  }
  c.add_output(result, shape);
}

}  // namespace

const Op fourier{{
    .name = "fourier",
    .tf_name = "FFTND",
    .inputs = {{"input",
                {DType::kFloat32, DType::kFloat64, DType::kComplex64, DType::kComplex128}}},
    .attrs = attrs_of<FourierAttrs>(),
    .infer = fourier_infer,
    .kernel = host_kernel,
    .makes_outputs = true,
    .doc = "The discrete Fourier transform along axes, whose sizes must not be zero.",
}};

}  // namespace ef::ops
