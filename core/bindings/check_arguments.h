// TensorFlow's checks of a call's arguments, in its order.
#pragma once

#include <Python.h>

#include <cstddef>
#include <vector>

#include "bindings/convert.h"
#include "bindings/errors.h"
#include "ops/attr_fields.h"
#include "ops/input_spec.h"

namespace ef::py {

// A parameter that TensorFlow converts to a tensor.
struct TensorParameter {
  InputSpec spec;
  size_t position;  // among the parameters
  bool has_default;
};

// Another parameter.
struct AttrParameter {
  const char* name;
  AttrKind kind;
  bool list;  // a Python list of such values
  size_t position;
  bool has_default;
};

// TensorFlow's declaration of an operation, either of the op table or composed in Python.
struct Declaration {
  const char* op;
  std::vector<TensorParameter> tensors;  // in TensorFlow's order
  std::vector<AttrParameter> attrs;
};

// Raises TensorFlow's first error for these arguments, if there is one. Missing arguments are null.
// It is slower than a conversion, and meant for calls that have failed.
void check_arguments(const Declaration& declaration, PyObject* const* values);

// Throws what an operation raises in place of an exception that escaped from the code that computes
// it: ResourceExhausted for a MemoryError, and InvalidArgument for Python's own errors of indices,
// attributes and arithmetic, which mean that no check foresaw these arguments.
void refuse_escaped(const char* op, PyObject* error);

// With an exception set: replaces it by the one that `check` throws, if it throws, or else by the
// one that it means for an operation. Warnings that are errors stay.
template <class Check>
[[gnu::cold]] void replace_exception(const char* op, const Check& check) noexcept {
  if (!PyErr_ExceptionMatches(PyExc_Exception) || PyErr_ExceptionMatches(PyExc_Warning)) return;
  PyObject *type, *error, *trace;
  PyErr_Fetch(&type, &error, &trace);
  PyErr_NormalizeException(&type, &error, &trace);
  const bool passed = guarded(false, [&] {
    check();
    refuse_escaped(op, error);
    return true;
  });
  if (passed) return PyErr_Restore(type, error, trace);
  Py_XDECREF(type);
  Py_XDECREF(error);
  Py_XDECREF(trace);
}

}  // namespace ef::py
