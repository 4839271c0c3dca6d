// The inner loops of pipelines: sources that are read by index, and mapped functions.
#pragma once

#include <Python.h>

namespace ef::py {

// Adds the classes Packer, RowReader and MapReader to the module.
bool init_cursors(PyObject* module);

}  // namespace ef::py
