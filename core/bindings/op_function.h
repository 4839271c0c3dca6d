// The op table's operations as Python functions.
#pragma once

#include <Python.h>

namespace ef::py {

// Adds the submodule `ops` with one function for each entry of the table.
bool init_op_functions(PyObject* module);

}  // namespace ef::py
