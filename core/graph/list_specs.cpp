// Infers the specs of lists of tensors from operations on them.
#include "graph/list_specs.h"

#include <algorithm>
#include <optional>

#include "graph/static_value.h"
#include "ops/array.h"
#include "ops/partial_shapes.h"
#include "ops/tensor_lists.h"
#include "ops/variants.h"

namespace ef::graph {
namespace {

Shape as_shape(const std::optional<Ints>& sizes) {
  if (!sizes || sizes->is_unknown()) return Shape::unranked();
  Shape shape;
  for (const int64_t size : *sizes) shape.push_back(size < 0 ? kUnknownSize : size);
  return shape;
}

Shape merged_if_compatible(const Shape& a, const Shape& b) {
  return compatible(a, b) ? merged(a, b) : a;
}

int64_t number_in(const Tensor& tensor) {
  const std::optional<Ints> numbers = known_numbers(tensor);
  if (!numbers || numbers->size() != 1 || (*numbers)[0] == kUnknownInt) return kUnknownSize;
  return (*numbers)[0];
}

// The list after elements of this shape were set.
void set_elements(ListSpec& list, DType dtype, const Shape& element) {
  list.dtype = dtype;
  list.element =
      list.is_set ? ef::common(list.element, element) : merged_if_compatible(element, list.element);
  list.is_set = true;
}

// The list after elements at these indices were set, which may make it longer.
void reach(ListSpec& list, const Tensor& indices) {
  const std::optional<Ints> numbers = known_numbers(indices);
  const bool known = numbers && std::ranges::find(*numbers, kUnknownInt) == numbers->end();
  if (!known || list.length < 0) {
    list.length = kUnknownSize;
    return;
  }
  for (const int64_t index : *numbers) list.length = std::max(list.length, index + 1);
}

}  // namespace

ListSpec known_list(const Tensor& tensor) {
  const Symbol* const symbol = symbol_of(tensor);
  return symbol && symbol->list() ? *symbol->list() : ListSpec();
}

ListSpec common(const ListSpec& a, const ListSpec& b) {
  ListSpec result;
  result.dtype = a.dtype == DType::kInvalid ? b.dtype : a.dtype;
  result.element = a.is_set && b.is_set ? ef::common(a.element, b.element)
                   : a.is_set           ? merged_if_compatible(a.element, b.element)
                                        : merged_if_compatible(b.element, a.element);
  result.length = a.length == b.length ? a.length : kUnknownSize;
  result.is_set = a.is_set || b.is_set;
  return result;
}

ListSpec infer_lists(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs,
                     SpecList& specs) {
  const auto refine = [&](size_t k, const Shape& shape) {
    if (compatible(specs[k].shape, shape)) specs[k].shape = merged(specs[k].shape, shape);
  };
  if (&op == &ops::tensor_list_reserve) {
    const auto& own = attrs.as<ops::TensorListAttrs>();
    return {own.element_dtype, as_shape(own.element_shape), number_in(inputs[0])};
  }
  if (&op == &ops::tensor_list_from_tensor) {
    ListSpec list;
    list.length = size_of(inputs[0].shape(), 0);
    set_elements(list, inputs[0].dtype(), without_first(inputs[0].shape(), 1));
    return list;
  }
  if (&op == &ops::tensor_list_split) {
    ListSpec list;
    list.length = size_of(inputs[1].shape(), 0);
    Shape element = inputs[0].shape();
    const std::optional<Ints> lengths = known_numbers(inputs[1]);
    if (element.ranked()) {
      const bool equal =
          lengths && lengths->size() > 0 && std::ranges::all_of(*lengths, [&](int64_t n) {
            return n != kUnknownInt && n == (*lengths)[0];
          });
      element[0] = equal ? (*lengths)[0] : kUnknownSize;
    }
    set_elements(list, inputs[0].dtype(), element);
    return list;
  }
  if (inputs.empty() || inputs[0].dtype() != DType::kVariant) return {};
  ListSpec list = known_list(inputs[0]);
  if (&op == &ops::tensor_list_set_item) {
    if (attrs.as<ops::TensorListSetItemAttrs>().resize) reach(list, inputs[1]);
    set_elements(list, inputs[2].dtype(), inputs[2].shape());
  } else if (&op == &ops::tensor_list_scatter) {
    if (list.length >= 0) reach(list, inputs[1]);
    set_elements(list, inputs[2].dtype(), without_first(inputs[2].shape(), 1));
  } else if (&op == &ops::variant_add) {
    const ListSpec other = known_list(inputs[1]);
    const int64_t length = merged(list.length, other.length);
    list = common(list, other);
    list.length = length;
  } else if (&op == &ops::tensor_list_resize) {
    list.length = number_in(inputs[1]);
  } else if (&op == &ops::tensor_list_stack) {
    refine(0, joined({list.length}, list.element));
  } else if (&op == &ops::tensor_list_get_item) {
    refine(0, list.element);
  } else if (&op == &ops::tensor_list_gather) {
    refine(0, joined({kUnknownSize}, list.element));
  } else if (&op == &ops::tensor_list_concat && list.element.rank() > 0) {
    refine(0, joined({size_product(list.length, list.element[0])}, without_first(list.element, 1)));
    refine(1, {list.length});
  }
  return list;
}

void find_list_values(const Op& op, const ListSpec& list, std::span<const Tensor> outputs) {
  if (list.length < 0) return;
  if (&op == &ops::tensor_list_length) {
    symbol_of(outputs[0])->set_value(Tensor::of(static_cast<int32_t>(list.length)));
  } else if (&op == &ops::tensor_list_concat && list.is_set && size_of(list.element, 0) >= 0) {
    const Tensor lengths = Tensor::empty(DType::kInt64, {list.length});
    std::fill_n(lengths.mutable_data<int64_t>(), list.length, list.element[0]);
    symbol_of(outputs[1])->set_value(lengths);
  }
}

}  // namespace ef::graph
