// Gradients as Python objects (tensors, IndexedSlices or None), and backward steps written in
// Python.
#pragma once

#include <Python.h>

#include <memory>

#include "bindings/py_ref.h"
#include "eager/tape.h"

namespace ef::py {

// Called as cls(values, indices, dense_shape) for sparse gradients.
void register_indexed_slices(PyObject* cls);

// A tensor, an IndexedSlices, or None if there is no gradient.
PyRef wrap_gradient(Gradient&& gradient);

// A backward step that calls function(list of gradients), which returns a list of gradients.
std::shared_ptr<BackwardFunction> python_backward(PyObject* function);

}  // namespace ef::py
