// Tensors that represent Python objects: datasets and iterators in graphs.
#pragma once

#include <Python.h>
#include <nanobind/nanobind.h>

#include "tensor/tensor.h"

namespace ef::py {

// A new handle of an object.
Tensor handle_of(PyObject* object);

void add_handles(nanobind::module_& m);

}  // namespace ef::py
