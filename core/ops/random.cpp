// Table entries of the random operations.
#include "ops/random.h"

#include "kernels/cpu/random.h"
#include "ops/attr_fields.h"
#include "ops/input_checks.h"
#include "ops/op.h"
#include "ops/partial_shapes.h"
#include "tensor/error.h"

namespace ef::ops {
namespace {

void check_dtype(InferContext& c, DType dtype, DTypeSet allowed) {
  if (!allowed.contains(dtype)) refuse_attr("dtype", dtype, allowed, c.op().tf_name);
}

Shape sample_infer(InferContext& c, const SampleAttrs& attrs, DTypeSet allowed) {
  const Shape shape = shape_of_sizes(attrs.shape, c.op().tf_name);
  check_dtype(c, attrs.dtype, allowed);
  c.add_output(attrs.dtype, shape);
  return shape;
}

void float_infer(InferContext& c) { sample_infer(c, c.attrs<SampleAttrs>(), kFloatTypes); }

constexpr DTypeSet kSampledInts{DType::kInt32, DType::kInt64, DType::kUint32, DType::kUint64};

void full_int_infer(InferContext& c) { sample_infer(c, c.attrs<SampleAttrs>(), kSampledInts); }

void uniform_int_infer(InferContext& c) {
  const auto& [sample, minval, maxval] = c.attrs<UniformIntAttrs>();
  const Shape shape = sample_infer(c, sample, kSampledInts);
  if (minval >= maxval && minval != kUnknownInt && maxval != kUnknownInt &&
      known_elements(shape) != 0) {
    invalid_argument("Need minval < maxval, got ", minval, " >= ", maxval, " [Op:", c.op().tf_name,
                     "]");
  }
  const bool known = minval != kUnknownInt && maxval != kUnknownInt;
  const uint64_t range = static_cast<uint64_t>(maxval) - static_cast<uint64_t>(minval);
  if (known && element_size(sample.dtype) == 4 && range > UINT32_MAX) {
    invalid_argument("The range from ", minval, " to ", maxval, " is too large for ",
                     dtype_name(sample.dtype), " [Op:", c.op().tf_name, "]");
  }
}

double sample_cost(std::span<const Tensor>, const SpecList& outputs, AttrsRef) {
  return 2.0 * static_cast<double>(outputs[0].shape.num_elements());
}

}  // namespace

const Op philox_uniform{{
    .name = "philox_uniform",
    .tf_name = "RandomUniform",
    .inputs = {},
    .attrs = attrs_of<SampleAttrs>(),
    .infer = float_infer,
    .kernel = cpu::philox_uniform,
    .cost = sample_cost,
    .doc = "Uniform floating samples in [0, 1) from a Philox key and counter.",
}};

const Op philox_normal{{
    .name = "philox_normal",
    .tf_name = "RandomStandardNormal",
    .inputs = {},
    .attrs = attrs_of<SampleAttrs>(),
    .infer = float_infer,
    .kernel = cpu::philox_normal,
    .cost = sample_cost,
    .doc = "Standard normal samples (Box-Muller) from a Philox key and counter.",
}};

const Op philox_truncated_normal{{
    .name = "philox_truncated_normal",
    .tf_name = "TruncatedNormal",
    .inputs = {},
    .attrs = attrs_of<SampleAttrs>(),
    .infer = float_infer,
    .kernel = cpu::philox_truncated_normal,
    .cost = sample_cost,
    .doc = "Standard normal samples within two standard deviations.",
}};

const Op philox_uniform_int{{
    .name = "philox_uniform_int",
    .tf_name = "RandomUniformInt",
    .inputs = {},
    .attrs = attrs_of<UniformIntAttrs>(),
    .infer = uniform_int_infer,
    .kernel = cpu::philox_uniform_int,
    .cost = sample_cost,
    .doc = "Integers in [minval, maxval) from a Philox key and counter.",
}};

const Op philox_uniform_full_int{{
    .name = "philox_uniform_full_int",
    .tf_name = "StatelessRandomUniformFullInt",
    .inputs = {},
    .attrs = attrs_of<SampleAttrs>(),
    .infer = full_int_infer,
    .kernel = cpu::philox_uniform_full_int,
    .cost = sample_cost,
    .doc = "Integers over the whole range of the dtype.",
}};

const Op philox_shuffle{{
    .name = "philox_shuffle",
    .tf_name = "RandomShuffle",
    .inputs = {},
    .attrs = attrs_of<ShuffleAttrs>(),
    .infer =
        [](InferContext& c) {
          const int64_t n = c.attrs<ShuffleAttrs>().n;
          if ((n < 0 && n != kUnknownInt) || n > INT32_MAX) {
            invalid_argument("A permutation of ", n, " elements [Op:RandomShuffle]");
          }
          c.add_output(DType::kInt32, {size_or_unknown(n)});
        },
    .kernel = cpu::philox_shuffle,
    .doc = "A permutation of 0 … n-1 (Fisher-Yates) from a Philox key and counter.",
}};

const Op philox_categorical{{
    .name = "philox_categorical",
    .tf_name = "Multinomial",
    .inputs = {{"logits", kFloatTypes}},
    .attrs = attrs_of<CategoricalAttrs>(),
    .infer =
        [](InferContext& c) {
          const Shape shape = c.shape(0).ranked() ? c.shape(0) : Shape::of_rank(2);
          const CategoricalAttrs& attrs = c.attrs<CategoricalAttrs>();
          const int64_t samples = attrs.num_samples;
          if (shape.rank() != 2) {
            invalid_argument("logits should be a matrix, got shape ", shape, " [Op:Multinomial]");
          }
          if (samples < 0 && samples != kUnknownInt) {
            invalid_argument("num_samples should be non-negative, got ", samples,
                             " [Op:Multinomial]");
          }
          if (shape[1] == 0) {
            invalid_argument("num_classes should be positive, got ", shape[1], " [Op:Multinomial]");
          }
          check_dtype(c, attrs.dtype, kIndexTypes);
          const Shape result{shape[0], size_or_unknown(samples)};
          check_elements(result, "Multinomial");
          c.add_output(attrs.dtype, result);
        },
    .kernel = cpu::philox_categorical,
    .cost =
        [](std::span<const Tensor> inputs, const SpecList& outputs, AttrsRef) {
          return 10.0 * static_cast<double>(inputs[0].size()) +
                 30.0 * static_cast<double>(outputs[0].shape.num_elements());
        },
    .doc = "Classes drawn with probabilities proportional to e^logits, row by row.",
}};

}  // namespace ef::ops
