// The form of a pipeline's elements: how they consist of tensors and other leaves.
#pragma once

#include <Python.h>

#include <span>
#include <vector>

#include "bindings/py_ref.h"

namespace ef::py {

struct Form {
  enum class Kind { kTensor, kTuple, kDict, kPython };
  Kind kind = Kind::kTensor;  // any leaf; in sources it need not be a tensor
  std::vector<Form> parts;    // of a tuple, or of a dictionary in the order of its sorted keys
  std::vector<PyRef> keys;    // of a dictionary, sorted
  std::vector<size_t> order;  // of a dictionary's items: indices of keys
  PyRef function;             // splits an element into leaves, or builds it from them
};

// From Python's description: None for a tensor, a tuple of forms, a dictionary of forms in the
// order of the elements' items, or a function.
Form form_of(PyObject* object);

int visit_form(const Form& form, visitproc visit, void* arg);

[[noreturn]] void refuse_element(PyObject* element);

// Appends the leaves of an element as borrowed references; raises a TypeError if the element has
// another form. The leaf of a function is the element itself.
void take_apart(const Form& form, PyObject* element, std::vector<PyObject*>& leaves);

// Builds an element from leaves, which are moved.
PyRef put_together(const Form& form, std::span<PyRef> leaves);

}  // namespace ef::py
