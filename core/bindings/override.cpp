#include "bindings/override.h"

#include <vector>

#include "bindings/py_ref.h"
#include "bindings/py_variable.h"

namespace ef::py {
namespace {

constexpr int kMaxVisits = 4096;  // lists may be long, and may contain themselves

PyObject* method_name() {
  static PyObject* const name = PyUnicode_InternFromString("__op_function__");
  return name;
}

// The arguments that may override a call: one per class, in order of precedence.
class Overriders {
 public:
  void collect(PyObject* const* args, size_t count) {
    for (size_t i = 0; i < count; ++i) visit(args[i]);
  }

  const std::vector<PyRef>& in_order() const { return overriders_; }

 private:
  void visit(PyObject* object) {
    if (is_plain(object) || ++visits_ > kMaxVisits) return;
    if (PyList_Check(object) || PyTuple_Check(object)) {
      PyObject* const* items = PySequence_Fast_ITEMS(object);
      for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
        if (++visits_ > kMaxVisits) return;
        visit(items[i]);
      }
    } else if (PyDict_CheckExact(object)) {
      PyObject *key, *value;
      for (Py_ssize_t position = 0; PyDict_Next(object, &position, &key, &value);) visit(value);
    } else if (overrides(object)) {
      add(object);
    }
  }

  void add(PyObject* object) {
    const auto same_type = [=](const PyRef& other) { return Py_TYPE(other) == Py_TYPE(object); };
    const auto is_base = [=](const PyRef& other) {
      return PyType_IsSubtype(Py_TYPE(object), Py_TYPE(other)) != 0;
    };
    if (std::any_of(overriders_.begin(), overriders_.end(), same_type)) return;
    overriders_.insert(std::find_if(overriders_.begin(), overriders_.end(), is_base),
                       PyRef::share(object));
  }

  std::vector<PyRef> overriders_;
  int visits_ = 0;
};

PyRef tuple_of(PyObject* const* args, size_t count) {
  PyRef tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(count)));
  for (size_t i = 0; i < count; ++i) {
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), Py_NewRef(args[i]));
  }
  return tuple;
}

PyRef dict_of(PyObject* keywords, PyObject* const* values) {
  PyRef dict = checked(PyDict_New());
  for (Py_ssize_t i = 0; keywords && i < PyTuple_GET_SIZE(keywords); ++i) {
    if (PyDict_SetItem(dict, PyTuple_GET_ITEM(keywords, i), values[i]) < 0) throw PythonError();
  }
  return dict;
}

PyObject* ask(PyObject* function, PyObject* dispatcher, PyObject* const* args, size_t positional,
              PyObject* keywords) {
  Overriders overriders;
  overriders.collect(args, positional + (keywords ? PyTuple_GET_SIZE(keywords) : 0));
  if (overriders.in_order().empty()) return Py_NewRef(Py_NotImplemented);

  const PyRef values = tuple_of(args, positional);
  // Each override may change its keyword arguments, so it receives a dictionary of its own.
  const auto named = [=] { return dict_of(keywords, args + positional); };
  if (dispatcher && dispatcher != Py_None) {
    const PyRef callable = PyRef::share(dispatcher);
    PyRef result =
        checked(PyObject_CallFunctionObjArgs(callable, values.get(), named().get(), nullptr));
    if (result != Py_NotImplemented) return result.release();
  }
  for (PyObject* overrider : overriders.in_order()) {
    PyRef result = checked(PyObject_CallMethodObjArgs(overrider, method_name(), function,
                                                      values.get(), named().get(), nullptr));
    if (result != Py_NotImplemented) return result.release();
  }
  return Py_NewRef(Py_NotImplemented);
}

}  // namespace

[[gnu::hot]] bool is_plain_sequence(PyObject* object) {
  if (!PyList_CheckExact(object) && !PyTuple_CheckExact(object)) return false;
  PyObject* const* items = PySequence_Fast_ITEMS(object);
  return std::all_of(items, items + PySequence_Fast_GET_SIZE(object), is_plain);
}

bool overrides(PyObject* object) {
  return !is_plain(object) && _PyType_Lookup(Py_TYPE(object), method_name()) != nullptr;
}

PyObject* call_dispatcher(PyObject* function, PyObject* dispatcher, PyObject* const* args,
                          size_t positional, PyObject* keywords) {
  return guarded([&]() -> PyObject* {
    const PyRef values = tuple_of(args, positional), named = dict_of(keywords, args + positional);
    return PyObject_CallFunctionObjArgs(dispatcher, function, values.get(), named.get(), nullptr);
  });
}

PyObject* index_override(PyObject* object, PyObject* key) {
  const auto part_of = [](PyObject* item) -> PyObject* {
    if (!PySlice_Check(item)) return overrides(item) ? item : nullptr;
    const auto* slice = reinterpret_cast<PySliceObject*>(item);
    for (PyObject* bound : {slice->start, slice->stop, slice->step}) {
      if (overrides(bound)) return bound;
    }
    return nullptr;
  };
  PyObject* part = nullptr;
  if (PyTuple_Check(key)) {
    for (Py_ssize_t i = 0; !part && i < PyTuple_GET_SIZE(key); ++i) {
      part = part_of(PyTuple_GET_ITEM(key, i));
    }
  } else {
    part = part_of(key);
  }
  if (!part) return nullptr;
  static PyObject* const getitem =
      checked(PyObject_GetAttrString(checked(PyImport_ImportModule("operator")), "getitem"))
          .release();
  PyRef result =
      checked(PyObject_CallMethod(part, "__op_function__", "O(OO){}", getitem, object, key));
  return result == Py_NotImplemented ? nullptr : result.release();
}

PyObject* call_override(PyObject* function, PyObject* dispatcher, PyObject* const* args,
                        size_t positional, PyObject* keywords) {
  return guarded([&] { return ask(function, dispatcher, args, positional, keywords); });
}

}  // namespace ef::py
