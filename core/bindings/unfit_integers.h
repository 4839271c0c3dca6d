// Integers that a dtype cannot hold. As in TensorFlow they wrap when they are stored, with a Python
// warning. Operations that compare or limit use their exact values.
#pragma once

#include <Python.h>

#include "ops/attrs.h"
#include "tensor/tensor.h"

namespace ef::py {

// Whether all integers of a NumPy array or scalar of the dtype `own` fit another dtype.
bool fits(PyObject* array, DType own, DType dtype);

// Warns of the first integer in a value that a dtype cannot hold. Throws if warnings are errors.
void warn_of_wrapping(PyObject* value, DType dtype);

// The integers of a value in a dtype, clipped to its range, and the positions of clipped ones.
struct Saturated {
  Tensor values;
  Tensor below;
  Tensor above;
};
Saturated saturated(PyObject* value, DType dtype);

// The result of a comparison, from `result`, the comparison with the clipped values: these are on
// its right, or on its left if `swapped`.
Tensor compared(const Op& op, const Tensor& result, const Saturated& integers, bool swapped);

// Whether an operation uses the exact values of integers that do not fit.
bool sees_values(const Op& op);
// The result of such a call on the inputs `values`.
Tensor call_with_values(const Op& op, PyObject* const* values, size_t count);

}  // namespace ef::py
