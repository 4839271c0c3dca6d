// Random values: the same Philox blocks as the CPU's kernels, and so TensorFlow's values.
#include <numbers>

#include "lower/rule.h"
#include "ops/random.h"
#include "tensor/error.h"

namespace ef::lower {
namespace {

constexpr DType kWord = DType::kUint32, kLong = DType::kUint64;

Value number(Builder& b, DType dtype, const Shape& shape, uint64_t value) {
  return b.full_int(dtype, shape, static_cast<int64_t>(value));
}

// The state of a stream as 64-bit scalars: its key, and the halves of its counter.
struct Stream {
  Value key, low, high;
};
Stream stream_of(const Call& c, const ops::StreamAttrs& attrs) {
  const auto get = [&](const char* name, int64_t known) {
    const Value* const late = c.find_late(name);
    return late ? c.b.convert(c.b.reshape(*late, {}), kLong) : c.b.full_int(kLong, {}, known);
  };
  return {get("key", attrs.key), get("counter_low", attrs.counter_low),
          get("counter_high", attrs.counter_high)};
}

Value lower_half(Builder& b, const Value& x) { return b.convert(x, kWord); }
Value upper_half(Builder& b, const Value& x) {
  return b.convert(b.binary("stablehlo.shift_right_logical", x, number(b, kLong, x.shape, 32)),
                   kWord);
}

// The four words of the blocks at some offsets, uint64 [n], from a stream's counter on.
Values blocks_at(Builder& b, const Stream& stream, const Value& offsets) {
  const Shape& shape = offsets.shape;
  const Value start = b.broadcast(stream.low, shape);
  const Value low = b.add(start, offsets);
  const Value carry = b.convert(b.compare("LT", low, start), kLong);
  const Value high = b.add(b.broadcast(stream.high, shape), carry);
  Values x{lower_half(b, low), upper_half(b, low), lower_half(b, high), upper_half(b, high)};
  Value k0 = lower_half(b, stream.key), k1 = upper_half(b, stream.key);
  const auto product = [&](const Value& word, uint32_t factor) {
    return b.mul(b.convert(word, kLong), number(b, kLong, shape, factor));
  };
  const auto mixed = [&](const Value& one, const Value& two, const Value& key) {
    return b.binary("stablehlo.xor", b.binary("stablehlo.xor", one, two), b.broadcast(key, shape));
  };
  for (int round = 0; round < 10; ++round) {
    const Value p0 = product(x[0], 0xD2511F53), p1 = product(x[2], 0xCD9E8D57);
    x = {mixed(upper_half(b, p1), x[1], k0), lower_half(b, p1), mixed(upper_half(b, p0), x[3], k1),
         lower_half(b, p0)};
    k0 = b.add(k0, number(b, kWord, {}, 0x9E3779B9));
    k1 = b.add(k1, number(b, kWord, {}, 0xBB67AE85));
  }
  return x;
}

// The values of n blocks in one row, block by block; each of `parts` has one value per block.
Value interleaved(Builder& b, const Values& parts) {
  Values columns;
  for (const Value& part : parts) columns.push_back(b.reshape(part, {part.shape[0], 1}));
  const Value rows = b.concat(columns, 1);
  return b.reshape(rows, {rows.shape[0] * rows.shape[1]});
}

Value first_of(const Call& c, const Value& row) {
  const Shape& shape = c.out[0].shape;
  const Value taken = c.b.slice(row, Dims{0}, Dims{shape.num_elements()});
  return c.b.reshape(taken, shape);
}

Values words_for(const Call& c, const Stream& stream, int64_t per_block) {
  const int64_t count = (c.out[0].shape.num_elements() + per_block - 1) / per_block;
  return blocks_at(c.b, stream, c.b.iota(kLong, {count}, 0));
}

// Uniform in [0, 1): bits as the mantissa of a value in [1, 2), minus 1.
Value unit_float(Builder& b, const Value& word) {
  const Value mantissa = b.logical_and(word, number(b, kWord, word.shape, 0x7fffff));
  const Value bits = b.logical_or(mantissa, number(b, kWord, word.shape, 0x3f800000));
  const Value x = b.bitcast(bits, DType::kFloat32);
  return b.sub(x, b.like(x, 1));
}

Value joined(Builder& b, const Value& upper, const Value& lower) {
  const Value shifted =
      b.binary("stablehlo.shift_left", b.convert(upper, kLong), number(b, kLong, upper.shape, 32));
  return b.logical_or(shifted, b.convert(lower, kLong));
}

Value unit_double(Builder& b, const Value& first, const Value& second) {
  const Value upper = b.logical_and(first, number(b, kWord, first.shape, 0xfffff));
  const Value mantissa = joined(b, upper, second);
  const Value bits = b.logical_or(mantissa, number(b, kLong, first.shape, uint64_t{1023} << 52));
  const Value x = b.bitcast(bits, DType::kFloat64);
  return b.sub(x, b.like(x, 1));
}

Values uniform(const Call& c) {
  Builder& b = c.b;
  const DType dtype = c.out[0].dtype;
  const Stream stream = stream_of(c, c.attrs<ops::SampleAttrs>().stream);
  if (dtype == DType::kFloat64) {
    const Values w = words_for(c, stream, 2);
    return {first_of(c, interleaved(b, {unit_double(b, w[0], w[1]), unit_double(b, w[2], w[3])}))};
  }
  const Value words = first_of(c, interleaved(b, words_for(c, stream, 4)));
  if (dtype == DType::kFloat32) return {unit_float(b, words)};
  const int bits = dtype == DType::kFloat16 ? 10 : 7;
  const Value k = b.logical_and(words, number(b, kWord, words.shape, (1u << bits) - 1));
  const Value x = b.convert(k, DType::kFloat32);
  return {b.convert(b.mul(x, b.like(x, std::ldexp(1.0, -bits))), dtype)};
}

// The Box-Muller transform of pairs of uniform values.
std::pair<Value, Value> normal_pair(Builder& b, const Value& one, const Value& two) {
  const Value u = b.max(one, b.like(one, 1.0e-7));
  const Value angle = b.mul(two, b.like(two, 2 * std::numbers::pi));
  const Value radius = b.sqrt(b.mul(b.log(u), b.like(u, -2)));
  return {b.mul(b.unary("stablehlo.sine", angle), radius),
          b.mul(b.unary("stablehlo.cosine", angle), radius)};
}

// All normal values of blocks, in order.
Values normals(Builder& b, const Values& w, bool wide) {
  if (wide) {
    const auto [x, y] = normal_pair(b, unit_double(b, w[0], w[1]), unit_double(b, w[2], w[3]));
    return {x, y};
  }
  const auto [x, y] = normal_pair(b, unit_float(b, w[0]), unit_float(b, w[1]));
  const auto [z, t] = normal_pair(b, unit_float(b, w[2]), unit_float(b, w[3]));
  return {x, y, z, t};
}

Values normal(const Call& c) {
  const bool wide = c.out[0].dtype == DType::kFloat64;
  const Stream stream = stream_of(c, c.attrs<ops::SampleAttrs>().stream);
  const Values parts = normals(c.b, words_for(c, stream, wide ? 2 : 4), wide);
  return {c.b.convert(first_of(c, interleaved(c.b, parts)), c.out[0].dtype)};
}

// Each group of outputs keeps the values below 2 of its own blocks, in order, until it is full.
Values truncated_normal(const Call& c) {
  Builder& b = c.b;
  const bool wide = c.out[0].dtype == DType::kFloat64;
  const int64_t group = wide ? 2 : 4;
  const int64_t reserved = group * 256 / 4;  // blocks
  const int64_t groups = (c.out[0].shape.num_elements() + group - 1) / group;
  const DType dtype = wide ? DType::kFloat64 : DType::kFloat32;
  const Stream stream = stream_of(c, c.attrs<ops::SampleAttrs>().stream);
  const Value first = b.mul(b.iota(kLong, {groups}, 0),
                            number(b, kLong, {groups}, static_cast<uint64_t>(reserved)));
  const Values start{b.full_int(kLong, {}, 0), b.full_int(DType::kInt32, {groups}, 0),
                     b.full(dtype, {groups, group}, 0)};
  std::vector<TensorSpec> specs;
  for (const Value& value : start) specs.push_back(value.spec());
  const std::string regions[] = {
      b.region(specs,
               [&](const Values& a) {
                 const Value left =
                     b.compare("LT", a[1], b.full_int(DType::kInt32, {groups}, group));
                 return Values{b.reduce(Reduction::kOr, left, Dims{0})};
               }),
      b.region(specs, [&](const Values& a) {
        const Value offsets = b.add(first, b.broadcast(a[0], {groups}));
        Value made = a[1], kept = a[2];
        const Value places = b.iota(DType::kInt32, {groups, group}, 1);
        for (const Value& x : normals(b, blocks_at(b, stream, offsets), wide)) {
          const Value small = b.compare("LT", b.abs(x), b.like(x, 2));
          const Value here =
              b.compare("EQ", places, b.broadcast_in_dim(made, places.shape, Dims{0}));
          const Value taken = b.logical_and(here, b.broadcast_in_dim(small, places.shape, Dims{0}));
          kept = b.select(taken, b.broadcast_in_dim(x, places.shape, Dims{0}), kept);
          made = b.add(made, b.convert(small, DType::kInt32));
        }
        return Values{b.add(a[0], b.full_int(kLong, {}, 1)), made, kept};
      })};
  const Values found = b.op("stablehlo.while", start, {}, specs, regions);
  return {b.convert(first_of(c, b.reshape(found[2], {groups * group})), c.out[0].dtype)};
}

Value integers(const Call& c, const Stream& stream, bool is_long) {
  Builder& b = c.b;
  const Values w = words_for(c, stream, is_long ? 2 : 4);
  if (!is_long) return first_of(c, interleaved(b, w));
  return first_of(c, interleaved(b, {joined(b, w[1], w[0]), joined(b, w[3], w[2])}));
}

Values uniform_full_int(const Call& c) {
  const bool is_long = element_size(c.out[0].dtype) == 8;
  const Stream stream = stream_of(c, c.attrs<ops::SampleAttrs>().stream);
  return {c.b.bitcast(integers(c, stream, is_long), c.out[0].dtype)};
}

Values uniform_int(const Call& c) {
  Builder& b = c.b;
  const auto& attrs = c.attrs<ops::UniformIntAttrs>();
  if (c.find_late("minval") || c.find_late("maxval")) {
    refuse("random integers whose limits depend on values");
  }
  const bool is_long = element_size(c.out[0].dtype) == 8;
  const Value words = integers(c, stream_of(c, attrs.sample.stream), is_long);
  const uint64_t range = static_cast<uint64_t>(attrs.maxval) - static_cast<uint64_t>(attrs.minval);
  const uint64_t mask = is_long ? ~uint64_t{0} : 0xffffffffu;
  const Value rest =
      b.binary("stablehlo.remainder", words, number(b, words.dtype, words.shape, range & mask));
  const Value low = number(b, words.dtype, words.shape, static_cast<uint64_t>(attrs.minval) & mask);
  return {b.bitcast(b.add(rest, low), c.out[0].dtype)};
}

// Every sample uses half a block, row by row.
Values categorical(const Call& c) {
  Builder& b = c.b;
  const DType wide = DType::kFloat64;
  const Value logits = b.convert(c.in[0], wide);
  const int64_t rows = logits.shape[0], classes = logits.shape[1], samples = c.out[0].shape[1];
  if (rows * classes * samples == 0) return {b.full(c.out[0].dtype, c.out[0].shape, 0)};
  // Logits that are not finite have weight 0.
  const Value finite = b.one("stablehlo.is_finite", {logits}, {DType::kBool, logits.shape});
  const Value known = b.select(finite, logits, b.lowest(wide, logits.shape));
  const Value largest = b.reduce(Reduction::kMaximum, known, Dims{1});
  const Value distance = b.sub(logits, b.broadcast_in_dim(largest, logits.shape, Dims{0}));
  const Value weights = b.select(finite, b.exp(distance), b.like(logits, 0));
  const std::pair<int64_t, int64_t> paddings[] = {{0, 0}, {classes - 1, 0}};
  const Value sums =
      b.reduce_window(Reduction::kAdd, weights, Dims{1, classes}, Dims{1, 1}, paddings);
  const Stream stream = stream_of(c, c.attrs<ops::CategoricalAttrs>().stream);
  const Values w = words_for(c, stream, 2);
  const Value units =
      first_of(c, interleaved(b, {unit_double(b, w[0], w[1]), unit_double(b, w[2], w[3])}));
  const Value total = b.reshape(b.slice(sums, Dims{0, classes - 1}, Dims{rows, classes}), {rows});
  const Value places = b.mul(units, b.broadcast_in_dim(total, units.shape, Dims{0}));
  const Shape all{rows, samples, classes};
  const Value passed = b.compare("LE", b.broadcast_in_dim(sums, all, Dims{0, 2}),
                                 b.broadcast_in_dim(places, all, Dims{0, 1}));
  return {b.reduce(Reduction::kAdd, b.convert(passed, c.out[0].dtype), Dims{2})};
}

// Fisher-Yates: each index is swapped with itself or a later one.
Values shuffle(const Call& c) {
  Builder& b = c.b;
  const int64_t n = c.out[0].shape[0];
  const Value numbers = b.iota(DType::kInt32, {n}, 0);
  if (n < 2) return {numbers};
  const Stream stream = stream_of(c, c.attrs<ops::ShuffleAttrs>().stream);
  const Value words = first_of(c, interleaved(b, words_for(c, stream, 4)));
  const Value rest = b.sub(b.full_int(kWord, {n}, n), b.iota(kWord, {n}, 0));
  const Value steps = b.convert(b.binary("stablehlo.remainder", words, rest), DType::kInt32);
  const Values start{b.full_int(DType::kInt32, {}, 0), numbers};
  const TensorSpec specs[] = {start[0].spec(), start[1].spec()};
  const std::string regions[] = {
      b.region(specs,
               [&](const Values& a) {
                 return Values{b.compare("LT", a[0], b.full_int(DType::kInt32, {}, n - 1))};
               }),
      b.region(specs, [&](const Values& a) {
        const Dims one{1};
        const auto at = [&](const Value& x, const Value& place) {
          return b.dynamic_slice(x, {&place, 1}, one);
        };
        const Value other = b.add(a[0], b.reshape(at(steps, a[0]), {}));
        const Value here = at(a[1], a[0]), there = at(a[1], other);
        const Value half = b.dynamic_update_slice(a[1], there, {&a[0], 1});
        return Values{b.add(a[0], b.full_int(DType::kInt32, {}, 1)),
                      b.dynamic_update_slice(half, here, {&other, 1})};
      })};
  return {b.op("stablehlo.while", start, {}, specs, regions)[1]};
}

constexpr std::pair<const char*, Rule> kRandomRules[] = {
    {"philox_uniform", uniform},
    {"philox_normal", normal},
    {"philox_truncated_normal", truncated_normal},
    {"philox_uniform_int", uniform_int},
    {"philox_uniform_full_int", uniform_full_int},
    {"philox_categorical", categorical},
    {"philox_shuffle", shuffle},
};

}  // namespace

RuleList random_rules() { return kRandomRules; }

}  // namespace ef::lower
