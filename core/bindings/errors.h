// Translation of C++ exceptions into Python's.
#pragma once

#include <Python.h>

#include <exception>

#include "tensor/error.h"

namespace ef::py {

// Thrown when a Python exception is already set.
class PythonError : public std::exception {};

// Sets the Python exception that corresponds to the C++ exception being handled.
void set_python_error() noexcept;

// Sets the Python class for each status code: {code: class}. Classes accept (node_def, op,
// message).
void register_errors(PyObject* classes);

// Runs `body` and turns exceptions into Python's; then the caller returns `failed`.
template <class Result, class Body>
Result guarded(Result failed, const Body& body) noexcept {
  try {
    return body();
  } catch (...) {
    set_python_error();
    return failed;
  }
}
template <class Body>
PyObject* guarded(const Body& body) noexcept {
  return guarded<PyObject*>(nullptr, body);
}

// A new object whose fields `fill` makes; null, with an error set, if that fails. The type's
// dealloc must take fields that are still zero.
template <class Fill>
PyObject* constructed(PyTypeObject* type, const Fill& fill) noexcept {
  PyObject* const self = type->tp_alloc(type, 0);
  if (!self) return nullptr;
  const bool filled = guarded(false, [&] {
    fill(self);
    return true;
  });
  if (filled) return self;
  Py_DECREF(self);
  return nullptr;
}

}  // namespace ef::py
