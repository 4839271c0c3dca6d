// OpFunction: what a public function is, be it an operation of the table or composed in Python.
#pragma once

#include <Python.h>

namespace ef::py {

// Adds the class `OpFunction`, and the submodule `ops` with one of them for each operation.
bool init_op_functions(PyObject* module);

}  // namespace ef::py
