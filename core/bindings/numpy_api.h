// NumPy's C API for the binding sources that use arrays: one import for all of them.
#pragma once

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL eagerflow_numpy_api
#ifndef EAGERFLOW_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif

#include <Python.h>
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>

#include "tensor/dtype.h"

namespace ef::py {

inline PyArrayObject* as_array(PyObject* object) {
  return reinterpret_cast<PyArrayObject*>(object);
}

// NumPy's dtype for an element type; a new reference, or null with an exception set.
PyArray_Descr* numpy_descr(DType dtype);
DType dtype_of_descr(PyArray_Descr* descr);

}  // namespace ef::py
