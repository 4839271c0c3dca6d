// eagerflow._core.Tape: the native base class of tf.GradientTape.
#pragma once

#include <Python.h>

namespace ef::py {

// Nested structures: flatten(structure) -> list, pack(structure, list) -> structure.
void register_nest(PyObject* flatten, PyObject* pack);

// record_custom(outputs, inputs, backward): records a Python backward step on this thread's tapes.
PyObject* record_custom(PyObject* module, PyObject* args);
// stop_recording(): a context manager that pauses this thread's tapes.
PyObject* make_stop_recording(PyObject* module, PyObject* unused);

bool init_tape_types(PyObject* module);

}  // namespace ef::py
