// Operations that are composed in Python: their declarations.
#pragma once

#include <nanobind/nanobind.h>

namespace ef::py {

// Calls the function that composes an operation, `composed_op`. If TensorFlow refuses the
// arguments, its error replaces the function's.
PyObject* call_composed(PyObject* composed_op, PyObject* body, PyObject* const* args, size_t nargsf,
                        PyObject* keywords);

// Adds the class `ComposedOp`, and the functions that refuse attributes and inputs.
void add_composed_ops(nanobind::module_& module);

}  // namespace ef::py
