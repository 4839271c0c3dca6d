// Fourier transforms.
#include "ops/fourier.h"

#include <algorithm>

#include "lower/rule.h"
#include "tensor/error.h"

namespace ef::lower {
namespace {

const char* type_of(ops::FourierKind kind) {
  switch (kind) {
    case ops::FourierKind::kForward: return "FFT";
    case ops::FourierKind::kInverse: return "IFFT";
    case ops::FourierKind::kHalf: return "RFFT";
    default: return "IRFFT";
  }
}

Values fourier(const Call& c) {
  constexpr size_t kMostAxes = 3;
  Builder& b = c.b;
  const auto& attrs = c.attrs<ops::FourierAttrs>();
  const Value& x = c.in[0];
  if (attrs.axes.size() > kMostAxes) refuse("Fourier transforms along more than 3 axes");
  if (x.shape.num_elements() == 0) return {b.full(c.out[0].dtype, c.out[0].shape, 0)};
  // XLA transforms the last axes.
  const Dims axes(attrs.axes.begin(), attrs.axes.end());
  Dims order;
  for (int64_t axis = 0; axis < x.rank(); ++axis) {
    if (std::ranges::find(axes, axis) == axes.end()) order.push_back(axis);
  }
  order.insert(order.end(), axes.begin(), axes.end());
  const Value turned = b.transpose(x, order);
  Dims lengths, back(order.size());
  for (const int64_t axis : axes) lengths.push_back(x.shape[static_cast<int>(axis)]);
  if (attrs.kind == ops::FourierKind::kFromHalf) lengths.back() = attrs.length;
  Shape shape;
  for (size_t i = 0; i < order.size(); ++i) {
    shape.push_back(c.out[0].shape[static_cast<int>(order[i])]);
    back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  }
  const Value result = b.one("stablehlo.fft", {turned}, {c.out[0].dtype, shape},
                             cat("fft_type = #stablehlo<fft_type ", type_of(attrs.kind),
                                 ">, fft_length = ", array_text(lengths)));
  return {b.transpose(result, back)};
}

constexpr std::pair<const char*, Rule> kFourierRules[] = {{"fourier", fourier}};

}  // namespace

RuleList fourier_rules() { return kFourierRules; }

}  // namespace ef::lower
