// Lists of tensors: inference and gradients.
#include "ops/tensor_lists.h"

#include "kernels/cpu/tensor_lists.h"
#include "ops/attr_fields.h"
#include "ops/compose.h"
#include "ops/op.h"
#include "ops/partial_shapes.h"
#include "tensor/error.h"

namespace ef::ops {
namespace {

constexpr InputSpec kList{"list", kVariantType};
constexpr InputSpec kIndex{"index", {DType::kInt32}};
constexpr InputSpec kIndices{"indices", {DType::kInt32}};

Shape as_shape(const std::optional<Ints>& sizes) {
  if (!sizes || sizes->is_unknown()) return Shape::unranked();
  Shape shape;
  for (const int64_t size : *sizes) shape.push_back(size < 0 ? kUnknownSize : size);
  return shape;
}

// The sizes of an element along the first axis.
Ints row_of(const Shape& shape) { return Ints(without_first(shape, 1)); }

void check_scalar(InferContext& c, int i) {
  if (!may_have_rank(c.shape(i), 0)) {
    invalid_argument("Expected ", c.op().inputs[static_cast<size_t>(i)].name,
                     " to be a scalar, got shape ", c.shape(i), " [Op:", c.op().tf_name, "]");
  }
}

void add_list(InferContext& c) { c.add_output(DType::kVariant, {}); }

void check_rows(InferContext& c, int i) {
  if (may_have_rank_from(c.shape(i), 1)) return;
  invalid_argument("Tensor must be at least a vector, but saw shape: ", c.shape(i),
                   " [Op:", c.op().tf_name, "]");
}

// A list without elements, to which gradients are added.
Tensor no_gradients() { return ef::zeros(DType::kVariant, {}); }

}  // namespace

const Op tensor_list_reserve{{
    .name = "tensor_list_reserve",
    .tf_name = "TensorListReserve",
    .inputs = {{"num_elements", {DType::kInt32}}},
    .attrs = attrs_of<TensorListAttrs>(),
    .infer =
        [](InferContext& c) {
          check_scalar(c, 0);
          add_list(c);
        },
    .kernel = cpu::tensor_list_reserve,
    .makes_outputs = true,
    .doc =
        R"(Returns a list of a given number of tensors, which are read as zeros until they are set.

>>> items = _core.ops.tensor_list_reserve(2, tf.float32, [3])
>>> int(_core.ops.tensor_list_length(items))
2
)",
}};

const Op tensor_list_from_tensor{{
    .name = "tensor_list_from_tensor",
    .tf_name = "TensorListFromTensor",
    .inputs = {{"tensor", kAnyTypes | kVariantType}},
    .attrs = attrs_of<TensorListFromTensorAttrs>(),
    .infer =
        [](InferContext& c) {
          check_rows(c, 0);
          add_list(c);
        },
    .kernel = cpu::tensor_list_from_tensor,
    .gradient =
        [](GradContext& g) {
          const Shape& shape = g.input_shape(0);
          // The list may have grown since.
          const Tensor count = Tensor::of(static_cast<int32_t>(shape[0]));
          g.set(0, call(tensor_list_stack, {call(tensor_list_resize, {g.dy(), count})},
                        TensorListStackAttrs{.element_dtype = g.input_dtype(0),
                                             .element_shape = row_of(shape),
                                             .num_elements = shape[0]}));
        },
    .needs = {{}},
    .makes_outputs = true,
    .doc = R"(Returns the list of the slices of a tensor along the first axis.

>>> items = _core.ops.tensor_list_from_tensor([[1, 2], [3, 4]])
>>> _core.ops.tensor_list_get_item(items, 1, tf.int32).numpy()
array([3, 4], dtype=int32)
)",
}};

const Op tensor_list_stack{{
    .name = "tensor_list_stack",
    .tf_name = "TensorListStack",
    .inputs = {kList},
    .attrs = attrs_of<TensorListStackAttrs>(),
    .infer =
        [](InferContext& c) {
          const auto& attrs = c.attrs<TensorListStackAttrs>();
          const int64_t count = attrs.num_elements < 0 ? kUnknownSize : attrs.num_elements;
          c.add_output(attrs.element_dtype, joined({count}, as_shape(attrs.element_shape)));
        },
    .kernel = cpu::tensor_list_stack,
    .gradient =
        [](GradContext& g) {
          g.set(0, call(tensor_list_from_tensor, {g.dy()}, TensorListFromTensorAttrs{}));
        },
    .needs = {{}},
    .makes_outputs = true,
    .sizes_from_values = true,
    .doc = R"(Joins the tensors of a list along a new first axis.

>>> items = _core.ops.tensor_list_from_tensor([[1, 2], [3, 4]])
>>> _core.ops.tensor_list_stack(items, tf.int32).numpy()
array([[1, 2],
       [3, 4]], dtype=int32)
)",
}};

const Op tensor_list_get_item{{
    .name = "tensor_list_get_item",
    .tf_name = "TensorListGetItem",
    .inputs = {kList, kIndex},
    .attrs = attrs_of<TensorListAttrs>(),
    .infer =
        [](InferContext& c) {
          check_scalar(c, 1);
          const auto& attrs = c.attrs<TensorListAttrs>();
          c.add_output(attrs.element_dtype, as_shape(attrs.element_shape));
        },
    .kernel = cpu::tensor_list_get_item,
    .gradient =
        [](GradContext& g) {
          g.set(0, call(tensor_list_set_item, {no_gradients(), g.input(1), g.dy()},
                        TensorListSetItemAttrs{}));
        },
    .needs = {{.inputs = 2}, {}},
    .makes_outputs = true,
    .sizes_from_values = true,
    .doc = R"(Returns one tensor of a list.

>>> items = _core.ops.tensor_list_from_tensor([[1, 2], [3, 4]])
>>> _core.ops.tensor_list_get_item(items, 0, tf.int32).numpy()
array([1, 2], dtype=int32)
)",
}};

const Op tensor_list_set_item{{
    .name = "tensor_list_set_item",
    .tf_name = "TensorListSetItem",
    .inputs = {kList, kIndex, {"item", kAnyTypes | kVariantType}},
    .attrs = attrs_of<TensorListSetItemAttrs>(),
    .infer =
        [](InferContext& c) {
          check_scalar(c, 1);
          add_list(c);
        },
    .kernel = cpu::tensor_list_set_item,
    .gradient =
        [](GradContext& g) {
          if (g.wants(2)) {
            g.set(2, call(tensor_list_get_item, {g.dy(), g.input(1)},
                          TensorListAttrs{.element_dtype = g.input_dtype(2),
                                          .element_shape = Ints(g.input_shape(2))}));
          }
          if (g.wants(0)) {
            const Tensor index = reshape_to(g.input(1), {1});
            TensorList erased;
            const Tensor inputs[] = {g.take_dy(), index};
            run_consuming(tensor_list_erase, inputs, {}, erased);
            g.set(0, std::move(erased[0]));
          }
        },
    .needs = {{.inputs = 2}, {}, {.inputs = 2}},
    .makes_outputs = true,
    .doc = R"(Returns a list with one tensor changed.

>>> items = _core.ops.tensor_list_from_tensor([[1, 2], [3, 4]])
>>> items = _core.ops.tensor_list_set_item(items, 0, [5, 6])
>>> _core.ops.tensor_list_stack(items, tf.int32).numpy()
array([[5, 6],
       [3, 4]], dtype=int32)
)",
}};

const Op tensor_list_length{{
    .name = "tensor_list_length",
    .tf_name = "TensorListLength",
    .inputs = {kList},
    .infer = [](InferContext& c) { c.add_output(DType::kInt32, {}); },
    .kernel = cpu::tensor_list_length,
    .doc = R"(Returns the number of tensors in a list, an int32 scalar.

>>> int(_core.ops.tensor_list_length(_core.ops.tensor_list_from_tensor([[1, 2], [3, 4]])))
2
)",
}};

const Op tensor_list_resize{{
    .name = "tensor_list_resize",
    .tf_name = "TensorListResize",
    .inputs = {kList, {"size", {DType::kInt32}}},
    .infer =
        [](InferContext& c) {
          check_scalar(c, 1);
          add_list(c);
        },
    .kernel = cpu::tensor_list_resize,
    .gradient = [](GradContext& g) { g.set(0, g.dy()); },
    .needs = {{}},
    .makes_outputs = true,
    .doc = R"(Returns the first tensors of a list, or the list with more of them at its end.

>>> items = _core.ops.tensor_list_from_tensor([1, 2, 3])
>>> _core.ops.tensor_list_stack(_core.ops.tensor_list_resize(items, 2), tf.int32).numpy()
array([1, 2], dtype=int32)
)",
}};

const Op tensor_list_gather{{
    .name = "tensor_list_gather",
    .tf_name = "TensorListGather",
    .inputs = {kList, kIndices},
    .attrs = attrs_of<TensorListAttrs>(),
    .infer =
        [](InferContext& c) {
          const auto& attrs = c.attrs<TensorListAttrs>();
          c.add_output(attrs.element_dtype,
                       joined({size_of(c.shape(1), 0)}, as_shape(attrs.element_shape)));
        },
    .kernel = cpu::tensor_list_gather,
    .gradient =
        [](GradContext& g) {
          g.set(0, call(tensor_list_scatter, {no_gradients(), g.input(1), g.dy()},
                        TensorListScatterAttrs{.accumulate = true}));
        },
    .needs = {{.inputs = 2}, {}},
    .makes_outputs = true,
    .sizes_from_values = true,
    .doc = R"(Joins some tensors of a list along a new first axis.

>>> items = _core.ops.tensor_list_from_tensor([1, 2, 3])
>>> _core.ops.tensor_list_gather(items, [2, 0], tf.int32).numpy()
array([3, 1], dtype=int32)
)",
}};

const Op tensor_list_scatter{{
    .name = "tensor_list_scatter",
    .tf_name = "TensorListScatterIntoExistingList",
    .inputs = {kList, kIndices, {"tensor", kAnyTypes | kVariantType}},
    .attrs = attrs_of<TensorListScatterAttrs>(),
    .infer =
        [](InferContext& c) {
          check_rows(c, 2);
          add_list(c);
        },
    .kernel = cpu::tensor_list_scatter,
    .gradient =
        [](GradContext& g) {
          if (g.wants(2)) {
            g.set(2, call(tensor_list_gather, {g.dy(), g.input(1)},
                          TensorListAttrs{.element_dtype = g.input_dtype(2),
                                          .element_shape = row_of(g.input_shape(2))}));
          }
          if (!g.wants(0)) return;
          const bool added = g.attrs<TensorListScatterAttrs>().accumulate;
          g.set(0, added ? g.dy() : call(tensor_list_erase, {g.dy(), g.input(1)}));
        },
    .needs = {{.inputs = 2}, {}, {.inputs = 2}},
    .makes_outputs = true,
    .doc = R"(Returns a list with some tensors changed to the slices of one along its first axis.

>>> items = _core.ops.tensor_list_from_tensor([1, 2, 3])
>>> items = _core.ops.tensor_list_scatter(items, [2, 0], [5, 6])
>>> _core.ops.tensor_list_stack(items, tf.int32).numpy()
array([6, 2, 5], dtype=int32)
)",
}};

const Op tensor_list_concat{{
    .name = "tensor_list_concat",
    .tf_name = "TensorListConcatV2",
    .inputs = {kList, {.name = "lengths", .dtypes = {DType::kInt64}, .optional = true}},
    .attrs = attrs_of<TensorListAttrs>(),
    .infer =
        [](InferContext& c) {
          const auto& attrs = c.attrs<TensorListAttrs>();
          const Shape element = as_shape(attrs.element_shape);
          if (element.ranked() && element.rank() == 0) {
            invalid_argument(
                "Concat requires elements that are at least vectors, element_shape is ", element,
                " [Op:TensorListConcatV2]");
          }
          c.add_output(attrs.element_dtype, joined({kUnknownSize}, without_first(element, 1)));
          c.add_output(DType::kInt64, {kUnknownSize});
        },
    .outputs = 2,
    .kernel = cpu::tensor_list_concat,
    .gradient =
        [](GradContext& g) {
          g.set(0, call(tensor_list_split, {g.dy(), g.output(1)}, TensorListFromTensorAttrs{}));
        },
    .needs = {{.outputs = 2}, {}},
    .makes_outputs = true,
    .sizes_from_values = true,
    .doc = R"(Joins the tensors of a list along their first axis; the result, and their sizes there.

With lengths, tensors of these sizes that are missing are zeros.

>>> items = _core.ops.tensor_list_split([1, 2, 3], [1, 2])
>>> [t.numpy().tolist() for t in _core.ops.tensor_list_concat(items, None, tf.int32)]
[[1, 2, 3], [1, 2]]
)",
}};

const Op tensor_list_split{{
    .name = "tensor_list_split",
    .tf_name = "TensorListSplit",
    .inputs = {{"tensor", kAnyTypes | kVariantType}, {"lengths", {DType::kInt64}}},
    .attrs = attrs_of<TensorListFromTensorAttrs>(),
    .infer =
        [](InferContext& c) {
          check_rows(c, 0);
          add_list(c);
        },
    .kernel = cpu::tensor_list_split,
    .gradient =
        [](GradContext& g) {
          Ints element(g.input_shape(0));
          element[0] = kUnknownSize;
          TensorList results;
          const Tensor inputs[] = {g.dy(), g.input(1)};
          run(tensor_list_concat, inputs,
              TensorListAttrs{.element_dtype = g.input_dtype(0), .element_shape = element},
              results);
          g.set(0, results[0]);
        },
    .needs = {{.inputs = 2}, {}},
    .makes_outputs = true,
    .doc = R"(Returns the list of the parts of a tensor that have given sizes along the first axis.

>>> items = _core.ops.tensor_list_split([1, 2, 3], [1, 2])
>>> _core.ops.tensor_list_get_item(items, 1, tf.int32).numpy()
array([2, 3], dtype=int32)
)",
}};

const Op tensor_list_erase{{
    .name = "tensor_list_erase",
    .tf_name = "TensorListErase",
    .inputs = {kList, kIndices},
    .infer = add_list,
    .kernel = cpu::tensor_list_erase,
    .gradient = [](GradContext& g) { g.set(0, call(tensor_list_erase, {g.dy(), g.input(1)})); },
    .needs = {{.inputs = 2}, {}},
    .makes_outputs = true,
    .doc = R"(Returns a list in which some tensors are missing, which counts as zeros.

>>> items = _core.ops.tensor_list_from_tensor([1, 2, 3])
>>> _core.ops.tensor_list_stack(_core.ops.tensor_list_erase(items, [1]), tf.int32).numpy()
array([1, 0, 3], dtype=int32)
)",
}};

}  // namespace ef::ops
