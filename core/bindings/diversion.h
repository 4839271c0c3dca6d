// Objects that take operations over, as NumPy's __array_function__ does for arrays.
//
// A class that defines `__op_function__(self, function, args, kwargs)` stands for tensors that are
// not there: a node of a graph, an input of a model. An operation that cannot convert an argument
// of such a class asks the first one among its arguments, those in lists included, for the result.
// It is looked for only after a conversion has failed, so that other calls pay nothing.
#pragma once

#include <Python.h>

namespace ef::py {

// Whether the object's class takes operations over.
bool diverts(PyObject* object);

// With a Python exception set: the result of the first argument that takes the call over. Without
// one, returns null and leaves the exception as it is.
PyObject* divert(PyObject* function, PyObject* const* args, size_t positional,
                 PyObject* keywords = nullptr);

}  // namespace ef::py
