// Pooling of images, with its gradients.
#include "ops/pooling.h"
#include "lower/rule.h"
#include "ops/op_facts.h"
#include "tensor/error.h"

namespace ef::lower {
namespace {

// A window over all four axes.
struct Window4 {
  Dims sizes{1, 1, 1, 1}, strides{1, 1, 1, 1};
  std::pair<int64_t, int64_t> paddings[4] = {};
  bool padded = false;
};

Window4 window_of(const ops::PoolAttrs& attrs, const Window& window) {
  Window4 result;
  const Axes axes = axes_of(attrs.data_format);
  const auto set = [&](int axis, const Slide& slide) {
    const auto i = static_cast<size_t>(axis);
    result.sizes[i] = slide.window;
    result.strides[i] = slide.stride;
    // The last windows may end before the declared padding does.
    const int64_t needed = (slide.out - 1) * slide.stride + slide.window;
    const int64_t after =
        std::max<int64_t>(0, std::min(slide.after, needed - slide.in - slide.before));
    result.paddings[i] = {slide.before, after};
    result.padded |= slide.before != 0 || after != 0;
  };
  set(axes.row, window.row);
  set(axes.col, window.col);
  return result;
}

Values max_pool(const Call& c) {
  const auto& attrs = c.attrs<ops::PoolAttrs>();
  const Window4 w = window_of(attrs, attrs.window(c.in[0].shape, tf_name(c.op)));
  return {c.b.reduce_window(Reduction::kMaximum, c.in[0], w.sizes, w.strides, w.paddings)};
}

Values max_pool_grad(const Call& c) {
  Builder& b = c.b;
  const auto& attrs = c.attrs<ops::PoolAttrs>();
  const Value &x = c.in[0], &dy = c.in[2];
  const Window4 w = window_of(attrs, attrs.window(x.shape, tf_name(c.op)));
  const TensorSpec scalar{x.dtype, {}};
  const TensorSpec two[] = {scalar, scalar};
  const std::string regions[] = {
      b.region(two, [&](const Values& a) { return Values{b.compare("GE", a[0], a[1])}; }),
      b.combiner(Reduction::kAdd, x.dtype)};
  const Value zero = b.full(x.dtype, {}, 0);
  return {b.one("stablehlo.select_and_scatter", {x, dy, zero}, x.spec(),
                cat("window_dimensions = ", array_text(w.sizes), ", window_strides = ",
                    array_text(w.strides), ", padding = ", pairs_text(w.paddings)),
                regions)};
}

// The number of pixels of the image in each window.
Value counts(Builder& b, DType dtype, const Shape& image, const Window4& w) {
  if (!w.padded) {
    double count = 1;
    for (const int64_t size : w.sizes) count *= static_cast<double>(size);
    return b.full(dtype, {}, count);
  }
  Shape one = image;
  for (int axis = 0; axis < 4; ++axis) {
    if (w.sizes[static_cast<size_t>(axis)] == 1) one[axis] = 1;
  }
  return b.reduce_window(Reduction::kAdd, b.full(dtype, one, 1), w.sizes, w.strides, w.paddings);
}

Values avg_pool(const Call& c) {
  Builder& b = c.b;
  const auto& attrs = c.attrs<ops::PoolAttrs>();
  const Window4 w = window_of(attrs, attrs.window(c.in[0].shape, tf_name(c.op)));
  const DType wide = c.in[0].dtype == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
  const Value x = b.convert(c.in[0], wide);
  const Value sums = b.reduce_window(Reduction::kAdd, x, w.sizes, w.strides, w.paddings);
  const Value shares = b.broadcast(counts(b, wide, x.shape, w), sums.shape);
  return {b.convert(b.div(sums, shares), c.out[0].dtype)};
}

Values avg_pool_grad(const Call& c) {
  Builder& b = c.b;
  const auto& attrs = c.attrs<ops::PoolGradAttrs>();
  const Shape& image = c.out[0].shape;
  const Window window = attrs.pool.window(image, tf_name(c.op));
  const Window4 w = window_of(attrs.pool, window);
  const DType wide = c.in[0].dtype == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
  const Value dy = b.convert(c.in[0], wide);
  const Value each = b.div(dy, b.broadcast(counts(b, wide, image, w), dy.shape));
  // The gradient of a pixel is the sum over the windows that contain it.
  const Axes axes = axes_of(attrs.pool.data_format);
  Dims before(4, 0), after(4, 0), between(4, 0);
  const auto set = [&](int axis, const Slide& slide) {
    const auto i = static_cast<size_t>(axis);
    before[i] = slide.window - 1 - slide.before;
    between[i] = slide.stride - 1;
    after[i] = slide.in + slide.window - 1 - ((slide.out - 1) * slide.stride + 1) - before[i];
  };
  set(axes.row, window.row);
  set(axes.col, window.col);
  const Value apart = b.pad(each, b.full(wide, {}, 0), before, after, between);
  const std::pair<int64_t, int64_t> none[4] = {};
  const Value sums = b.reduce_window(Reduction::kAdd, apart, w.sizes, Dims(4, 1), none);
  return {b.convert(sums, c.out[0].dtype)};
}

constexpr std::pair<const char*, Rule> kPoolingRules[] = {
    {"max_pool", max_pool},
    {"max_pool_grad", max_pool_grad},
    {"avg_pool", avg_pool},
    {"avg_pool_grad", avg_pool_grad},
};

}  // namespace

RuleList pooling_rules() { return kPoolingRules; }

}  // namespace ef::lower
