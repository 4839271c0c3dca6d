// OpFunction: the class of public functions, operations of the table and composed ones alike.
#pragma once

#include <Python.h>

namespace ef::py {

// Adds the class `OpFunction`, and the submodule `ops` with one of them for each operation.
bool init_op_functions(PyObject* module);

// Sets what calls that raise a TypeError or ValueError are offered to, as fallback(function, args,
// kwargs), which returns NotImplemented to leave the error; None for nothing.
void set_fallback(PyObject* callable);

// Sets what calls of composed functions go through while a program's graph is built, as
// namer(function, args, kwargs): it runs the function by `function._run`, and names the nodes.
void set_namer(PyObject* callable);

}  // namespace ef::py
