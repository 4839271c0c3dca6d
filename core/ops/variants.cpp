// Variant tensors: inference and gradients.
#include "ops/variants.h"

#include "kernels/cpu/variants.h"
#include "ops/array.h"
#include "ops/attr_fields.h"
#include "ops/compose.h"
#include "ops/indexing.h"
#include "ops/op.h"
#include "ops/partial_shapes.h"
#include "ops/sizes.h"
#include "tensor/error.h"

namespace ef::ops {
namespace {

std::vector<InputSpec> with_splits(InputSpec first) {
  return {first,
          {.name = "splits",
           .dtypes = kIndexTypes,
           .type = "Tsplits",
           .variadic = true,
           .optional = true}};
}

void to_variant_infer(InferContext& c) {
  if (!c.attrs<RaggedToVariantAttrs>().batched_input) return c.add_output(DType::kVariant, {});
  if (c.num_inputs() == 1) {
    if (!may_have_rank_from(c.shape(0), 1)) {
      invalid_argument("Can't unbatch rank-0 tensor. [Op:RaggedTensorToVariant]");
    }
    return c.add_output(DType::kVariant, {size_of(c.shape(0), 0)});
  }
  const Shape& splits = c.shape(1);
  const int64_t size = splits.rank() == 1 ? splits[0] : kUnknownSize;
  c.add_output(DType::kVariant, {size > 0 ? size - 1 : size});
}

void to_variant_gradient(GradContext& g) {
  TensorList inputs{g.dy()};
  for (int i = 1; i < g.num_inputs(); ++i) inputs.push_back(g.input(i));
  g.set(0, call(ragged_to_variant_grad, inputs,
                RaggedToVariantGradAttrs{
                    .batched_input = g.attrs<RaggedToVariantAttrs>().batched_input,
                    .dtype = g.input_dtype(0),
                    .shape = Ints(g.input_shape(0))}));
}

// The splits of the axes that a variant tensor of two or more axes adds are uniform, so that the
// rows of the last of them are its elements.
void from_variant_gradient(GradContext& g) {
  const auto& attrs = g.attrs<RaggedFromVariantAttrs>();
  const int count = g.num_outputs() - 1;
  const Shape& shape = g.input_shape(0);
  int64_t axes = attrs.output_ragged_rank - attrs.input_ragged_rank;
  if (attrs.input_ragged_rank < 0 || count == 0) {
    if (!shape.ranked()) {
      fail(Code::kUnimplemented,
           "The gradient of RaggedTensorFromVariant needs the rank of its input, or "
           "`input_ragged_rank`.");
    }
    axes = shape.rank();
  }
  TensorList inputs{g.dy(count)};
  for (int j = static_cast<int>(std::max<int64_t>(axes, 1)) - 1; j < count; ++j) {
    inputs.push_back(g.output(j));
  }
  const Tensor rows =
      call(ragged_to_variant, inputs, RaggedToVariantAttrs{.batched_input = axes > 0});
  g.set(0, axes > 1 ? reshape_to(rows, shape) : rows);
}

void from_variant_infer(InferContext& c) {
  const auto& attrs = c.attrs<RaggedFromVariantAttrs>();
  const int64_t rank = attrs.output_ragged_rank;
  if (attrs.input_ragged_rank < -1 || rank < 0) {
    invalid_argument("Value for attr '", rank < 0 ? "output_ragged_rank" : "input_ragged_rank",
                     "' of ", rank < 0 ? rank : attrs.input_ragged_rank,
                     " must be at least minimum ", rank < 0 ? 0 : -1,
                     " [Op:RaggedTensorFromVariant]");
  }
  const Shape& shape = c.shape(0);
  const int64_t input = attrs.input_ragged_rank;
  if (c.symbolic() && input >= 0 && input + rank > 0 &&
      !may_have_rank(shape, static_cast<int>(rank - input))) {
    invalid_argument("Shape must be rank ", rank - input, " but is rank ", shape.rank(),
                     " [Op:RaggedTensorFromVariant]");
  }
  for (int64_t j = 0; j < rank; ++j) c.add_output(attrs.splits_dtype, {kUnknownSize});
  c.add_output(attrs.values_dtype, Shape::unranked());
}

}  // namespace

const Op variant_add{{
    .name = "variant_add",
    .tf_name = "VariantAdd",
    .inputs = {{"x", kVariantType}, {"y", kVariantType}},
    .infer =
        [](InferContext& c) {
          if (!may_equal(c.shape(0), c.shape(1))) {
            invalid_argument("Variants of shapes ", c.shape(0), " and ", c.shape(1),
                             " cannot be added.");
          }
          c.add_output(DType::kVariant, merged(c.shape(0), c.shape(1)));
        },
    .kernel = cpu::variant_add,
    .gradient =
        [](GradContext& g) {
          g.set(0, g.dy());
          g.set(1, g.dy());
        },
    .needs = {{}},
    .may_be_unknown = Unknown::kRanks,
    .makes_outputs = true,
    .doc =
        R"(Returns the sums of the elements of two variant tensors: of lists, or of ragged tensors.

>>> items = _core.ops.tensor_list_from_tensor([1, 2, 3])
>>> _core.ops.tensor_list_stack(_core.ops.variant_add(items, items), tf.int32).numpy()
array([2, 4, 6], dtype=int32)
)",
}};

const Op variant_zeros_like{{
    .name = "variant_zeros_like",
    .tf_name = "VariantZerosLike",
    .inputs = {{"input", kVariantType}},
    .infer = [](InferContext& c) { c.add_output(DType::kVariant, c.shape(0)); },
    .kernel = cpu::variant_zeros_like,
    .makes_outputs = true,
    .doc = R"(Returns lists of as many zeros as others have tensors, and ragged tensors of zeros.

>>> items = _core.ops.tensor_list_from_tensor([1, 2, 3])
>>> _core.ops.tensor_list_stack(_core.ops.variant_zeros_like(items), tf.int32).numpy()
array([0, 0, 0], dtype=int32)
)",
}};

const Op ragged_to_variant{{
    .name = "ragged_to_variant",
    .tf_name = "RaggedTensorToVariant",
    .inputs = with_splits({.name = "values", .dtypes = kAnyTypes, .type = "Tvalues"}),
    .attrs = attrs_of<RaggedToVariantAttrs>(),
    .infer = to_variant_infer,
    .kernel = cpu::ragged_to_variant,
    .gradient = to_variant_gradient,
    .needs = {{.inputs = 0xFFFE}, {}},
    .may_be_unknown = Unknown::kRanks,
    .makes_outputs = true,
    .doc = R"(Returns a ragged tensor as a variant, or, if batched, each of its rows as one.

>>> rows = _core.ops.ragged_to_variant([1, 2, 3], [[0, 2, 3]], batched_input=True)
>>> rows.shape
TensorShape([2])
>>> _core.ops.ragged_from_variant(rows[0], 0, 0, tf.int32)[0].numpy()
array([1, 2], dtype=int32)
)",
}};

const Op ragged_to_variant_grad{{
    .name = "ragged_to_variant_grad",
    .tf_name = "RaggedTensorToVariantGrad",
    .inputs = with_splits({.name = "dy", .dtypes = kVariantType}),
    .attrs = attrs_of<RaggedToVariantGradAttrs>(),
    .tensor_attrs = {{"shape", "int32"}},
    .infer =
        [](InferContext& c) {
          const auto& attrs = c.attrs<RaggedToVariantGradAttrs>();
          c.add_output(attrs.dtype, shape_of_sizes(attrs.shape, c.op().tf_name));
        },
    .kernel = cpu::ragged_to_variant_grad,
    .gradient =
        [](GradContext& g) {
          TensorList inputs{g.dy()};
          for (int i = 1; i < g.num_inputs(); ++i) inputs.push_back(g.input(i));
          g.set(0, call(ragged_to_variant, inputs,
                        RaggedToVariantAttrs{
                            .batched_input = g.attrs<RaggedToVariantGradAttrs>().batched_input}));
        },
    .needs = {{.inputs = 0xFFFE}, {}},
    .may_be_unknown = Unknown::kRanks,
    .doc = "The gradient of ragged_to_variant: the values of its elements; zeros for empty ones.",
}};

const Op ragged_from_variant{{
    .name = "ragged_from_variant",
    .tf_name = "RaggedTensorFromVariant",
    .inputs = {{"encoded", kVariantType}},
    .attrs = attrs_of<RaggedFromVariantAttrs>(),
    .infer = from_variant_infer,
    .kernel = cpu::ragged_from_variant,
    .gradient = from_variant_gradient,
    .needs = {{.outputs = 0xFFFF}},
    .may_be_unknown = Unknown::kRanks,
    .makes_outputs = true,
    .sizes_from_values = true,
    .returns_list = true,
    .doc =
        R"(Returns the splits, from the outermost, and the values of the ragged tensor of variants.

Each axis of the variant tensor becomes a ragged one; variants without splits are joined along a
first axis if the result has none either.

>>> rows = _core.ops.ragged_to_variant([1, 2, 3], [[0, 2, 3]], batched_input=True)
>>> [part.numpy().tolist() for part in _core.ops.ragged_from_variant(rows, 0, 1, tf.int32)]
[[0, 2, 3], [1, 2, 3]]
)",
}};

}  // namespace ef::ops
