// Python's index expressions on tensors.
#pragma once

#include <Python.h>

#include "tensor/tensor.h"

namespace ef {
class Variable;
}

namespace ef::py {

// object[key], recorded on tapes; `object` is the tensor or a variable. Returns a new reference.
// Throws.
PyObject* get_item(const Tensor& tensor, PyObject* object, PyObject* key);

// A tensor with other values for tensor[key], and the same as a change of a variable, which is not
// for graphs. The key has no arrays.
Tensor with_part(const Tensor& tensor, PyObject* key, const Tensor& value);
void replace_part(Variable& variable, PyObject* key, const Tensor& value);

// The slices of `tensor` along its first mask.rank() axes where the bool tensor `mask` holds.
Tensor select_by_mask(const Tensor& tensor, const Tensor& mask);

}  // namespace ef::py
