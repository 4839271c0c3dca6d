// A Function remembers which graph serves which dtypes and shapes of tensors, and which iterators.
// Calls with such arguments are answered here. All others go to the method `_call`, which traces if
// necessary and returns what to remember.
#include "bindings/traced_call.h"

#include <structmember.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "bindings/errors.h"
#include "bindings/handles.h"
#include "bindings/numpy_interop.h"
#include "bindings/py_graph.h"
#include "bindings/py_ref.h"
#include "bindings/py_tensor.h"
#include "graph/call.h"
#include "graph/symbolic.h"

namespace ef::py {
namespace {

// The number of argument kinds that a function remembers; a call compares them one after the other.
constexpr size_t kMostKinds = 16;

// An argument of a graph: any tensor or array of a dtype and shape, or the handle of an iterator.
struct Argument {
  DType dtype = DType::kResource;
  Shape shape;
  bool array = false;  // of NumPy
  PyRef object;        // a weak reference to the iterator; empty for tensors
};

struct Kind {
  std::vector<Argument> arguments;
  // The names of the last arguments, as calls give them; null if there are none.
  PyRef keywords;
  // Which of a call's arguments is each input of the graph.
  std::vector<size_t> order;
  graph::CallablePtr callable;
  PyRef pack;  // packs a list of tensors into the result; null if the only tensor is the result
};

struct TracedCall {
  PyObject_HEAD vectorcallfunc vectorcall;
  std::vector<Kind>* kinds;
  Py_ssize_t calls;  // that were answered here
};

// Set while functions run as Python code, without graphs.
bool paused = false;
PyObject* call_name = nullptr;

TracedCall& self_of(PyObject* self) { return *reinterpret_cast<TracedCall*>(self); }

bool matches(const Argument& argument, PyObject* given) {
  if (argument.object) return PyWeakref_GET_OBJECT(argument.object.get()) == given;
  if (argument.array) {
    return is_array(given) && dtype_of_array(given) == argument.dtype &&
           shape_of_array(given) == argument.shape;
  }
  if (!is_tensor_type(Py_TYPE(given))) return false;
  const Tensor& tensor = tensor_of(given);
  return !is_symbolic(tensor) && tensor.dtype() == argument.dtype &&
         tensor.shape() == argument.shape;
}

// Whether two tuples have the same names. Those in a program's text are interned.
bool same_names(PyObject* a, PyObject* b) {
  if (a == b) return true;
  if (!a || !b || PyTuple_GET_SIZE(a) != PyTuple_GET_SIZE(b)) return false;
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(a); ++k) {
    PyObject* const ours = PyTuple_GET_ITEM(a, k);
    PyObject* const theirs = PyTuple_GET_ITEM(b, k);
    if (ours != theirs && PyUnicode_Compare(ours, theirs) != 0) return false;
  }
  return true;
}

bool matches(const Kind& kind, PyObject* const* args, size_t count, PyObject* keywords) {
  if (kind.arguments.size() != count || !same_names(kind.keywords, keywords)) return false;
  for (size_t k = 0; k < count; ++k) {
    if (!matches(kind.arguments[k], args[k])) return false;
  }
  return true;
}

// Whether an iterator among the arguments has been freed: no call will match.
bool is_over(const Kind& kind) {
  return std::any_of(kind.arguments.begin(), kind.arguments.end(), [](const Argument& argument) {
    return argument.object && PyWeakref_GET_OBJECT(argument.object.get()) == Py_None;
  });
}

PyObject* run_kind(TracedCall& function, const Kind& kind, PyObject* const* args) {
  ++function.calls;
  const graph::CallablePtr callable = kind.callable;  // the function may forget it meanwhile
  const PyRef pack = kind.pack;
  TensorList inputs;
  for (const size_t k : kind.order) {
    const Argument& argument = kind.arguments[k];
    inputs.push_back(argument.object  ? handle_of(args[k])
                     : argument.array ? from_numpy(args[k])
                                      : tensor_of(args[k]));
  }
  TensorList results;
  run_callable(*callable, inputs, results);
  if (!pack) return wrap(std::move(results[0]));
  const PyRef list = checked(PyList_New(static_cast<Py_ssize_t>(results.size())));
  for (size_t k = 0; k < results.size(); ++k) {
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(k),
                    checked(wrap(std::move(results[k]))).release());
  }
  return PyObject_CallOneArg(pack, list);
}

PyObject* call(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* keywords) {
  TracedCall& function = self_of(self);
  const auto count = static_cast<size_t>(PyVectorcall_NARGS(nargsf));
  const size_t given = count + (keywords ? static_cast<size_t>(PyTuple_GET_SIZE(keywords)) : 0);
  if (!paused && !graph::building()) {
    for (const Kind& kind : *function.kinds) {
      if (matches(kind, args, given, keywords)) {
        return guarded([&] { return run_kind(function, kind, args); });
      }
    }
  }
  return guarded([&] {
    // The function itself is the first argument of its method.
    std::vector<PyObject*> all{self};
    all.insert(all.end(), args, args + given);
    return PyObject_VectorcallMethod(call_name, all.data(), count + 1, keywords);
  });
}

PyObject* construct(PyTypeObject* type, PyObject*, PyObject*) {
  return constructed(type, [](PyObject* self) {
    self_of(self).vectorcall = call;
    self_of(self).kinds = new std::vector<Kind>;
  });
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!self_of(self).kinds) return 0;
  for (const Kind& kind : *self_of(self).kinds) Py_VISIT(kind.pack.get());
  return 0;
}

int clear(PyObject* self) {
  if (self_of(self).kinds) std::exchange(*self_of(self).kinds, {});
  return 0;
}

void dealloc(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  delete std::exchange(self_of(self).kinds, nullptr);
  type->tp_free(self);
  Py_DECREF(type);
}

// A tuple of the same names, interned.
PyRef interned(PyObject* names) {
  const Py_ssize_t count = PyTuple_GET_SIZE(names);
  PyRef made = checked(PyTuple_New(count));
  for (Py_ssize_t k = 0; k < count; ++k) {
    PyObject* name = Py_NewRef(PyTuple_GET_ITEM(names, k));
    if (PyUnicode_CheckExact(name)) PyUnicode_InternInPlace(&name);
    PyTuple_SET_ITEM(made.get(), k, name);
  }
  return made;
}

PyObject* remember(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  return guarded([&]() -> PyObject* {
    if ((count != 3 && count != 5) || !PyTuple_Check(args[0]) ||
        (count == 5 && (!PyTuple_Check(args[3]) || !PyTuple_Check(args[4])))) {
      PyErr_SetString(
          PyExc_TypeError,
          "remember() takes a tuple of arguments, a graph, a function, and, if there are "
          "names, a tuple of these and one with the index of each input.");
      return nullptr;
    }
    Kind kind;
    if (count == 5) kind.keywords = interned(args[3]);
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(args[0]); ++k) {
      PyObject* const argument = PyTuple_GET_ITEM(args[0], k);
      if (is_tensor(argument)) {
        kind.arguments.push_back({tensor_of(argument).dtype(), tensor_of(argument).shape()});
      } else if (is_array(argument)) {
        kind.arguments.push_back({dtype_of_array(argument), shape_of_array(argument), true});
      } else {
        kind.arguments.push_back({.object = checked(PyWeakref_NewRef(argument, nullptr))});
      }
    }
    for (size_t k = 0; k < kind.arguments.size(); ++k) {
      PyObject* const index =
          count == 5 ? PyTuple_GetItem(args[4], static_cast<Py_ssize_t>(k)) : nullptr;
      if (count == 5 && !index) return nullptr;
      kind.order.push_back(index ? PyLong_AsSize_t(index) : k);
      if (PyErr_Occurred()) return nullptr;
      if (kind.order.back() >= kind.arguments.size()) {
        PyErr_SetString(PyExc_IndexError, "remember() takes indices of arguments.");
        return nullptr;
      }
    }
    kind.callable = callable_of(args[1]);
    if (args[2] != Py_None) kind.pack = PyRef::share(args[2]);
    std::vector<Kind>& kinds = *self_of(self).kinds;
    std::erase_if(kinds, is_over);
    if (kinds.size() >= kMostKinds) kinds.erase(kinds.begin());
    kinds.push_back(std::move(kind));
    Py_RETURN_NONE;
  });
}

PyObject* forget(PyObject* self, PyObject*) {
  clear(self);
  Py_RETURN_NONE;
}

PyObject* take_calls(PyObject* self, PyObject*) {
  return PyLong_FromSsize_t(std::exchange(self_of(self).calls, 0));
}

PyMethodDef methods[] = {
    {"_remember", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(remember)),
     METH_FASTCALL,
     "Remembers a graph for calls with tensors and arrays like these, and with these iterators. "
     "The function "
     "packs the list of results; None if the only tensor is the result. The last arguments of the "
     "calls may have names; then the indices say which argument is each input of the graph."},
    {"_forget", forget, METH_NOARGS, "Forgets all graphs."},
    {"_take_calls", take_calls, METH_NOARGS,
     "The number of calls answered by remembered graphs since the last call of this."},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(TracedCall, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

// Subclasses that are defined in Python lack the flag that makes calls use the vectorcall.
PyObject* init_subclass(PyObject* cls, PyObject*) {
  auto* const type = reinterpret_cast<PyTypeObject*>(cls);
  type->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
  PyType_Modified(type);
  Py_RETURN_NONE;
}

PyMethodDef subclass_method = {"__init_subclass__", init_subclass, METH_NOARGS | METH_CLASS,
                               nullptr};

PyObject* pause(PyObject*, PyObject* value) {
  paused = PyObject_IsTrue(value) == 1;
  Py_RETURN_NONE;
}

PyMethodDef pause_function = {"pause_traced_calls", pause, METH_O,
                              "Whether all calls of functions go to their Python method."};

}  // namespace

bool init_traced_calls(PyObject* module) {
  call_name = PyUnicode_InternFromString("_call");
  PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char*>("Calls with tensors run graphs; all others call `_call`.")},
      {Py_tp_new, reinterpret_cast<void*>(construct)},
      {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
      {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
      {Py_tp_clear, reinterpret_cast<void*>(clear)},
      {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
      {Py_tp_methods, methods},
      {Py_tp_members, members},
      {0, nullptr},
  };
  PyType_Spec spec = {
      "eagerflow._core.TracedCall", sizeof(TracedCall), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
      slots};
  PyObject* const type = PyType_FromSpec(&spec);
  if (!type || PyModule_AddObjectRef(module, "TracedCall", type) < 0) return false;
  auto* const cls = reinterpret_cast<PyTypeObject*>(type);
  const PyRef descriptor = PyRef::steal(PyDescr_NewClassMethod(cls, &subclass_method));
  if (!descriptor || PyDict_SetItemString(cls->tp_dict, "__init_subclass__", descriptor) < 0) {
    return false;
  }
  PyType_Modified(cls);
  const PyRef function = PyRef::steal(PyCFunction_New(&pause_function, nullptr));
  return function && PyModule_AddObjectRef(module, "pause_traced_calls", function) == 0;
}

}  // namespace ef::py
