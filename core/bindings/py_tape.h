// eagerflow._core.Tape: the native base class of tf.GradientTape.
#pragma once

#include <Python.h>

#include "bindings/py_ref.h"
#include "eager/tape.h"

namespace ef::py {

// Nested structures: flatten(structure) -> list, pack(structure, list) -> structure.
void register_nest(PyObject* flatten, PyObject* pack);
// Called as cls(values, indices, dense_shape) for sparse gradients.
void register_indexed_slices(PyObject* cls);

// A tensor, an IndexedSlices, or None where there is no gradient.
PyRef wrap_gradient(Gradient&& gradient);

// A backward step that calls function(list of gradients), which returns a list of gradients.
std::shared_ptr<BackwardFunction> python_backward(PyObject* function);

// record_custom(outputs, inputs, backward): records a Python backward step on this thread's tapes.
PyObject* record_custom(PyObject* module, PyObject* args);
// stop_recording(): a context manager that pauses this thread's tapes.
PyObject* make_stop_recording(PyObject* module, PyObject* unused);

bool init_tape_types(PyObject* module);

}  // namespace ef::py
