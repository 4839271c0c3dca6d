// The op table's operations as Python functions.
#pragma once

#include <Python.h>

namespace ef::py {

// Adds the submodule `ops` with one function for each entry of the table.
bool init_op_functions(PyObject* module);

// Operations that get an instance of class `base`, alone or in a list of tensors, are left to
// `handler(function, {name: value of each argument given})`.
void register_composites(PyObject* base, PyObject* handler);

// A failed operation raises what `function(TensorFlow's name, {name: value of each argument given},
// exception)` returns.
void register_reasons(PyObject* function);

}  // namespace ef::py
