// Lists of tensors of one dtype, as elements of variant tensors.
//
// Operations return a changed list, and change their input in place if there are no other handles.
// The gradient of a list is a list without a length. It has gradients of some elements; missing
// ones count as zeros.
#pragma once

#include <optional>

#include "ops/attrs.h"
#include "tensor/variant.h"

namespace ef::ops {

// The declared dtype and shape of a list's elements.
struct TensorListAttrs {
  DTypeIn<kAnyTypes | kVariantType> element_dtype;
  std::optional<Ints> element_shape = {};  // negative sizes are unknown
};
extern const Op tensor_list_reserve;   // num_elements: an int32 scalar
extern const Op tensor_list_get_item;  // list, index: an int32 scalar
extern const Op tensor_list_gather;    // list, indices: an int32 vector
extern const Op tensor_list_concat;    // list, optional lengths -> elements, their lengths

struct TensorListStackAttrs {
  DTypeIn<kAnyTypes | kVariantType> element_dtype;
  std::optional<Ints> element_shape = {};
  int64_t num_elements = -1;  // required number of elements; any if negative
};
extern const Op tensor_list_stack;  // list

struct TensorListFromTensorAttrs {
  std::optional<Ints> element_shape = {};
};
extern const Op tensor_list_from_tensor;  // tensor
extern const Op tensor_list_split;        // tensor, lengths: an int64 vector

struct TensorListSetItemAttrs {
  bool resize = false;  // whether the list grows if the index is behind its end
};
extern const Op tensor_list_set_item;  // list, index, item

struct TensorListScatterAttrs {
  bool accumulate = false;  // whether to add to existing elements
};
extern const Op tensor_list_scatter;  // list, indices, tensor

extern const Op tensor_list_length;  // list -> int32
extern const Op tensor_list_resize;  // list, size: an int32 scalar
extern const Op tensor_list_erase;   // list, indices: elements become zeros

}  // namespace ef::ops
