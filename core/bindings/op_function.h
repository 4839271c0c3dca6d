// The op table's operations as Python functions.
#pragma once

#include <Python.h>

namespace ef::py {

// Adds the submodule `ops` with one function for each entry of the table.
bool init_op_functions(PyObject* module);

// Operations that get an instance of class `base`, alone or in a list of tensors, are left to
// `handler(function, {name: value of each argument given})`.
void register_composites(PyObject* base, PyObject* handler);

}  // namespace ef::py
