// Finding the object that takes a call over, and asking it.
#include "bindings/diversion.h"

#include "bindings/py_ref.h"
#include "bindings/py_tensor.h"

namespace ef::py {
namespace {

constexpr int kMaxVisits = 4096;  // lists may be long, and may contain themselves

// A borrowed reference, or null.
PyObject* find_diverting(PyObject* object, int& visits) {
  if (++visits > kMaxVisits) return nullptr;
  if (!PyList_Check(object) && !PyTuple_Check(object)) return diverts(object) ? object : nullptr;
  PyObject* const* items = PySequence_Fast_ITEMS(object);
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
    if (PyObject* found = find_diverting(items[i], visits)) return found;
  }
  return nullptr;
}

}  // namespace

bool diverts(PyObject* object) {
  if (is_tensor(object) || PyLong_CheckExact(object) || PyFloat_CheckExact(object)) return false;
  static PyObject* const name = PyUnicode_InternFromString("__op_function__");
  return _PyType_Lookup(Py_TYPE(object), name) != nullptr;
}

PyObject* divert(PyObject* function, PyObject* const* args, size_t positional, PyObject* keywords) {
  const auto named = keywords ? static_cast<size_t>(PyTuple_GET_SIZE(keywords)) : 0;
  PyObject *type, *error, *trace;
  PyErr_Fetch(&type, &error, &trace);
  PyObject* taker = nullptr;
  int visits = 0;
  for (size_t i = 0; i < positional + named && !taker; ++i) taker = find_diverting(args[i], visits);
  if (!taker) {
    PyErr_Restore(type, error, trace);
    return nullptr;
  }
  const PyRef held = PyRef::share(taker);  // what goes with the error may run code
  Py_XDECREF(type);
  Py_XDECREF(error);
  Py_XDECREF(trace);
  return guarded([&] {
    const PyRef values = checked(PyTuple_New(static_cast<Py_ssize_t>(positional)));
    for (size_t i = 0; i < positional; ++i) {
      PyTuple_SET_ITEM(values.get(), static_cast<Py_ssize_t>(i), Py_NewRef(args[i]));
    }
    const PyRef names = checked(PyDict_New());
    for (size_t i = 0; i < named; ++i) {
      PyObject* const key = PyTuple_GET_ITEM(keywords, static_cast<Py_ssize_t>(i));
      if (PyDict_SetItem(names, key, args[positional + i]) < 0) throw PythonError();
    }
    return PyObject_CallMethod(taker, "__op_function__", "OOO", function, values.get(),
                               names.get());
  });
}

}  // namespace ef::py
