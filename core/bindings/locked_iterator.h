// An iterator that several threads may read.
#pragma once

#include <Python.h>

namespace ef::py {

// Adds the class LockedIterator to the module.
bool init_locked_iterator(PyObject* module);

}  // namespace ef::py
