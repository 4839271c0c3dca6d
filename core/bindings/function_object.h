// OpFunction: the class of public functions, both operations of the table and composed ones.
#pragma once

#include <Python.h>

namespace ef::py {

struct Signature;

// Adds the class `OpFunction`, and the submodule `ops` with one of them for each operation.
bool init_op_functions(PyObject* module);

// The operation of the table that a function is; null for other objects.
const Signature* signature_of(PyObject* function);

// Sets the function that handles calls that raised a TypeError or ValueError: fallback(function,
// args, kwargs), which returns NotImplemented to keep the error. None for no such function.
void set_fallback(PyObject* callable);

// Sets the function that wraps calls of composed functions while a program's graph is built:
// namer(function, args, kwargs) calls `function._run`, and names the nodes.
void set_namer(PyObject* callable);

}  // namespace ef::py
