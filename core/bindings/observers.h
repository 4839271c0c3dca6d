// Python functions that are called after operations.
#pragma once

#include <Python.h>

namespace ef::py {

// Calls function(name, inputs, outputs) after every operation until the function is removed. With
// `bad_only`, only after operations whose results contain an infinity or a NaN.
void add_observer(PyObject* function, bool bad_only);
bool remove_observer(PyObject* function);

// Calls the observers for a step that is not in the op table.
void observe_custom(const char* name, PyObject* inputs, PyObject* outputs);

}  // namespace ef::py
