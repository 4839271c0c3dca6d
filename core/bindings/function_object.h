// OpFunction: the class of public functions, operations of the table and composed ones alike.
#pragma once

#include <Python.h>

namespace ef::py {

// Adds the class `OpFunction`, and the submodule `ops` with one of them for each operation.
bool init_op_functions(PyObject* module);

}  // namespace ef::py
