// Python values as the engine's: tensors, dtypes, attribute values and lists of them.
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>

#include "tensor/dtype.h"
#include "tensor/ints.h"
#include "tensor/tensor.h"

namespace ef::py {

// Everything here needs the GIL and throws ef::Error or PythonError.

// What becomes of integers that a dtype cannot hold: they wrap, with a warning of Python's or
// without, or UnfitInteger is thrown, for those who look at the integers themselves.
enum class Unfit : uint8_t { kWrap, kWrapSilently, kThrow };
struct UnfitInteger {};

// The value as a tensor. With `dtype`, a tensor, variable or array of another dtype and a Python
// value that would lose something are errors. `hint` is a dtype to try first; where it does not
// fit, the natural one is taken.
Tensor to_tensor(PyObject* value, DType dtype = DType::kInvalid, DType hint = DType::kInvalid,
                 Unfit unfit = Unfit::kWrap);

// Makes to_tensor call `function(value, dtype=..., name=None, as_ref=False)` for instances of `cls`
// (a class or a tuple of classes). The function may return NotImplemented. Functions of lower
// priorities are asked first.
void register_conversion(PyObject* cls, PyObject* function, long priority = 100);

// {enum number: DType object}, for to_dtype and dtype_object.
void register_dtypes(PyObject* table);
extern PyTypeObject* dtype_type;  // the class of the objects in it
// From DType objects, NumPy dtypes and scalar types, float, bool, names, and enum values.
DType to_dtype(PyObject* value);
// The DType object; a new reference.
PyObject* dtype_object(DType dtype);

// Whether it is a DType object that was registered.
bool is_dtype_object(PyObject* value);

// repr(value) for messages: cut where it gets long, and never an error itself.
std::string text_of(PyObject* value);
// str(value).
std::string str_of(PyObject* value);

// Attribute values. `what` names the argument in messages.
// A list of integers, for axes or sizes: one integer, a sequence of integers or scalar tensors, a
// 1-D integer tensor or array, a TensorShape. Floats and strings are a TypeError if
// `type_errors`, else mostly invalid arguments.
Ints to_ints(PyObject* value, const char* what, bool type_errors = false);
// The same into `ints`, which is empty.
void append_ints(PyObject* value, const char* what, bool type_errors, Ints& ints);
// A shape that may be partial: None, or a sequence of sizes and None.
Shape to_partial_shape(PyObject* value);
int64_t to_int(PyObject* value, const char* what = "value");
double to_double(PyObject* value, const char* what = "value");
bool to_bool(PyObject* value, const char* what = "value");

}  // namespace ef::py
