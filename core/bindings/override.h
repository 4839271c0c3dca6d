// How calls of public functions are overridden.
//
// A class overrides the package's functions by `__op_function__(self, function, args, kwargs)`,
// like NumPy's `__array_function__`. The method returns the result, or NotImplemented to let the
// next class try. Composite tensors, symbolic tensors of models and tensors of graphs use it. The
// outermost function comes first: for a function composed in Python, overrides see its call, not
// the calls of operations inside it.
//
// The order of precedence:
//   1. the function's dispatcher, which holds the functions that programs have registered for it;
//   2. the classes of the arguments, those in lists, tuples and dictionaries included: a subclass
//      before its bases, otherwise from left to right;
//   3. after a call that has raised a TypeError or ValueError, the fallback of all functions
//      (`set_fallback`), if a program has registered dispatchers for values of its own.
#pragma once

#include <Python.h>

#include <algorithm>

#include "bindings/convert.h"
#include "bindings/py_tensor.h"

namespace ef::py {

// Whether the object's class has an `__op_function__`.
bool overrides(PyObject* object);

// Whether an argument has one of the types of most arguments, none of which overrides.
inline bool is_plain(PyObject* argument) {
  const PyTypeObject* type = Py_TYPE(argument);
  return is_tensor_type(type) || type == &PyLong_Type || type == &PyFloat_Type ||
         type == &PyUnicode_Type || type == &PyBool_Type || type == dtype_type ||
         argument == Py_None;
}

// Whether the object is a list or tuple of such arguments.
bool is_plain_sequence(PyObject* object);

inline bool holds_plain(PyObject* argument) {
  return is_plain(argument) || is_plain_sequence(argument);
}

inline bool are_plain(PyObject* const* args, size_t count) {
  return std::all_of(args, args + count, holds_plain);
}

// The result of the first override: of the dispatcher, which may be null or None and is called as
// dispatcher(args, kwargs), or of an argument. NotImplemented if there is none; null with an
// exception set. A new reference.
PyObject* call_override(PyObject* function, PyObject* dispatcher, PyObject* const* args,
                        size_t positional, PyObject* keywords);

// dispatcher(function, args, kwargs), with the arguments of a call. A new reference, or null.
PyObject* call_dispatcher(PyObject* function, PyObject* dispatcher, PyObject* const* args,
                          size_t positional, PyObject* keywords);

// The result of `object[key]` if a part of the key overrides it, else null. A new reference.
PyObject* index_override(PyObject* object, PyObject* key);

}  // namespace ef::py
