// The Python exception for each status code.
#include "bindings/errors.h"

#include <new>
#include <stdexcept>
#include <typeinfo>

#include "bindings/gil.h"
#include "graph/graph.h"

namespace ef::py {
namespace {

PyObject* error_classes = nullptr;  // dict: status code → class

PyObject* builtin_class(Code code) {
  switch (code) {
    case Code::kValueError: return PyExc_ValueError;
    case Code::kTypeError: return PyExc_TypeError;
    case Code::kIndexError: return PyExc_IndexError;
    case Code::kAttributeError: return PyExc_AttributeError;
    case Code::kOverflowError: return PyExc_OverflowError;
    case Code::kNotImplemented: return PyExc_NotImplementedError;
    default: return PyExc_RuntimeError;
  }
}

void raise(const Error& error) {
  const int code = static_cast<int>(error.code());
  const bool of_graphs =
      error.code() == Code::kNotAllowedInGraph || error.code() == graph::kInaccessibleTensor;
  if ((code >= 100 && !of_graphs) || !error_classes) {
    PyErr_SetString(builtin_class(error.code()), error.what());
    return;
  }
  PyObject* key = PyLong_FromLong(code);
  PyObject* cls = key ? PyDict_GetItemWithError(error_classes, key) : nullptr;
  Py_XDECREF(key);
  if (!cls) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_RuntimeError, error.what());
    return;
  }
  Py_INCREF(cls);
  PyObject* exception = of_graphs
                            ? PyObject_CallFunction(cls, "s", error.what())
                            : PyObject_CallFunction(cls, "OOs", Py_None, Py_None, error.what());
  if (exception) PyErr_SetObject(cls, exception);
  Py_XDECREF(exception);
  Py_DECREF(cls);
}

}  // namespace

void register_errors(PyObject* classes) {
  Py_INCREF(classes);
  Py_XSETREF(error_classes, classes);
}

void set_python_error() noexcept {
  try {
    surviving_shutdown([] { throw; });
  } catch (const PythonError&) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_SystemError, "A Python exception got lost.");
  } catch (const Error& error) {
    raise(error);
  } catch (const std::bad_alloc&) {
    raise(Error(Code::kResourceExhausted, "Out of memory."));
  } catch (const std::length_error&) {
    raise(Error(Code::kResourceExhausted, "A string or list would be longer than any can be."));
  } catch (const std::bad_cast&) {
    raise(Error(Code::kTypeError, "An argument has a type that the function does not take."));
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  } catch (...) {
    PyErr_SetString(PyExc_SystemError, "An unknown C++ exception was thrown.");
  }
}

}  // namespace ef::py
