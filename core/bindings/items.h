// The items of a Python sequence, held by references while they are used.
#pragma once

#include <Python.h>

#include <span>

#include "bindings/py_ref.h"
#include "tensor/inline_vector.h"

namespace ef::py {

// A snapshot of a list, tuple or other sequence, for loops that may run Python code, for instance
// to convert an item: Python code, or another thread, may change the list. A list costs one
// reference per item, a tuple only one.
class Items {
 public:
  explicit Items(PyObject* sequence) {
    if (PyTuple_Check(sequence)) {
      tuple_ = PyRef::share(sequence);
      items_ = {reinterpret_cast<PyTupleObject*>(sequence)->ob_item,
                static_cast<size_t>(PyTuple_GET_SIZE(sequence))};
      return;
    }
    if (PyList_Check(sequence)) {
      const auto count = static_cast<size_t>(PyList_GET_SIZE(sequence));
      held_.reserve(count);
      for (size_t i = 0; i < count; ++i) {
        held_.push_back(PyRef::share(PyList_GET_ITEM(sequence, static_cast<Py_ssize_t>(i))));
      }
    } else {
      const Py_ssize_t count = PySequence_Size(sequence);
      if (count < 0) throw PythonError();
      for (Py_ssize_t i = 0; i < count; ++i) {
        held_.push_back(checked(PySequence_GetItem(sequence, i)));
      }
    }
    static_assert(sizeof(PyRef) == sizeof(PyObject*));
    items_ = {reinterpret_cast<PyObject* const*>(held_.data()), held_.size()};
  }
  Items(const Items&) = delete;
  Items& operator=(const Items&) = delete;

  size_t size() const { return items_.size(); }
  PyObject* operator[](size_t i) const { return items_[i]; }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

 private:
  PyRef tuple_;
  InlineVector<PyRef, 8> held_;
  std::span<PyObject* const> items_;
};

}  // namespace ef::py
