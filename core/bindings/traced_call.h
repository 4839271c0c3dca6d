// The base class of tf.function's Functions: calls with tensors run a graph without Python code.
#pragma once

#include <Python.h>

namespace ef::py {

bool init_traced_calls(PyObject* module);

}  // namespace ef::py
