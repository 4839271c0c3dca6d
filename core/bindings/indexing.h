// Python's index expressions on tensors.
#pragma once

#include <Python.h>

#include "tensor/tensor.h"

namespace ef::py {

// object[key], recorded on tapes; `object` is the tensor or a variable. Returns a new reference.
// Throws.
PyObject* get_item(const Tensor& tensor, PyObject* object, PyObject* key);

// The slices of `tensor` along its first mask.rank() axes where the bool tensor `mask` holds.
Tensor select_by_mask(const Tensor& tensor, const Tensor& mask);

}  // namespace ef::py
