// The classes Packer, RowReader and MapReader of eagerflow._core. Python's cursors extend the
// readers, which compute each element here; Python code runs when a reader ends or fails.
#include "bindings/cursors.h"

#include <structmember.h>

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#include "bindings/element_form.h"
#include "bindings/errors.h"
#include "bindings/items.h"
#include "bindings/py_ref.h"

namespace ef::py {
namespace {

template <class Function>
void* slot(Function* function) {
  return reinterpret_cast<void*>(function);
}

bool add_type(PyObject* module, PyType_Spec& spec, const char* name,
              PyTypeObject** kept = nullptr) {
  PyObject* const type = PyType_FromSpec(&spec);
  if (!type) return false;
  const int failed = PyModule_AddObjectRef(module, name, type);
  if (kept) *kept = reinterpret_cast<PyTypeObject*>(type);
  Py_DECREF(type);
  return failed == 0;
}

// Packer(form): builds elements of a form from lists of their leaves.

struct Packer {
  PyObject_HEAD Form* form;
};

PyTypeObject* packer_type = nullptr;

const Form& form_of_packer(PyObject* self) { return *reinterpret_cast<Packer*>(self)->form; }

PyObject* construct_packer(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject* form;
  if (!PyArg_ParseTuple(args, "O:Packer", &form)) return nullptr;
  return guarded([&]() -> PyObject* {
    Form made = form_of(form);
    return constructed(type, [&](PyObject* self) {
      reinterpret_cast<Packer*>(self)->form = new Form(std::move(made));
    });
  });
}

// The number of leaves of a form; a function accepts any number.
size_t count_leaves(const Form& form) {
  if (form.kind == Form::Kind::kTensor) return 1;
  size_t count = 0;
  for (const Form& part : form.parts) count += count_leaves(part);
  return count;
}

PyRef packed(const Form& form, std::vector<PyRef>& leaves) {
  if (form.kind != Form::Kind::kPython && leaves.size() != count_leaves(form)) {
    PyErr_SetString(PyExc_ValueError, "An element has a different number of leaves.");
    throw PythonError();
  }
  return put_together(form, leaves);
}

PyObject* call_packer(PyObject* self, PyObject* args, PyObject*) {
  PyObject* list;
  if (!PyArg_ParseTuple(args, "O!:Packer", &PyList_Type, &list)) return nullptr;
  return guarded([&] {
    std::vector<PyRef> leaves;
    for (PyObject* leaf : Items(list)) leaves.push_back(PyRef::share(leaf));
    return packed(form_of_packer(self), leaves).release();
  });
}

// columns(elements): for each leaf of the form, the list of that leaf in all elements.
PyObject* columns(PyObject* self, PyObject* elements) {
  return guarded([&] {
    const Form& form = form_of_packer(self);
    const Items items(elements);
    const size_t width = form.kind == Form::Kind::kPython ? 1 : count_leaves(form);
    std::vector<PyRef> lists;
    for (size_t k = 0; k < width; ++k) {
      lists.push_back(checked(PyList_New(0)));
    }
    std::vector<PyObject*> leaves;
    for (PyObject* element : items) {
      leaves.clear();
      take_apart(form, element, leaves);
      for (size_t k = 0; k < width; ++k) {
        if (PyList_Append(lists[k], leaves[k]) < 0) throw PythonError();
      }
    }
    PyRef all = checked(PyList_New(static_cast<Py_ssize_t>(width)));
    for (size_t k = 0; k < width; ++k) {
      PyList_SET_ITEM(all.get(), static_cast<Py_ssize_t>(k), lists[k].release());
    }
    return all.release();
  });
}

PyObject* get_plain(PyObject* self, void*) {
  return PyBool_FromLong(form_of_packer(self).kind != Form::Kind::kPython);
}

PyMethodDef packer_methods[] = {
    {"columns", columns, METH_O, "For each leaf, the list of that leaf in all elements."},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef packer_getset[] = {
    {"is_plain", get_plain, nullptr,
     "Whether elements consist of leaves, tuples and dictionaries only.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

int traverse_packer(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  const Form* const form = reinterpret_cast<Packer*>(self)->form;
  return form ? visit_form(*form, visit, arg) : 0;
}

void dealloc_packer(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  delete std::exchange(reinterpret_cast<Packer*>(self)->form, nullptr);
  type->tp_free(self);
  Py_DECREF(type);
}

// RowReader(columns, packer, indices): iterates over the rows of columns at the given indices.

struct RowReader {
  PyObject_HEAD PyObject* columns;
  PyObject* packer;
  PyObject* indices;  // a list or a range
  Py_ssize_t at;      // the position of the next index
};

RowReader& rows_of(PyObject* self) { return *reinterpret_cast<RowReader*>(self); }

// The next index; empty at the end.
PyRef next_index(PyObject* self) {
  RowReader& reader = rows_of(self);
  const auto size = [&] {
    const PyRef indices = PyRef::share(reader.indices);
    const Py_ssize_t count = PySequence_Size(indices);
    if (count < 0) throw PythonError();
    return count;
  };
  if (reader.at >= size()) {
    const PyRef more = checked(PyObject_CallMethod(self, "_more", nullptr));
    if (more.get() == Py_None) return {};
    Py_XSETREF(reader.indices, Py_NewRef(more.get()));
    reader.at = 0;
    if (!size()) return {};
  }
  const PyRef indices = PyRef::share(reader.indices);
  return checked(PySequence_GetItem(indices, reader.at++));
}

PyObject* next_row(PyObject* self) {
  return guarded([&]() -> PyObject* {
    const RowReader& reader = rows_of(self);
    if (!reader.columns || !reader.indices || !reader.packer) return nullptr;
    const PyRef packer = PyRef::share(reader.packer);
    const PyRef index = next_index(self);  // may replace the columns
    if (!index || !reader.columns) return nullptr;
    const PyRef columns = PyRef::share(reader.columns);
    std::vector<PyRef> leaves;
    for (PyObject* column : Items(columns)) {
      leaves.push_back(column == Py_None ? PyRef::share(Py_None)
                                         : checked(PyObject_GetItem(column, index)));
    }
    return packed(form_of_packer(packer), leaves).release();
  });
}

PyObject* no_more(PyObject*, PyObject*) { Py_RETURN_NONE; }

int init_rows(PyObject* self, PyObject* args, PyObject* keywords) {
  PyObject *columns, *packer, *indices;
  if (keywords ||
      !PyArg_ParseTuple(args, "OO!O:RowReader", &columns, packer_type, &packer, &indices)) {
    return -1;
  }
  RowReader& reader = rows_of(self);
  Py_XSETREF(reader.columns, Py_NewRef(columns));
  Py_XSETREF(reader.packer, Py_NewRef(packer));
  Py_XSETREF(reader.indices, Py_NewRef(indices));
  return 0;
}

int traverse_rows(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(rows_of(self).columns);
  Py_VISIT(rows_of(self).packer);
  Py_VISIT(rows_of(self).indices);
  return 0;
}

int clear_rows(PyObject* self) {
  Py_CLEAR(rows_of(self).columns);
  Py_CLEAR(rows_of(self).packer);
  Py_CLEAR(rows_of(self).indices);
  return 0;
}

PyMethodDef row_methods[] = {
    {"_more", no_more, METH_NOARGS,
     "More indices, after the last one was read; None at the end. Readers with several blocks "
     "override it."},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef row_members[] = {
    {"_columns", T_OBJECT, offsetof(RowReader, columns), 0, "What is read by index."},
    {"_indices", T_OBJECT, offsetof(RowReader, indices), 0, "The list of indices."},
    {"_at", T_PYSSIZET, offsetof(RowReader, at), 0, "The position of the next index."},
    {nullptr, 0, 0, 0, nullptr},
};

// MapReader(input, function): iterates over function(element) for the elements of an iterator.

struct MapReader {
  PyObject_HEAD PyObject* input;
  PyObject* function;
  char watched;
};

MapReader& map_of(PyObject* self) { return *reinterpret_cast<MapReader*>(self); }

// Replaces the exception that is set by the result of `_error_of`.
void replace_error(PyObject* self) {
  PyObject *type, *error, *trace;
  PyErr_Fetch(&type, &error, &trace);
  PyErr_NormalizeException(&type, &error, &trace);
  if (trace) PyException_SetTraceback(error, trace);
  const PyRef replaced = PyRef::steal(PyObject_CallMethod(self, "_error_of", "O", error));
  if (!replaced || replaced.get() == error) {
    if (!replaced) PyErr_Clear();
    PyErr_Restore(type, error, trace);
    return;
  }
  PyException_SetCause(replaced, Py_NewRef(error));
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(replaced.get())), replaced);
  Py_DECREF(type);
  Py_DECREF(error);
  Py_XDECREF(trace);
}

PyObject* next_mapped(PyObject* self) {
  if (map_of(self).watched) return PyObject_CallMethod(self, "_watch", nullptr);
  if (!map_of(self).input || !map_of(self).function) return nullptr;
  const PyRef input = PyRef::share(map_of(self).input);
  const PyRef function = PyRef::share(map_of(self).function);
  const PyRef element = PyRef::steal(PyIter_Next(input));
  if (!element) return nullptr;
  PyObject* const result = PyObject_CallOneArg(function, element);
  if (!result) replace_error(self);
  return result;
}

PyObject* same_error(PyObject*, PyObject* error) { return Py_NewRef(error); }

int init_map(PyObject* self, PyObject* args, PyObject* keywords) {
  PyObject *input, *function;
  if (keywords || !PyArg_ParseTuple(args, "OO:MapReader", &input, &function)) return -1;
  if (!PyIter_Check(input)) {
    PyErr_Format(PyExc_TypeError, "A MapReader reads an iterator, got %R.", input);
    return -1;
  }
  Py_XSETREF(map_of(self).input, Py_NewRef(input));
  Py_XSETREF(map_of(self).function, Py_NewRef(function));
  return 0;
}

int traverse_map(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(map_of(self).input);
  Py_VISIT(map_of(self).function);
  return 0;
}

int clear_map(PyObject* self) {
  Py_CLEAR(map_of(self).input);
  Py_CLEAR(map_of(self).function);
  return 0;
}

PyMethodDef map_methods[] = {
    {"_error_of", same_error, METH_O, "The exception to raise for an error of the function."},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef map_members[] = {
    {"_input", T_OBJECT, offsetof(MapReader, input), READONLY, "What is read."},
    {"_function", T_OBJECT, offsetof(MapReader, function), READONLY, "What is called."},
    {"_watched", T_BOOL, offsetof(MapReader, watched), 0,
     "Whether the method `_watch` returns the next elements."},
    {nullptr, 0, 0, 0, nullptr},
};

template <int (*kClear)(PyObject*)>
void dealloc(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  kClear(self);
  type->tp_free(self);
  Py_DECREF(type);
}

}  // namespace

bool init_cursors(PyObject* module) {
  PyType_Slot packer_slots[] = {
      {Py_tp_doc, const_cast<char*>("Packer(form): builds elements from lists of their leaves.")},
      {Py_tp_new, slot(construct_packer)},
      {Py_tp_dealloc, slot(dealloc_packer)},
      {Py_tp_traverse, slot(traverse_packer)},
      {Py_tp_call, slot(call_packer)},
      {Py_tp_methods, packer_methods},
      {Py_tp_getset, packer_getset},
      {0, nullptr},
  };
  PyType_Spec packer_spec = {"eagerflow._core.Packer", sizeof(Packer), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, packer_slots};
  PyType_Slot row_slots[] = {
      {Py_tp_doc, const_cast<char*>("RowReader(columns, packer, indices): iterates over the rows "
                                    "of columns at the given indices.")},
      {Py_tp_init, slot(init_rows)},
      {Py_tp_dealloc, slot(dealloc<clear_rows>)},
      {Py_tp_traverse, slot(traverse_rows)},
      {Py_tp_clear, slot(clear_rows)},
      {Py_tp_iter, slot(PyObject_SelfIter)},
      {Py_tp_iternext, slot(next_row)},
      {Py_tp_methods, row_methods},
      {Py_tp_members, row_members},
      {0, nullptr},
  };
  PyType_Spec row_spec = {"eagerflow._core.RowReader", sizeof(RowReader), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, row_slots};
  PyType_Slot map_slots[] = {
      {Py_tp_doc, const_cast<char*>("MapReader(input, function): iterates over function(element) "
                                    "for the elements of an iterator.")},
      {Py_tp_init, slot(init_map)},
      {Py_tp_dealloc, slot(dealloc<clear_map>)},
      {Py_tp_traverse, slot(traverse_map)},
      {Py_tp_clear, slot(clear_map)},
      {Py_tp_iter, slot(PyObject_SelfIter)},
      {Py_tp_iternext, slot(next_mapped)},
      {Py_tp_methods, map_methods},
      {Py_tp_members, map_members},
      {0, nullptr},
  };
  PyType_Spec map_spec = {"eagerflow._core.MapReader", sizeof(MapReader), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, map_slots};
  return add_type(module, packer_spec, "Packer", &packer_type) &&
         add_type(module, row_spec, "RowReader") && add_type(module, map_spec, "MapReader");
}

}  // namespace ef::py
