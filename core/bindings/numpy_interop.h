// Conversions between tensors and NumPy arrays, Python scalars and DLPack capsules.
#pragma once

#include <Python.h>

#include "tensor/dtype.h"
#include "tensor/tensor.h"

namespace ef::py {

// Loads NumPy's C API; returns false with an exception set if that fails. Call it once, first.
bool import_numpy();

bool is_array(PyObject* object);         // an ndarray or an instance of a subclass
bool is_numpy_scalar(PyObject* object);  // a NumPy scalar

// With `copy`, a new array that the caller may write; a NumPy scalar for rank 0, bytes for a
// string. Otherwise a read-only array that shares the memory (strings are copied). A new reference;
// throws.
PyObject* to_numpy(const Tensor& tensor, bool copy);

// A writable array that shares the memory of a tensor that nobody else has read yet. A new
// reference; throws.
PyObject* to_writable_array(const Tensor& tensor);

// The result of __array__(dtype, copy): a shared read-only array if `dtype` (or None) and `copy`
// (True, False or None) allow it.
PyObject* to_array(const Tensor& tensor, PyObject* dtype, PyObject* copy);

// The value of an array or NumPy scalar, cast to `dtype` unless that is kInvalid. With `may_adopt`,
// the tensor may share the memory of an array that has no other owner.
Tensor from_numpy(PyObject* array, DType dtype = DType::kInvalid, bool may_adopt = false);

// The object's array through __array__, __array_interface__ or __array_struct__ as an ndarray: a
// new reference, or null (without an exception) if it has none of these.
PyObject* array_of(PyObject* object);

// The dtype of an array or NumPy scalar; kInvalid if the engine does not support it.
DType dtype_of_array(PyObject* object);
Shape shape_of_array(PyObject* array);
// The dtype for a NumPy dtype or scalar type; kInvalid if the engine does not support it.
DType dtype_from_numpy(PyObject* type);

// A capsule that shares the tensor's memory. With `versioned`, a "dltensor_versioned" capsule,
// which marks the memory as read-only. With `copy`, the memory is a copy that the consumer may
// write.
PyObject* to_dlpack(const Tensor& tensor, bool versioned = false, bool copy = false);
// The result of __dlpack__(*, stream, max_version, dl_device, copy).
PyObject* export_dlpack(const Tensor& tensor, PyObject* kwargs);
// From a capsule or an object with __dlpack__. Contiguous memory is shared, other memory copied.
Tensor from_dlpack(PyObject* object);

// A single element as Python's int, float, bool, complex or bytes.
PyObject* to_python_scalar(const Tensor& tensor);

}  // namespace ef::py
