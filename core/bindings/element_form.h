// The form of a pipeline's elements: how they are made of tensors and other leaves.
#pragma once

#include <Python.h>

#include <span>
#include <vector>

#include "bindings/py_ref.h"

namespace ef::py {

struct Form {
  enum class Kind { kTensor, kTuple, kDict, kPython };
  Kind kind = Kind::kTensor;  // a leaf: in sources also what is not a tensor
  std::vector<Form> parts;    // of a tuple; of a dictionary in the order of its sorted keys
  std::vector<PyRef> keys;    // of a dictionary, sorted
  std::vector<size_t> order;  // of a dictionary's items: indices of keys
  PyRef function;             // takes an element apart, or puts it together
};

// From what Python gives: None for a tensor, a tuple of forms, a dictionary of forms by sorted keys
// with its keys in order, or a function.
Form form_of(PyObject* object);

int visit_form(const Form& form, visitproc visit, void* arg);

[[noreturn]] void refuse_element(PyObject* element);

// Adds the leaves of an element, which are held by it; a TypeError where it has another form. The
// leaf of a function is the element itself.
void take_apart(const Form& form, PyObject* element, std::vector<PyObject*>& leaves);

// An element of these leaves, which are taken over.
PyRef put_together(const Form& form, std::span<PyRef> leaves);

}  // namespace ef::py
