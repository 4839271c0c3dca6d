#include "bindings/element_form.h"

#include <cstddef>
#include <utility>

#include "bindings/items.h"

namespace ef::py {
namespace {

PyRef listed(std::span<PyRef> leaves) {
  PyRef list = checked(PyList_New(static_cast<Py_ssize_t>(leaves.size())));
  for (size_t k = 0; k < leaves.size(); ++k) {
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(k), leaves[k].release());
  }
  return list;
}

// Moves leaves into an element, from index `at` on.
PyRef put_together(const Form& form, std::span<PyRef> leaves, size_t& at) {
  switch (form.kind) {
    case Form::Kind::kTensor: return std::move(leaves[at++]);
    case Form::Kind::kTuple: {
      PyRef tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(form.parts.size())));
      for (size_t k = 0; k < form.parts.size(); ++k) {
        PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(k),
                         put_together(form.parts[k], leaves, at).release());
      }
      return tuple;
    }
    case Form::Kind::kDict: {
      std::vector<PyRef> values;
      for (const Form& part : form.parts) values.push_back(put_together(part, leaves, at));
      PyRef dict = checked(PyDict_New());
      for (const size_t k : form.order) {
        if (PyDict_SetItem(dict, form.keys[k], values[k]) < 0) throw PythonError();
      }
      return dict;
    }
    case Form::Kind::kPython: break;
  }
  return checked(PyObject_CallOneArg(form.function, listed(leaves)));
}

}  // namespace

Form form_of(PyObject* object) {
  Form form;
  if (object == Py_None) return form;
  if (PyTuple_Check(object)) {
    form.kind = Form::Kind::kTuple;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(object); ++k) {
      form.parts.push_back(form_of(PyTuple_GET_ITEM(object, k)));
    }
  } else if (PyDict_Check(object)) {
    form.kind = Form::Kind::kDict;
    const PyRef sorted = checked(PyDict_Keys(object));
    if (PyList_Sort(sorted) < 0) throw PythonError();
    for (PyObject* key : Items(sorted)) {
      form.keys.push_back(PyRef::share(key));
      form.parts.push_back(form_of(PyDict_GetItem(object, key)));
    }
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(object, &at, &key, &value);) {
      for (size_t k = 0; k < form.keys.size(); ++k) {
        if (form.keys[k].get() == key) form.order.push_back(k);
      }
    }
  } else {
    form.kind = Form::Kind::kPython;
    form.function = PyRef::share(object);
  }
  return form;
}

int visit_form(const Form& form, visitproc visit, void* arg) {
  Py_VISIT(form.function.get());
  for (const Form& part : form.parts) {
    if (const int stop = visit_form(part, visit, arg)) return stop;
  }
  return 0;
}

void refuse_element(PyObject* element) {
  PyErr_Format(PyExc_TypeError, "An element has another structure than its spec: %R", element);
  throw PythonError();
}

void take_apart(const Form& form, PyObject* element, std::vector<PyObject*>& leaves) {
  switch (form.kind) {
    case Form::Kind::kTensor:
    case Form::Kind::kPython: leaves.push_back(element); return;
    case Form::Kind::kTuple:
      if (!PyTuple_Check(element) ||
          static_cast<size_t>(PyTuple_GET_SIZE(element)) != form.parts.size()) {
        refuse_element(element);
      }
      for (size_t k = 0; k < form.parts.size(); ++k) {
        take_apart(form.parts[k], PyTuple_GET_ITEM(element, static_cast<Py_ssize_t>(k)), leaves);
      }
      return;
    case Form::Kind::kDict:
      if (!PyDict_Check(element)) refuse_element(element);
      for (size_t k = 0; k < form.parts.size(); ++k) {
        PyObject* const part = PyDict_GetItemWithError(element, form.keys[k]);
        if (!part) {
          if (PyErr_Occurred()) throw PythonError();
          refuse_element(element);
        }
        take_apart(form.parts[k], part, leaves);
      }
  }
}

PyRef put_together(const Form& form, std::span<PyRef> leaves) {
  size_t at = 0;
  return put_together(form, leaves, at);
}

}  // namespace ef::py
