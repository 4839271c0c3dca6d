// Integers that a dtype cannot hold. Where they are stored they wrap, as in TensorFlow, and Python
// warns. Operations that compare and limit see their values.
#pragma once

#include <Python.h>

#include "ops/attrs.h"
#include "tensor/tensor.h"

namespace ef::py {

// Whether all integers of an array or scalar of NumPy's with the dtype `own` fit another one.
bool fits(PyObject* array, DType own, DType dtype);

// Warns of the first integer in a value that a dtype cannot hold. Throws where warnings are errors.
void warn_of_wrapping(PyObject* value, DType dtype);

// The integers of a value in a dtype, those out of range as its limits, and where these are.
struct Saturated {
  Tensor values;
  Tensor below;
  Tensor above;
};
Saturated saturated(PyObject* value, DType dtype);

// What a comparison gives, where `result` is that with the saturated values: on its right, or on
// its left if `swapped`.
Tensor compared(const Op& op, const Tensor& result, const Saturated& integers, bool swapped);

// Whether calls of an operation see the values of integers that do not fit.
bool sees_values(const Op& op);
// The result of such a call: `values` are its inputs.
Tensor call_with_values(const Op& op, PyObject* const* values, size_t count);

}  // namespace ef::py
