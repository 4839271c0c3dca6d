// Table entries of the random number operations.
#include "ops/random.h"

#include "kernels/cpu/random.h"
#include "ops/input_checks.h"

namespace ef::ops {
namespace {

void check_dtype(InferContext& c, DType dtype, DTypeSet allowed) {
  if (!allowed.contains(dtype)) refuse_attr("dtype", dtype, allowed, c.op().tf_name);
}

void sample_infer(InferContext& c, DTypeSet allowed) {
  const auto shape = c.attrs().list(0);
  checked_num_elements(shape, c.op().tf_name);
  const DType dtype = c.attrs().dtype(1);
  check_dtype(c, dtype, allowed);
  c.add_output(dtype, Shape(shape));
}

void float_infer(InferContext& c) { sample_infer(c, kFloatTypes); }

constexpr DTypeSet kSampledInts{DType::kInt32, DType::kInt64, DType::kUint32, DType::kUint64};

void int_infer(InferContext& c) {
  sample_infer(c, kSampledInts);
  if (c.attrs().count() > 5 && c.attrs().integer(5) >= c.attrs().integer(6)) {
    invalid_argument("Need minval < maxval, got ", c.attrs().integer(5),
                     " >= ", c.attrs().integer(6), " [Op:", c.op().tf_name, "]");
  }
}

std::vector<AttrSpec> sample_attrs(std::initializer_list<AttrSpec> more = {}) {
  std::vector<AttrSpec> attrs = {{"shape", AttrKind::kInts},
                                 {"dtype", AttrKind::kDType},
                                 {"key", AttrKind::kInt},
                                 {"counter_low", AttrKind::kInt},
                                 {"counter_high", AttrKind::kInt}};
  attrs.insert(attrs.end(), more);
  return attrs;
}

double sample_cost(std::span<const Tensor>, const SpecList& outputs, const Attrs&) {
  return 2.0 * static_cast<double>(outputs[0].shape.num_elements());
}

}  // namespace

const Op philox_uniform{{
    .name = "philox_uniform",
    .tf_name = "RandomUniform",
    .inputs = {},
    .attrs = sample_attrs(),
    .infer = float_infer,
    .kernel = cpu::philox_uniform,
    .cost = sample_cost,
    .doc = "Uniform floating numbers in [0, 1) from a Philox key and counter.",
}};

const Op philox_normal{{
    .name = "philox_normal",
    .tf_name = "RandomStandardNormal",
    .inputs = {},
    .attrs = sample_attrs(),
    .infer = float_infer,
    .kernel = cpu::philox_normal,
    .cost = sample_cost,
    .doc = "Standard normal numbers (Box-Muller) from a Philox key and counter.",
}};

const Op philox_truncated_normal{{
    .name = "philox_truncated_normal",
    .tf_name = "TruncatedNormal",
    .inputs = {},
    .attrs = sample_attrs(),
    .infer = float_infer,
    .kernel = cpu::philox_truncated_normal,
    .cost = sample_cost,
    .doc = "Standard normal numbers within two standard deviations.",
}};

const Op philox_uniform_int{{
    .name = "philox_uniform_int",
    .tf_name = "RandomUniformInt",
    .inputs = {},
    .attrs = sample_attrs({{"minval", AttrKind::kInt}, {"maxval", AttrKind::kInt}}),
    .infer = int_infer,
    .kernel = cpu::philox_uniform_int,
    .cost = sample_cost,
    .doc = "Integers in [minval, maxval) from a Philox key and counter.",
}};

const Op philox_uniform_full_int{{
    .name = "philox_uniform_full_int",
    .tf_name = "StatelessRandomUniformFullInt",
    .inputs = {},
    .attrs = sample_attrs(),
    .infer = int_infer,
    .kernel = cpu::philox_uniform_full_int,
    .cost = sample_cost,
    .doc = "Integers over the whole range of the dtype.",
}};

const Op philox_shuffle{{
    .name = "philox_shuffle",
    .tf_name = "RandomShuffle",
    .inputs = {},
    .attrs = {{"n", AttrKind::kInt},
              {"key", AttrKind::kInt},
              {"counter_low", AttrKind::kInt},
              {"counter_high", AttrKind::kInt}},
    .infer =
        [](InferContext& c) {
          const int64_t n = c.attrs().integer(0);
          if (n < 0 || n > INT32_MAX) {
            invalid_argument("A permutation of ", n, " elements [Op:RandomShuffle]");
          }
          c.add_output(DType::kInt32, {n});
        },
    .kernel = cpu::philox_shuffle,
    .doc = "A permutation of 0 … n-1 (Fisher-Yates) from a Philox key and counter.",
}};

const Op philox_categorical{{
    .name = "philox_categorical",
    .tf_name = "Multinomial",
    .inputs = {{"logits", kFloatTypes}},
    .attrs = {{"num_samples", AttrKind::kInt},
              {"dtype", AttrKind::kDType},
              {"key", AttrKind::kInt},
              {"counter_low", AttrKind::kInt},
              {"counter_high", AttrKind::kInt}},
    .infer =
        [](InferContext& c) {
          const Shape& shape = c.shape(0);
          const int64_t samples = c.attrs().integer(0);
          if (shape.rank() != 2) {
            invalid_argument("logits should be a matrix, got shape ", shape, " [Op:Multinomial]");
          }
          if (samples < 0) {
            invalid_argument("num_samples should be non-negative, got ", samples,
                             " [Op:Multinomial]");
          }
          if (shape[1] <= 0) {
            invalid_argument("num_classes should be positive, got ", shape[1], " [Op:Multinomial]");
          }
          check_dtype(c, c.attrs().dtype(1), kIndexTypes);
          const int64_t sizes[] = {shape[0], samples};
          checked_num_elements(sizes, "Multinomial");
          c.add_output(c.attrs().dtype(1), Shape(sizes));
        },
    .kernel = cpu::philox_categorical,
    .cost =
        [](std::span<const Tensor> inputs, const SpecList& outputs, const Attrs&) {
          return 10.0 * static_cast<double>(inputs[0].size()) +
                 30.0 * static_cast<double>(outputs[0].shape.num_elements());
        },
    .doc = "Classes drawn with probabilities proportional to e^logits, row by row.",
}};

}  // namespace ef::ops
