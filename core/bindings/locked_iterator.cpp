// The class LockedIterator of eagerflow._core: several threads may read from one iterator.
//
// Python's lock guards the fields, so an uncontended read costs only two comparisons. A thread that
// has to wait allocates a system lock.
#include "bindings/locked_iterator.h"

#include <pythread.h>

#include <optional>
#include <utility>

#include "bindings/gil.h"
#include "eager/profile.h"
#include "eager/tape.h"
#include "graph/graph.h"

namespace ef::py {
namespace {

// A thread that waits until no other thread reads.
struct Waiter {
  PyThread_type_lock wake = PyThread_allocate_lock();
  Waiter* next = nullptr;  // who came after this one
  Waiter() {
    if (wake) PyThread_acquire_lock(wake, WAIT_LOCK);
  }
  ~Waiter() {
    if (!wake) return;
    PyThread_acquire_lock(wake, NOWAIT_LOCK);
    PyThread_release_lock(wake);
    PyThread_free_lock(wake);
  }
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;
};

struct LockedIterator {
  PyObject_HEAD PyObject* source;  // null at the end
  unsigned long owner;
  Py_ssize_t depth;  // how often the owner has entered; 0 if there is no owner
  Waiter* waiters;   // who waits, the longest first: each lies on the stack of its thread
};

LockedIterator* self_of(PyObject* object) { return reinterpret_cast<LockedIterator*>(object); }

void wake_one(LockedIterator* self) {
  Waiter* const first = self->waiters;
  if (!first) return;
  self->waiters = std::exchange(first->next, nullptr);
  PyThread_release_lock(first->wake);
}

void queue(LockedIterator* self, Waiter& waiter) {
  Waiter** end = &self->waiters;
  while (*end) end = &(*end)->next;
  *end = &waiter;
}

// Does nothing if the waiter has been woken, and so is not in the queue.
void leave_queue(LockedIterator* self, Waiter& waiter) {
  Waiter** at = &self->waiters;
  while (*at && *at != &waiter) at = &(*at)->next;
  if (*at) *at = std::exchange(waiter.next, nullptr);
}

// Waits until no other thread reads; false, with an error set, if a signal's handler raises one.
bool wait_for_turn(LockedIterator* self) {
  Waiter waiter;
  if (!waiter.wake) {
    PyErr_NoMemory();
    return false;
  }
  while (self->depth) {
    queue(self, waiter);
    PyLockStatus status;
    {
      const Unlocked unlocked;
      status = PyThread_acquire_lock_timed(waiter.wake, -1, 1);
    }
    leave_queue(self, waiter);
    if (status == PY_LOCK_INTR && Py_MakePendingCalls() < 0) {
      // This thread may already have been woken.
      if (!self->depth) wake_one(self);
      return false;
    }
  }
  return true;
}

bool enter(LockedIterator* self) {
  const unsigned long thread = PyThread_get_thread_ident();
  if (self->depth && self->owner != thread && !wait_for_turn(self)) return false;
  self->owner = thread;
  ++self->depth;
  return true;
}

void leave(LockedIterator* self) {
  if (--self->depth == 0) wake_one(self);
}

PyObject* next_of(PyObject* source) {
  std::optional<profile::Scope> scope;
  if (profile::active()) [[unlikely]]
    scope.emplace("IteratorGetNext");
  if (!recording()) return Py_TYPE(source)->tp_iternext(source);
  pause_recording();
  PyObject* value = Py_TYPE(source)->tp_iternext(source);
  resume_recording();
  return value;
}

// The next element; null without an error at the end.
PyObject* advance(PyObject* object) {
  LockedIterator* self = self_of(object);
  if (!enter(self)) return nullptr;
  PyObject* source = Py_XNewRef(self->source);
  PyObject* value = nullptr;
  PyObject* ended = nullptr;
  if (source) {
    value = next_of(source);
    if (!value && PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_StopIteration)) PyErr_Clear();
    const bool end = !value && !PyErr_Occurred();
    if (end && self->source == source) ended = std::exchange(self->source, nullptr);
  }
  leave(self);
  Py_XDECREF(source);
  Py_XDECREF(ended);
  return value;
}

// __next__: while a graph is being built, the element is a tensor of the graph.
PyObject* next(PyObject* object) {
  if (graph::building()) return PyObject_CallMethod(object, "get_next", nullptr);
  return advance(object);
}

// _advance(): the next element; a StopIteration at the end.
PyObject* advance_method(PyObject* object, PyObject*) {
  PyObject* value = advance(object);
  if (!value && !PyErr_Occurred()) PyErr_SetNone(PyExc_StopIteration);
  return value;
}

// _exclusively(function, *args): calls a function while no other thread reads.
PyObject* exclusively(PyObject* object, PyObject* const* args, Py_ssize_t count) {
  if (count < 1) {
    PyErr_SetString(PyExc_TypeError, "_exclusively() needs a function to call.");
    return nullptr;
  }
  LockedIterator* self = self_of(object);
  if (!enter(self)) return nullptr;
  PyObject* result =
      PyObject_Vectorcall(args[0], args + 1, static_cast<size_t>(count - 1), nullptr);
  leave(self);
  return result;
}

PyObject* get_source(PyObject* object, void*) {
  PyObject* source = self_of(object)->source;
  return Py_NewRef(source ? source : Py_None);
}

int set_source(PyObject* object, PyObject* value, void*) {
  if (value == Py_None) value = nullptr;
  if (value && !PyIter_Check(value)) {
    PyErr_Format(PyExc_TypeError, "_cursor must be an iterator, got %R.", value);
    return -1;
  }
  Py_XSETREF(self_of(object)->source, Py_XNewRef(value));
  return 0;
}

int traverse(PyObject* object, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self_of(object)->source);
  return 0;
}

int clear(PyObject* object) {
  Py_CLEAR(self_of(object)->source);
  return 0;
}

void dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  clear(object);
  type->tp_free(object);
  Py_DECREF(type);
}

PyMethodDef methods[] = {
    {"_advance", advance_method, METH_NOARGS, "The next element."},
    {"_exclusively", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(exclusively)),
     METH_FASTCALL, "Calls a function with the further arguments, while no other thread reads."},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef getset[] = {
    {"_cursor", get_source, set_source, "The iterator that is read; None at the end.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

}  // namespace

bool init_locked_iterator(PyObject* module) {
  PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char*>("Reads an iterator; one thread at a time advances it.")},
      {Py_tp_new, reinterpret_cast<void*>(PyType_GenericNew)},
      {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
      {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
      {Py_tp_clear, reinterpret_cast<void*>(clear)},
      {Py_tp_iter, reinterpret_cast<void*>(PyObject_SelfIter)},
      {Py_tp_iternext, reinterpret_cast<void*>(next)},
      {Py_tp_methods, methods},
      {Py_tp_getset, getset},
      {0, nullptr},
  };
  PyType_Spec spec = {"eagerflow._core.LockedIterator", sizeof(LockedIterator), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
  PyObject* type = PyType_FromSpec(&spec);
  if (!type) return false;
  const int failed = PyModule_AddObjectRef(module, "LockedIterator", type);
  Py_DECREF(type);
  return failed == 0;
}

}  // namespace ef::py
