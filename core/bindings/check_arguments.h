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

// A parameter that TensorFlow takes as a tensor.
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

// What TensorFlow declares of an operation, be it an entry of the op table or composed in Python.
struct Declaration {
  const char* op;
  std::vector<TensorParameter> tensors;  // in TensorFlow's order
  std::vector<AttrParameter> attrs;
};

// Raises what TensorFlow raises first for these arguments, if it refuses them. Absent ones are
// null. It costs more than a conversion, and is for calls that have failed.
void check_arguments(const Declaration& declaration, PyObject* const* values);

// With an exception set: replaces it by the one that `check` throws, if it does. Memory that has
// run out is the operation's error, and warnings that are errors stay.
template <class Check>
[[gnu::cold]] void replace_exception(const char* op, const Check& check) noexcept {
  if (!PyErr_ExceptionMatches(PyExc_Exception) || PyErr_ExceptionMatches(PyExc_Warning)) return;
  PyObject *type, *error, *trace;
  PyErr_Fetch(&type, &error, &trace);
  PyErr_NormalizeException(&type, &error, &trace);
  const bool passed = guarded(false, [&] {
    check();
    if (PyErr_GivenExceptionMatches(type, PyExc_MemoryError)) {
      fail(Code::kResourceExhausted, str_of(error), " [Op:", op, "]");
    }
    return true;
  });
  if (passed) return PyErr_Restore(type, error, trace);
  Py_XDECREF(type);
  Py_XDECREF(error);
  Py_XDECREF(trace);
}

}  // namespace ef::py
