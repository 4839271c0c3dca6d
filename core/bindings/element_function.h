// Functions of pipelines: a graph that is called with elements.
#pragma once

#include <Python.h>

namespace ef::py {

// Adds the classes ElementFunction and StreamStates to the module.
bool init_element_functions(PyObject* module);

}  // namespace ef::py
