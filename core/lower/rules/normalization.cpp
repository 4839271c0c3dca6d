// Biases, softmax, losses on logits, and normalisations.
#include "ops/normalization.h"
#include "lower/rule.h"
#include "ops/bias.h"
#include "tensor/error.h"

namespace ef::lower {
namespace {

DType wide_of(DType dtype) { return dtype == DType::kFloat64 ? dtype : DType::kFloat32; }
Value widened(const Call& c, size_t i) { return c.b.convert(c.in[i], wide_of(c.in[i].dtype)); }
Value narrowed(const Call& c, size_t k, const Value& x) { return c.b.convert(x, c.out[k].dtype); }

Values bias_add(const Call& c) {
  const Shape& shape = c.out[0].shape;
  const int axis = c.attrs<ops::BiasAttrs>().channel_axis(shape.rank());
  return {c.b.add(c.in[0], c.b.broadcast_in_dim(c.in[1], shape, Dims{axis}))};
}

Values bias_add_grad(const Call& c) {
  const Value x = widened(c, 0);
  const int channel = c.attrs<ops::BiasAttrs>().channel_axis(x.rank());
  Dims axes;
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (axis != channel) axes.push_back(axis);
  }
  return {narrowed(c, 0, c.b.reduce(Reduction::kAdd, x, axes))};
}

Dims last_axis(const Value& x) { return {x.rank() - 1}; }

Value over_rows(Builder& b, Reduction reduction, const Value& x) {
  const Dims last = last_axis(x);
  return b.spread(b.reduce(reduction, x, last), x.shape, last);
}

Value shifted(Builder& b, const Value& x) { return b.sub(x, over_rows(b, Reduction::kMaximum, x)); }

Value log_softmax_of(Builder& b, const Value& x) {
  const Value small = shifted(b, x);
  return b.sub(small, b.log(over_rows(b, Reduction::kAdd, b.exp(small))));
}

Value softmax_of(Builder& b, const Value& x) {
  const Value powers = b.exp(shifted(b, x));
  return b.div(powers, over_rows(b, Reduction::kAdd, powers));
}

Values softmax(const Call& c) { return {narrowed(c, 0, softmax_of(c.b, widened(c, 0)))}; }
Values log_softmax(const Call& c) { return {narrowed(c, 0, log_softmax_of(c.b, widened(c, 0)))}; }

Values softmax_grad(const Call& c) {
  Builder& b = c.b;
  const Value dy = widened(c, 0), y = widened(c, 1);
  const Value dot = over_rows(b, Reduction::kAdd, b.mul(dy, y));
  return {narrowed(c, 0, b.mul(b.sub(dy, dot), y))};
}

Values log_softmax_grad(const Call& c) {
  Builder& b = c.b;
  const Value dy = widened(c, 0), y = widened(c, 1);
  const Value sum = over_rows(b, Reduction::kAdd, dy);
  return {narrowed(c, 0, b.sub(dy, b.mul(b.exp(y), sum)))};
}

// The loss of each row, and the gradient: probabilities minus labels.
Values cross_entropy(const Call& c, const Value& logits, const Value& labels) {
  Builder& b = c.b;
  const Value logs = log_softmax_of(b, logits);
  // Classes with label 0 contribute nothing, even if their log probability is infinite.
  const Value none = b.compare("EQ", labels, b.like(labels, 0));
  const Value terms = b.select(none, b.like(logs, 0), b.mul(labels, logs));
  const Value loss = b.negate(b.reduce(Reduction::kAdd, terms, last_axis(logits)));
  return {narrowed(c, 0, loss), narrowed(c, 1, b.sub(b.exp(logs), labels))};
}

Values softmax_cross_entropy(const Call& c) {
  const Shape& shape = c.out[1].shape;
  return cross_entropy(c, c.b.broadcast(widened(c, 0), shape), c.b.broadcast(widened(c, 1), shape));
}

Values sparse_softmax_cross_entropy(const Call& c) {
  Builder& b = c.b;
  const Value logits = widened(c, 0);
  const Value& classes = c.in[1];
  const Value wanted = b.broadcast_in_dim(classes, logits.shape, Dims{0});
  const Value places = b.iota(classes.dtype, logits.shape, 1);
  const Value hot = b.convert(b.compare("EQ", wanted, places), logits.dtype);
  // The loss of a class that does not exist is NaN, as on accelerators in TensorFlow.
  const Value limit = b.full(classes.dtype, classes.shape, static_cast<double>(logits.shape[1]));
  const Value bad =
      b.logical_or(b.compare("LT", classes, b.like(classes, 0)), b.compare("GE", classes, limit));
  const Values found = cross_entropy(c, logits, hot);
  const auto masked = [&](const Value& x, const Value& mask) {
    return b.select(mask, b.like(x, std::numeric_limits<double>::quiet_NaN()), x);
  };
  return {masked(found[0], bad), masked(found[1], b.broadcast_in_dim(bad, logits.shape, Dims{0}))};
}

Values sigmoid_cross_entropy(const Call& c) {
  Builder& b = c.b;
  const Value z = widened(c, 0), x = widened(c, 1);
  const Value tail = b.unary("stablehlo.log_plus_one", b.exp(b.negate(b.abs(x))));
  const Value above = b.sub(b.max(x, b.like(x, 0)), b.mul(x, z));
  return {narrowed(c, 0, b.add(above, tail))};
}

Values l2_loss(const Call& c) {
  const Value x = widened(c, 0);
  const Value sum = c.b.reduce(Reduction::kAdd, c.b.mul(x, x), axes_from(0, x.rank()));
  return {narrowed(c, 0, c.b.mul(sum, c.b.like(sum, 0.5)))};
}

// Broadcasts along one axis of x, and sums over all others.
struct Channels {
  Channels(Builder& builder, const Shape& of, int64_t axis) : b(builder), shape(of) {
    const int64_t place = normalized(axis, of.rank());
    channel.push_back(place);
    for (int i = 0; i < of.rank(); ++i) {
      if (i == place) continue;
      others.push_back(i);
      count *= static_cast<double>(of[i]);
    }
  }
  Value spread(const Value& x) const { return b.broadcast_in_dim(x, shape, channel); }
  Value sum(const Value& x) const { return b.reduce(Reduction::kAdd, x, others); }
  Value mean(const Value& x) const {
    const Value total = sum(x);
    return b.div(total, b.like(total, count));
  }

  Builder& b;
  Shape shape;
  Dims channel, others;
  double count = 1;
};

Value inverse_of(Builder& b, const Value& variance, double epsilon) {
  return b.unary("stablehlo.rsqrt", b.add(variance, b.like(variance, epsilon)));
}

Values batch_norm(const Call& c) {
  Builder& b = c.b;
  const auto& attrs = c.attrs<ops::BatchNormAttrs>();
  const Value x = widened(c, 0);
  const Channels channels(b, x.shape, attrs.axis);
  const Value mean = channels.mean(x);
  const Value centered = b.sub(x, channels.spread(mean));
  const Value variance = channels.mean(b.mul(centered, centered));
  const Value inverse = inverse_of(b, variance, attrs.epsilon);
  const Value scaled = b.mul(centered, channels.spread(b.mul(inverse, c.in[1])));
  const Value y = b.add(scaled, channels.spread(c.in[2]));
  return {narrowed(c, 0, y), mean, variance, inverse};
}

Values batch_norm_inference(const Call& c) {
  Builder& b = c.b;
  const auto& attrs = c.attrs<ops::BatchNormAttrs>();
  const Value x = widened(c, 0);
  const Channels channels(b, x.shape, attrs.axis);
  const Value factor = b.mul(inverse_of(b, c.in[4], attrs.epsilon), c.in[1]);
  const Value y = b.mul(b.sub(x, channels.spread(c.in[3])), channels.spread(factor));
  return {narrowed(c, 0, b.add(y, channels.spread(c.in[2])))};
}

Values batch_norm_grad(const Call& c) {
  Builder& b = c.b;
  const Value dy = widened(c, 0), x = widened(c, 1);
  const Value &scale = c.in[2], &mean = c.in[3], &inverse = c.in[4];
  const Channels channels(b, x.shape, c.attrs<ops::BatchNormGradAttrs>().axis);
  const Value centered = b.sub(x, channels.spread(mean));
  const Value sum = channels.sum(dy);
  const Value dot = channels.sum(b.mul(dy, centered));
  const Value share = b.like(sum, 1 / channels.count);
  const Value slope = b.mul(b.mul(b.mul(inverse, inverse), dot), share);
  const Value inside =
      b.sub(b.sub(dy, channels.spread(b.mul(sum, share))), b.mul(centered, channels.spread(slope)));
  const Value dx = b.mul(inside, channels.spread(b.mul(scale, inverse)));
  return {narrowed(c, 0, dx), b.mul(dot, inverse), sum};
}

// Broadcasts along rows, and means over the axes of gamma: the last ones.
struct Rows {
  Rows(Builder& builder, const Shape& of, const Shape& gamma) : b(builder), shape(of) {
    inner = axes_from(of.rank() - gamma.rank(), of.rank());
    outer = axes_from(0, of.rank() - gamma.rank());
    for (const int64_t size : gamma) count *= static_cast<double>(size);
  }
  Value mean(const Value& x) const {
    const Value sum = b.reduce(Reduction::kAdd, x, inner);
    return b.div(sum, b.like(sum, count));
  }
  Value spread(const Value& x) const { return b.broadcast_in_dim(x, shape, outer); }
  Value along(const Value& gamma) const { return b.broadcast_in_dim(gamma, shape, inner); }

  Builder& b;
  Shape shape;
  Dims inner, outer;
  double count = 1;
};

Values layer_norm(const Call& c) {
  Builder& b = c.b;
  const Value x = widened(c, 0);
  const Rows rows(b, x.shape, c.in[1].shape);
  const Value mean = rows.mean(x);
  const Value centered = b.sub(x, rows.spread(mean));
  const Value variance = rows.mean(b.mul(centered, centered));
  const Value inverse = inverse_of(b, variance, c.attrs<ops::LayerNormAttrs>().epsilon);
  const Value unit = b.mul(centered, rows.spread(inverse));
  const Value y = b.add(b.mul(unit, rows.along(c.in[1])), rows.along(c.in[2]));
  return {narrowed(c, 0, y), b.reshape(mean, c.out[1].shape), b.reshape(inverse, c.out[2].shape)};
}

Values layer_norm_grad(const Call& c) {
  Builder& b = c.b;
  const Value dy = widened(c, 0), x = widened(c, 1);
  const Rows rows(b, x.shape, c.in[2].shape);
  const Value inverse = rows.spread(c.in[4]);
  const Value unit = b.mul(b.sub(x, rows.spread(c.in[3])), inverse);
  const Value slope = b.mul(dy, rows.along(c.in[2]));
  const Value inside = b.sub(b.sub(slope, rows.spread(rows.mean(slope))),
                             b.mul(unit, rows.spread(rows.mean(b.mul(slope, unit)))));
  return {narrowed(c, 0, b.mul(inverse, inside)),
          b.reduce(Reduction::kAdd, b.mul(dy, unit), rows.outer),
          b.reduce(Reduction::kAdd, dy, rows.outer)};
}

constexpr std::pair<const char*, Rule> kNormalizationRules[] = {
    {"bias_add", bias_add},
    {"bias_add_grad", bias_add_grad},
    {"softmax", softmax},
    {"log_softmax", log_softmax},
    {"softmax_grad", softmax_grad},
    {"log_softmax_grad", log_softmax_grad},
    {"softmax_cross_entropy", softmax_cross_entropy},
    {"sparse_softmax_cross_entropy", sparse_softmax_cross_entropy},
    {"sigmoid_cross_entropy", sigmoid_cross_entropy},
    {"l2_loss", l2_loss},
    {"batch_norm", batch_norm},
    {"batch_norm_inference", batch_norm_inference},
    {"batch_norm_grad", batch_norm_grad},
    {"layer_norm", layer_norm},
    {"layer_norm_grad", layer_norm_grad},
};

}  // namespace

RuleList normalization_rules() { return kNormalizationRules; }

}  // namespace ef::lower
