// Converts Python values to the engine's tensors, dtypes, attribute values and lists.
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>

#include "tensor/dtype.h"
#include "tensor/ints.h"
#include "tensor/tensor.h"

namespace ef::py {

// Everything here needs the GIL and throws ef::Error or PythonError.

// What happens to integers that a dtype cannot hold: they wrap, with or without a Python warning,
// or UnfitInteger is thrown for callers that handle the integers themselves.
enum class Unfit : uint8_t { kWrap, kWrapSilently, kThrow };
struct UnfitInteger {};

// The value as a tensor. With `dtype`, it is an error if a tensor, variable or array has another
// dtype, or if a Python value would lose information. `hint` is a dtype to try first; if it does
// not fit, the value's natural dtype is used.
Tensor to_tensor(PyObject* value, DType dtype = DType::kInvalid, DType hint = DType::kInvalid,
                 Unfit unfit = Unfit::kWrap);

// Makes to_tensor call `function(value, dtype=..., name=None, as_ref=False)` for instances of `cls`
// (a class or a tuple of classes). The function may return NotImplemented. Functions of lower
// priority values are called first.
void register_conversion(PyObject* cls, PyObject* function, long priority = 100);
// What the first of these functions makes of an object; an undefined tensor if there is none.
Tensor from_registry(PyObject* value, DType dtype);

// {enum number: DType object}, for to_dtype and dtype_object.
void register_dtypes(PyObject* table);
extern PyTypeObject* dtype_type;  // the class of its objects
// From DType objects, NumPy dtypes and scalar types, float, bool, names, and enum values.
DType to_dtype(PyObject* value);
// The DType object; a new reference.
PyObject* dtype_object(DType dtype);

// Whether an object is a registered DType object.
bool is_dtype_object(PyObject* value);

// repr(value) for messages, shortened if it is long. Never raises.
std::string text_of(PyObject* value);
// str(value).
std::string str_of(PyObject* value);

// Attribute values. `what` names the argument in messages.
// A list of integers, for axes or sizes. Accepts an integer, a sequence of integers or scalar
// tensors, a 1-D integer tensor or array, or a TensorShape. Floats and strings raise a TypeError if
// `type_errors`, otherwise usually InvalidArgument.
Ints to_ints(PyObject* value, const char* what, bool type_errors = false);
// The same, appended to the empty list `ints`.
void append_ints(PyObject* value, const char* what, bool type_errors, Ints& ints);
// A shape that may be partial: None, or a sequence of sizes and None.
Shape to_partial_shape(PyObject* value);
int64_t to_int(PyObject* value, const char* what = "value");
double to_double(PyObject* value, const char* what = "value");
bool to_bool(PyObject* value, const char* what = "value");

}  // namespace ef::py
