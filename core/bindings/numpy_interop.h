// Tensors as NumPy arrays and DLPack capsules, and back.
#pragma once

#include <Python.h>

#include "tensor/dtype.h"
#include "tensor/tensor.h"

namespace ef::py {

// Loads NumPy's C API; false with an exception set if that fails. To be called once, first.
bool import_numpy();

bool is_array(PyObject* object);         // an ndarray or an instance of a subclass
bool is_numpy_scalar(PyObject* object);  // a NumPy scalar

// `copy`: a new array that the caller may write; a NumPy scalar for rank 0, bytes for a string.
// Otherwise a read-only array that shares the memory (strings are copied). A new reference; throws.
PyObject* to_numpy(const Tensor& tensor, bool copy);

// What __array__(dtype, copy) returns: a shared read-only array where `dtype` (or None) and `copy`
// (True, False or None) allow it.
PyObject* to_array(const Tensor& tensor, PyObject* dtype, PyObject* copy);

// The value of an array or NumPy scalar, cast to `dtype` if that is given. `may_adopt` allows the
// tensor to share the memory of an array that has no other owner.
Tensor from_numpy(PyObject* array, DType dtype = DType::kInvalid, bool may_adopt = false);

// The object's array through __array__, __array_interface__ or __array_struct__ as an ndarray:
// a new reference, or null (without an exception) where it has none.
PyObject* array_of(PyObject* object);

// The dtype of an array or NumPy scalar; kInvalid where the engine has none.
DType dtype_of_array(PyObject* object);
// For a NumPy dtype or scalar type; kInvalid where the engine has none.
DType dtype_from_numpy(PyObject* type);

// A capsule that shares the tensor's memory. With `versioned`, a "dltensor_versioned" one, which
// says that the memory is read-only; with `copy`, one of a copy that the consumer may write.
PyObject* to_dlpack(const Tensor& tensor, bool versioned = false, bool copy = false);
// What __dlpack__(*, stream, max_version, dl_device, copy) returns.
PyObject* export_dlpack(const Tensor& tensor, PyObject* kwargs);
// From a capsule or an object with __dlpack__. Contiguous memory is shared, other memory copied.
Tensor from_dlpack(PyObject* object);

// A single element as Python's int, float, bool, complex or bytes.
PyObject* to_python_scalar(const Tensor& tensor);

}  // namespace ef::py
