// Owning references to Python objects.
#pragma once

#include <Python.h>

#include <utility>

#include "bindings/errors.h"

namespace ef::py {

// Holds one reference; may be empty.
class PyRef {
 public:
  PyRef() = default;
  PyRef(PyRef&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  PyRef(const PyRef& other) : object_(Py_XNewRef(other.object_)) {}
  PyRef& operator=(PyRef other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~PyRef() { Py_XDECREF(object_); }

  // Owns a new reference.
  static PyRef steal(PyObject* object) { return PyRef(object); }
  // Adds a reference to a borrowed one.
  static PyRef share(PyObject* object) { return PyRef(Py_XNewRef(object)); }

  PyObject* get() const { return object_; }
  operator PyObject*() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  // Releases ownership of the reference.
  PyObject* release() { return std::exchange(object_, nullptr); }

 private:
  explicit PyRef(PyObject* object) : object_(object) {}
  PyObject* object_ = nullptr;
};

// Owns the result of a C API call; throws if it is null.
inline PyRef checked(PyObject* object) {
  if (!object) throw PythonError();
  return PyRef::steal(object);
}

// The attribute, or an empty reference if there is none.
inline PyRef attribute(PyObject* object, const char* name) {
  PyRef value = PyRef::steal(PyObject_GetAttrString(object, name));
  if (!value) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) throw PythonError();
    PyErr_Clear();
  }
  return value;
}

}  // namespace ef::py
