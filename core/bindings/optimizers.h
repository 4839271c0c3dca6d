// The optimizers' fused updates for Python.
#pragma once

#include <Python.h>

namespace ef::py {

// Adds apply_update to the module.
void add_optimizers(PyObject* module);

}  // namespace ef::py
