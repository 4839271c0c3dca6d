// Resizing and cropping of images, and fake quantization.
#include "ops/images.h"

#include "lower/rule.h"
#include "ops/fake_quant.h"
#include "ops/indexing.h"
#include "tensor/error.h"

namespace ef::lower {
namespace {

// Weighted sums of consecutive rows along the first axis; the first row of each is in `places`.
Value weighted_rows(Builder& b, const Value& x, const Value& places, const Value& weights) {
  const int64_t count = weights.shape[0], taps = weights.shape[1];
  const Value own = b.convert(weights, x.dtype);
  Value sum;
  for (int64_t tap = 0; tap < taps; ++tap) {
    const Value rows = b.take_rows(x, b.add(places, b.full_int(places.dtype, places.shape, tap)));
    const Value column =
        b.reshape(b.slice(own, Dims{0, tap}, Dims{count, tap + 1}, Dims{1, 1}), {count});
    const Value weight = b.broadcast_in_dim(column, rows.shape, Dims{0});
    // Pixels of weight 0 do not count, even if they are NaN or infinite.
    const Value used = b.compare("NE", weight, b.like(weight, 0));
    const Value term = b.select(used, b.mul(rows, weight), b.like(rows, 0));
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

// Positions of the samples of boxes along an axis: [boxes, samples] each.
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

// Crops of images, of the shape [boxes, rows, columns, channels].
struct Crops {
  Crops(Builder& builder, const Shape& images, const Value& boxes, const Value& indices,
        const Shape& out)
      : b(builder),
        shape(images),
        places{out[0], out[1], out[2]},
        down(samples(b, boxes, 0, images[1], out[1])),
        aside(samples(b, boxes, 1, images[2], out[2])),
        image(b.broadcast_in_dim(b.convert(indices, DType::kInt64), places, Dims{0})) {}

  // The index of a pixel among those of all images, from its row and column in its own image.
  Value place(const Value& y, const Value& x) const {
    const Value height = b.full_int(DType::kInt64, places, shape[1]);
    const Value width = b.full_int(DType::kInt64, places, shape[2]);
    const Value row = b.add(b.mul(image, height), vertical(y));
    return b.add(b.mul(row, width), horizontal(x));
  }
  // Values of rows or columns of samples, broadcast to all samples.
  Value vertical(const Value& y) const { return b.broadcast_in_dim(y, places, Dims{0, 1}); }
  Value horizontal(const Value& x) const { return b.broadcast_in_dim(x, places, Dims{0, 2}); }
  Value inside() const { return b.logical_and(vertical(down.inside), horizontal(aside.inside)); }
  // The pixels of all images.
  Value pixels(const Value& images) const {
    return b.convert(b.reshape(images, {shape[0] * shape[1] * shape[2], shape[3]}),
                     DType::kFloat32);
  }

  Builder& b;
  Shape shape, places;
  Samples down, aside;
  Value image;
};

Values crop_and_resize(const Call& c) {
  Builder& b = c.b;
  const auto& attrs = c.attrs<ops::CropAttrs>();
  const Shape& out = c.out[0].shape;
  if (out.num_elements() == 0) return {b.full(c.out[0].dtype, out, 0)};
  const Crops crops(b, c.in[0].shape, c.in[1], c.in[2], out);
  const Samples &down = crops.down, &aside = crops.aside;
  const Value pixels = crops.pixels(c.in[0]);
  const auto pixel = [&](const Value& y, const Value& x) {
    return b.take_rows(pixels, crops.place(y, x));
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
  const Value inside = b.broadcast_in_dim(crops.inside(), out, Dims{0, 1, 2});
  return {b.select(inside, result, b.full(DType::kFloat32, out, attrs.extrapolation_value))};
}

// Adds the gradient of each sample to the pixels that it was computed from.
Values crop_and_resize_grad_image(const Call& c) {
  Builder& b = c.b;
  const Value& dy = c.in[0];
  const Shape& images = c.out[0].shape;
  if (dy.shape.num_elements() == 0) return {b.full(c.out[0].dtype, images, 0)};
  const Crops crops(b, images, c.in[1], c.in[2], dy.shape);
  const Samples &down = crops.down, &aside = crops.aside;
  const Value inside = b.broadcast_in_dim(crops.inside(), dy.shape, Dims{0, 1, 2});
  const Value given = b.select(inside, dy, b.like(dy, 0));
  Values parts, places;
  const auto add = [&](const Value& y, const Value& x, const Value& weights) {
    parts.push_back(b.mul(given, b.broadcast_in_dim(weights, dy.shape, Dims{0, 1, 2})));
    places.push_back(crops.place(y, x));
  };
  const Value one = b.full(DType::kFloat32, crops.places, 1);
  if (c.attrs<ops::CropGradImageAttrs>().method == ops::CropMethod::kNearest) {
    add(down.nearest, aside.nearest, one);
  } else {
    const Value lower = crops.vertical(down.share), right = crops.horizontal(aside.share);
    const Value upper = b.sub(one, lower), left = b.sub(one, right);
    add(down.low, aside.low, b.mul(upper, left));
    add(down.low, aside.high, b.mul(upper, right));
    add(down.high, aside.low, b.mul(lower, left));
    add(down.high, aside.high, b.mul(lower, right));
  }
  const Value data[] = {b.concat(parts, 0), b.concat(places, 0)};
  const TensorSpec sums{DType::kFloat32, {images[0] * images[1] * images[2], images[3]}};
  const Op& sum = ops::unsorted_segment_sum;
  const Value total = find_rule(sum)({b, sum, data, {}, {&sums, 1}, {}})[0];
  return {b.convert(b.reshape(total, images), c.out[0].dtype)};
}

Values crop_and_resize_grad_boxes(const Call& c) {
  Builder& b = c.b;
  const Value &dy = c.in[0], &boxes = c.in[2];
  const Shape& images = c.in[1].shape;
  if (dy.shape.num_elements() == 0) return {b.full(c.out[0].dtype, c.out[0].shape, 0)};
  const Crops crops(b, images, boxes, c.in[3], dy.shape);
  const Samples &down = crops.down, &aside = crops.aside;
  const Value pixels = crops.pixels(c.in[1]);
  const auto pixel = [&](const Value& y, const Value& x) {
    return b.take_rows(pixels, crops.place(y, x));
  };
  const Value upper_left = pixel(down.low, aside.low), upper_right = pixel(down.low, aside.high);
  const Value lower_left = pixel(down.high, aside.low), lower_right = pixel(down.high, aside.high);
  const Value inside = crops.inside(), zero = b.full(DType::kFloat32, crops.places, 0);
  // The derivative of the loss by the position of a sample along an axis, over all channels.
  const auto slope = [&](const Value& first, const Value& second, const Value& share) {
    const Value wide = b.broadcast_in_dim(share, dy.shape, Dims{0, 1, 2});
    const Value change = b.add(first, b.mul(b.sub(second, first), wide));
    return b.select(inside, b.reduce(Reduction::kAdd, b.mul(dy, change), Dims{3}), zero);
  };
  const Value along_y = slope(b.sub(lower_left, upper_left), b.sub(lower_right, upper_right),
                              crops.horizontal(aside.share));
  const Value along_x = slope(b.sub(upper_right, upper_left), b.sub(lower_right, lower_left),
                              crops.vertical(down.share));
  // The position of a sample is interpolated between the edges of its box.
  const auto edges = [&](const Value& along, int64_t axis, Value& first, Value& second) {
    const int64_t count = crops.places[static_cast<int>(axis)];
    const auto last = static_cast<double>(images[static_cast<int>(axis)] - 1);
    Value share = b.full(DType::kFloat32, crops.places, 0.5);
    if (count > 1) {
      share = b.mul(b.iota(DType::kFloat32, crops.places, axis),
                    b.like(share, 1 / static_cast<double>(count - 1)));
    }
    const auto sum = [&](const Value& weights) {
      const Value all = b.mul(b.mul(along, weights), b.like(weights, last));
      return b.reshape(b.reduce(Reduction::kAdd, all, Dims{1, 2}), {dy.shape[0], 1});
    };
    first = sum(b.sub(b.like(share, 1), share));
    second = sum(share);
  };
  Value top, left, bottom, right;
  edges(along_y, 1, top, bottom);
  edges(along_x, 2, left, right);
  return {b.concat(Values{top, left, bottom, right}, 1)};
}

// A row of the table of limits, broadcast to each element.
Value limit_at(const Call& c, const Value& table, int64_t row, const Shape& shape) {
  const int64_t channels = table.shape[1];
  const Value one = c.b.slice(table, Dims{row, 0}, Dims{row + 1, channels}, Dims{1, 1});
  return channels == 1 ? c.b.broadcast_in_dim(c.b.reshape(one, {}), shape, {})
                       : c.b.broadcast(c.b.reshape(one, {channels}), shape);
}

// Like the CPU's kernel.
Values fake_quant_limits(const Call& c) {
  Builder& b = c.b;
  const auto& attrs = c.attrs<ops::FakeQuantLimitsAttrs>();
  const Shape row{1, c.in[0].shape.num_elements()};
  const Value low = b.reshape(c.in[0], row), high = b.reshape(c.in[1], row);
  const Value least = b.like(low, attrs.least), most = b.like(low, attrs.most);
  const Value none = b.like(low, 0), half = b.like(low, 0.5);
  const Value scale = b.div(b.sub(high, low), b.like(low, attrs.most - attrs.least));
  const auto floor = [&](const Value& x) { return b.unary("stablehlo.floor", x); };
  Value zero = b.sub(least, b.div(low, scale));
  zero = b.select(b.compare("LT", zero, least), least,
                  b.select(b.compare("GT", zero, most), most, floor(b.add(zero, half))));
  const Value bottom = b.mul(b.sub(least, zero), scale), top = b.mul(b.sub(most, zero), scale);
  const Value factor = attrs.divide ? scale : b.div(b.like(low, 1), scale);
  const Value steps =
      floor(b.sub(half, attrs.divide ? b.div(bottom, factor) : b.mul(bottom, factor)));
  const Value nothing = b.logical_and(b.compare("EQ", low, none), b.compare("EQ", high, none));
  const auto unless = [&](const Value& x, const Value& instead) {
    return b.select(nothing, instead, x);
  };
  return {b.concat(
      Values{unless(bottom, b.lowest(low.dtype, row)), unless(top, b.highest(low.dtype, row)),
             unless(factor, b.like(low, 1)), unless(steps, none), unless(scale, none)},
      0)};
}

// Whether an element has no limits.
Value is_free(Builder& b, const Value& bottom) {
  return b.compare("EQ", bottom, b.lowest(bottom.dtype, bottom.shape));
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
  const Value y = b.mul(b.unary("stablehlo.floor", b.add(steps, b.like(steps, 0.5))), limit(4));
  return {b.select(is_free(b, bottom), b.like(y, 0), y)};
}

Values fake_quant_grad(const Call& c) {
  Builder& b = c.b;
  const Value &dy = c.in[0], &x = c.in[1];
  const Value bottom = limit_at(c, c.in[2], 0, x.shape), top = limit_at(c, c.in[2], 1, x.shape);
  const Value below = b.compare("LT", x, bottom), above = b.compare("GT", x, top);
  const Value between = b.logical_and(b.compare("GE", x, bottom), b.compare("LE", x, top));
  const Value inside = b.logical_or(is_free(b, bottom), between);
  const Value zero = b.like(dy, 0);
  const bool whole = c.in[2].shape[1] == 1;
  const auto sum = [&](const Value& mask, size_t k) {
    const Dims axes = axes_from(0, x.rank() - (whole ? 0 : 1));
    const Value total = b.reduce(Reduction::kAdd, b.select(mask, dy, zero), axes);
    return b.reshape(total, c.out[k].shape);
  };
  return {b.select(inside, dy, zero), sum(below, 1), sum(above, 2)};
}

constexpr std::pair<const char*, Rule> kImageRules[] = {
    {"resample", resample},
    {"crop_and_resize", crop_and_resize},
    {"crop_and_resize_grad_image", crop_and_resize_grad_image},
    {"crop_and_resize_grad_boxes", crop_and_resize_grad_boxes},
    {"fake_quant_limits", fake_quant_limits},
    {"fake_quant", fake_quant},
    {"fake_quant_grad", fake_quant_grad},
};

}  // namespace

RuleList image_rules() { return kImageRules; }

}  // namespace ef::lower
