// eagerflow._core.Variable: the native base class of tf.Variable.
#pragma once

#include <Python.h>

#include <vector>

#include "tensor/tensor.h"

namespace ef {
class Variable;
}

namespace ef::py {

struct PyVariable {
  PyObject_HEAD Variable* variable;
  PyObject* name;
};

extern PyTypeObject* variable_type;

inline bool is_variable(PyObject* object) { return PyObject_TypeCheck(object, variable_type); }
// The native variable; for an object that wraps another variable, the variable of its handle.
// Throws a ValueError if there is none.
Variable& variable_of(PyObject* object);
// The dtype; for objects without a native variable, the dtype of the result of read_value().
DType variable_dtype(PyObject* object);
// The current value; tapes that watch the variable record the read.
Tensor read_variable(PyObject* object);

// Sets the function that creates the method `assign` of variable[key], given the variable and the
// key.
void register_slice_assignment(PyObject* function);

// function(), while this thread reads the values in place of those of the variables, and its
// assignments replace these values. Returns a new reference. Throws.
PyObject* call_with_values(PyObject* variables, PyObject* values, PyObject* function);

// Sets the function that returns the operation added last to the graph that is being built.
void register_last_operation(PyObject* function);

bool init_variable_type(PyObject* module);

}  // namespace ef::py
