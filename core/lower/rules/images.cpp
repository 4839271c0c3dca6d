// Images that are resized or cropped, and fake quantization.
#include "ops/images.h"

#include "lower/rule.h"
#include "ops/fake_quant.h"
#include "tensor/error.h"

namespace ef::lower {
namespace {

// Sums of the rows from `places` on, times weights: along the first axis.
Value weighted_rows(Builder& b, const Value& x, const Value& places, const Value& weights) {
  const int64_t count = weights.shape[0], taps = weights.shape[1];
  const Value own = b.convert(weights, x.dtype);
  Value sum;
  for (int64_t tap = 0; tap < taps; ++tap) {
    const Value rows = b.take_rows(x, b.add(places, b.full_int(places.dtype, places.shape, tap)));
    const Value column =
        b.reshape(b.slice(own, Dims{0, tap}, Dims{count, tap + 1}, Dims{1, 1}), {count});
    const Value term = b.mul(rows, b.broadcast_in_dim(column, rows.shape, Dims{0}));
    sum = tap ? b.add(sum, term) : term;
  }
  return sum;
}

Values resample(const Call& c) {
  Builder& b = c.b;
  if (c.out[0].shape.num_elements() == 0) return {b.full(c.out[0].dtype, c.out[0].shape, 0)};
  constexpr int64_t kMostTaps = 64;  // the program has a step for each
  if (c.in[2].shape[1] + c.in[4].shape[1] > kMostTaps) refuse("images that shrink by so much");
  const Value rows = weighted_rows(b, b.transpose(c.in[0], Dims{1, 0, 2, 3}), c.in[1], c.in[2]);
  const Value columns = weighted_rows(b, b.transpose(rows, Dims{2, 1, 0, 3}), c.in[3], c.in[4]);
  return {b.transpose(columns, Dims{1, 2, 0, 3})};
}

// Where the samples of boxes are along an axis: [boxes, samples] each.
struct Samples {
  Value inside, low, high, share, nearest;
};

Samples samples(Builder& b, const Value& boxes, int64_t first, int64_t size, int64_t count) {
  const Shape shape{boxes.shape[0], count};
  const auto limit = [&](int64_t column) {
    const Value one = b.slice(boxes, Dims{0, column}, Dims{boxes.shape[0], column + 1}, Dims{1, 1});
    return b.broadcast(one, shape);
  };
  const Value begin = limit(first), end = limit(first + 2);
  const Value last = b.full(DType::kFloat32, shape, static_cast<double>(size - 1));
  Value place = b.mul(b.mul(b.full(DType::kFloat32, shape, 0.5), b.add(begin, end)), last);
  if (count > 1) {
    const Value step = b.div(b.mul(b.sub(end, begin), last),
                             b.full(DType::kFloat32, shape, static_cast<double>(count - 1)));
    place = b.add(b.mul(begin, last), b.mul(b.iota(DType::kFloat32, shape, 1), step));
  }
  Samples result;
  result.inside =
      b.logical_and(b.compare("GE", place, b.like(place, 0)), b.compare("LE", place, last));
  const Value kept = b.select(result.inside, place, b.like(place, 0));
  const Value low = b.unary("stablehlo.floor", kept);
  result.share = b.sub(kept, low);
  result.low = b.convert(low, DType::kInt64);
  result.high = b.convert(b.unary("stablehlo.ceil", kept), DType::kInt64);
  result.nearest = b.convert(b.unary("stablehlo.round_nearest_afz", kept), DType::kInt64);
  return result;
}

Values crop_and_resize(const Call& c) {
  Builder& b = c.b;
  const auto& attrs = c.attrs<ops::CropAttrs>();
  const Shape& images = c.in[0].shape;
  const Shape& out = c.out[0].shape;
  if (out.num_elements() == 0) return {b.full(c.out[0].dtype, out, 0)};
  const Samples down = samples(b, c.in[1], 0, images[1], out[1]);
  const Samples aside = samples(b, c.in[1], 1, images[2], out[2]);
  const Shape places{out[0], out[1], out[2]};
  const Value pixels = b.convert(b.reshape(c.in[0], {images[0] * images[1] * images[2], images[3]}),
                                 DType::kFloat32);
  const Value image = b.broadcast_in_dim(b.convert(c.in[2], DType::kInt64), places, Dims{0});
  const auto pixel = [&](const Value& y, const Value& x) {
    const Value height = b.full_int(DType::kInt64, places, images[1]);
    const Value width = b.full_int(DType::kInt64, places, images[2]);
    const Value row = b.add(b.mul(image, height), b.broadcast_in_dim(y, places, Dims{0, 1}));
    const Value at = b.add(b.mul(row, width), b.broadcast_in_dim(x, places, Dims{0, 2}));
    return b.take_rows(pixels, at);
  };
  Value result;
  if (attrs.method == ops::CropMethod::kNearest) {
    result = pixel(down.nearest, aside.nearest);
  } else {
    const auto between = [&](const Value& x, const Value& y, const Value& share) {
      return b.add(x, b.mul(b.sub(y, x), share));
    };
    const Value across = b.broadcast_in_dim(aside.share, out, Dims{0, 2});
    const Value top = between(pixel(down.low, aside.low), pixel(down.low, aside.high), across);
    const Value bottom = between(pixel(down.high, aside.low), pixel(down.high, aside.high), across);
    result = between(top, bottom, b.broadcast_in_dim(down.share, out, Dims{0, 1}));
  }
  const Value inside = b.logical_and(b.broadcast_in_dim(down.inside, out, Dims{0, 1}),
                                     b.broadcast_in_dim(aside.inside, out, Dims{0, 2}));
  return {b.select(inside, result, b.full(DType::kFloat32, out, attrs.extrapolation_value))};
}

// A row of the table of limits, for each element.
Value limit_at(const Call& c, const Value& table, int64_t row, const Shape& shape) {
  const int64_t channels = table.shape[1];
  const Value one = c.b.slice(table, Dims{row, 0}, Dims{row + 1, channels}, Dims{1, 1});
  return channels == 1 ? c.b.broadcast_in_dim(c.b.reshape(one, {}), shape, {})
                       : c.b.broadcast(c.b.reshape(one, {channels}), shape);
}

Values fake_quant(const Call& c) {
  Builder& b = c.b;
  const Value& x = c.in[0];
  const auto limit = [&](int64_t row) { return limit_at(c, c.in[1], row, x.shape); };
  const Value bottom = limit(0), top = limit(1), factor = limit(2);
  const Value limited = b.select(b.compare("GT", x, top), top, x);
  const Value raised = b.select(b.compare("LT", limited, bottom), bottom, limited);
  const Value distance = b.sub(raised, bottom);
  const bool divide = c.attrs<ops::FakeQuantAttrs>().divide;
  const Value steps = b.sub(divide ? b.div(distance, factor) : b.mul(distance, factor), limit(3));
  return {b.mul(b.unary("stablehlo.floor", b.add(steps, b.like(steps, 0.5))), limit(4))};
}

Values fake_quant_grad(const Call& c) {
  Builder& b = c.b;
  const Value &dy = c.in[0], &x = c.in[1];
  const Value bottom = limit_at(c, c.in[2], 0, x.shape), top = limit_at(c, c.in[2], 1, x.shape);
  const Value below = b.compare("LT", x, bottom), above = b.compare("GT", x, top);
  const Value inside = b.logical_and(b.compare("GE", x, bottom), b.compare("LE", x, top));
  const Value zero = b.like(dy, 0);
  const bool whole = c.in[2].shape[1] == 1;
  const auto sum = [&](const Value& mask, size_t k) {
    const Dims axes = axes_from(0, x.rank() - (whole ? 0 : 1));
    const Value total = b.reduce(Reduction::kAdd, b.select(mask, dy, zero), axes);
    return b.reshape(total, c.out[k].shape);
  };
  return {b.select(inside, dy, zero), sum(below, 1), sum(above, 2)};
}

constexpr std::pair<const char*, Rule> kRules[] = {
    {"resample", resample},
    {"crop_and_resize", crop_and_resize},
    {"fake_quant", fake_quant},
    {"fake_quant_grad", fake_quant_grad},
};

}  // namespace

RuleList image_rules() { return kRules; }

}  // namespace ef::lower
