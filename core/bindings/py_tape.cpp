// The Tape type: recording in a `with` block, and gradients of nested structures.
#include "bindings/py_tape.h"

#include <structmember.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "bindings/convert.h"
#include "bindings/errors.h"
#include "bindings/gil.h"
#include "bindings/gradient_values.h"
#include "bindings/items.h"
#include "bindings/keyword_hints.h"
#include "bindings/observers.h"
#include "bindings/promotion.h"
#include "bindings/py_ref.h"
#include "bindings/py_tensor.h"
#include "bindings/py_variable.h"
#include "eager/observer.h"
#include "eager/tape.h"
#include "eager/variable.h"
#include "graph/variables.h"
#include "ops/compose.h"

namespace ef::py {
namespace {

PyTypeObject* tape_type = nullptr;
PyTypeObject* pause_type = nullptr;
PyObject* nest_flatten = nullptr;
PyObject* nest_pack = nullptr;

struct PyTape {
  PyObject_HEAD Tape* tape;  // null before the first use
  bool persistent;
  bool watch_accessed;
  bool integers;
  bool watch_only;
  bool forward;
  bool recording;
  bool used_up;
};

PyTape* self_of(PyObject* object) { return reinterpret_cast<PyTape*>(object); }

PyObject* tape_new(PyTypeObject* type, PyObject*, PyObject*) { return type->tp_alloc(type, 0); }

int tape_init(PyObject* object, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {
      "persistent", "watch_accessed_variables", "_integers", "_watch_only", "_forward", nullptr};
  int persistent = 0;
  int watch_accessed = 1;
  int integers = 0;
  int watch_only = 0;
  int forward = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|pp$ppp:GradientTape", const_cast<char**>(names),
                                   &persistent, &watch_accessed, &integers, &watch_only,
                                   &forward)) {
    explain_keywords(reinterpret_cast<PyObject*>(Py_TYPE(object)), kwargs);
    return -1;
  }
  PyTape* self = self_of(object);
  self->persistent = persistent != 0;
  self->watch_accessed = watch_accessed != 0;
  self->integers = integers != 0;
  self->watch_only = watch_only != 0;
  self->forward = forward != 0;
  return 0;
}

void drop(PyTape* self) {
  if (self->recording) pop_tape(self->tape);
  self->recording = false;
  if (Tape* tape = std::exchange(self->tape, nullptr)) tape->release();
}

// The tape, held by a reference: Python code may destroy its owner meanwhile.
class HeldTape {
 public:
  explicit HeldTape(PyTape* self);
  ~HeldTape() { tape_.release(); }
  HeldTape(const HeldTape&) = delete;
  HeldTape& operator=(const HeldTape&) = delete;
  Tape& operator*() const { return tape_; }
  Tape* operator->() const { return &tape_; }

 private:
  Tape& tape_;
};

Tape& make_tape(PyTape* self) {
  if (self->tape) return *self->tape;
  return *(self->tape = new Tape({.persistent = self->persistent,
                                  .watch_accessed = self->watch_accessed,
                                  .integers = self->integers,
                                  .watch_only = self->watch_only,
                                  .forward = self->forward}));
}

HeldTape::HeldTape(PyTape* self) : tape_(make_tape(self)) { tape_.retain(); }

void start(PyTape* self) {
  if (self->recording) {
    fail(Code::kValueError,
         "Tape is still recording, This can happen if you try to re-enter an already-active "
         "tape.");
  }
  if (std::exchange(self->used_up, false)) drop(self);
  push_tape(&make_tape(self));
  self->recording = true;
}

void stop(PyTape* self) {
  if (!self->recording) fail(Code::kValueError, "Tape is not recording.");
  pop_tape(self->tape);
  self->recording = false;
}

void tape_dealloc(PyObject* object) {
  drop(self_of(object));
  PyTypeObject* type = Py_TYPE(object);
  type->tp_free(object);
  Py_DECREF(type);
}

PyObject* enter(PyObject* object, PyObject*) {
  return guarded([&] {
    start(self_of(object));
    Py_INCREF(object);
    return object;
  });
}

PyObject* exit(PyObject* object, PyObject* const*, Py_ssize_t) {
  return guarded([&]() -> PyObject* {
    PyTape* self = self_of(object);
    // Also if gradient() on another thread has ended the recording: only this thread can change its
    // list of tapes.
    if (self->tape) pop_tape(self->tape);
    self->recording = false;
    Py_RETURN_NONE;
  });
}

PyRef flatten(PyObject* structure) {
  if (!nest_flatten) fail(Code::kRuntimeError, "eagerflow is not fully imported.");
  return checked(PyObject_CallOneArg(nest_flatten, structure));
}

bool is_leaf(PyObject* object) { return is_tensor(object) || is_variable(object); }
bool is_row(PyObject* object) { return PyList_CheckExact(object) || PyTuple_CheckExact(object); }

// A leaf of a structure, or the variable behind an object that declares itself a variable and has a
// handle.
PyRef source_of(PyObject* leaf) {
  if (is_leaf(leaf) || !PyObject_HasAttrString(leaf, "_should_act_as_resource_variable")) {
    return PyRef::share(leaf);
  }
  const PyRef handle = checked(PyObject_GetAttrString(leaf, "handle"));
  return checked(PyObject_GetAttrString(handle, "variable"));
}

// Nested lists and tuples, up to a maximal depth.
class Nesting {
 public:
  Nesting() {
    if (Py_EnterRecursiveCall(" in a nested structure")) throw PythonError();
  }
  ~Nesting() { Py_LeaveRecursiveCall(); }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;
};

// Calls visit(item) for one tensor or variable, or for each leaf of a structure of them.
template <class Visit>
void for_each_leaf(PyObject* structure, const Visit& visit) {
  if (is_leaf(structure)) return visit(structure);
  if (!is_row(structure)) {
    for (PyObject* leaf : Items(flatten(structure))) visit(leaf);
    return;
  }
  const Nesting nesting;
  for (PyObject* item : Items(structure)) {
    is_leaf(item) ? visit(item) : for_each_leaf(item, visit);
  }
}

// The structure with copies of its lists, which Python code cannot change.
PyRef frozen(PyObject* structure) {
  if (!is_row(structure)) return PyRef::share(structure);
  const Items items(structure);
  const bool flat = std::ranges::all_of(items, is_leaf);
  if (flat && PyTuple_CheckExact(structure)) return PyRef::share(structure);
  const Nesting nesting;
  const auto count = static_cast<Py_ssize_t>(items.size());
  const bool list = PyList_CheckExact(structure);
  PyRef copy = checked(list ? PyList_New(count) : PyTuple_New(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* item = items[static_cast<size_t>(i)];
    item = flat ? Py_NewRef(item) : frozen(item).release();
    if (list) {
      PyList_SET_ITEM(copy.get(), i, item);
    } else {
      PyTuple_SET_ITEM(copy.get(), i, item);
    }
  }
  return copy;
}

// Warns that a tensor has a dtype without gradients; `what` is its role ("watched").
[[gnu::cold]] void warn_of_dtype(const char* what, DType dtype) {
  const PyRef module = checked(PyImport_ImportModule("eagerflow.autodiff.tape"));
  const PyRef name = checked(PyUnicode_FromString(dtype_name(dtype)));
  checked(PyObject_CallMethod(module.get(), "warn_of_dtype", "sO", what, name.get()));
}

PyObject* watch(PyObject* object, PyObject* structure) {
  return guarded([&]() -> PyObject* {
    const HeldTape tape(self_of(object));
    for_each_leaf(structure, [&](PyObject* given) {
      const PyRef source = source_of(given);
      PyObject* const leaf = source;
      if (is_variable(leaf)) {
        const DType dtype = variable_of(leaf).dtype();
        if (!tape->differentiates(dtype)) warn_of_dtype("watched", dtype);
        tape->watch(variable_of(leaf));
      } else if (is_tensor(leaf)) {
        const DType dtype = tensor_of(leaf).dtype();
        if (!tape->differentiates(dtype)) warn_of_dtype("watched", dtype);
        tape->watch(tensor_of(leaf));
      } else {
        fail(Code::kValueError, "Passed in object of type ", Py_TYPE(leaf)->tp_name,
             " to watch(), not tf.Tensor or tf.Variable.");
      }
    });
    Py_RETURN_NONE;
  });
}

uint64_t identity_of(PyObject* source) {
  if (is_variable(source)) return variable_of(source).id();
  if (is_tensor(source)) return tensor_of(source).impl()->id();
  return 0;
}

bool zeros_wanted(PyObject* unconnected) {
  if (!unconnected || unconnected == Py_None) return false;
  PyRef value = PyRef::share(unconnected);
  if (!PyUnicode_Check(unconnected)) value = checked(PyObject_GetAttrString(unconnected, "value"));
  if (PyUnicode_Check(value.get())) {
    if (PyUnicode_CompareWithASCIIString(value.get(), "none") == 0) return false;
    if (PyUnicode_CompareWithASCIIString(value.get(), "zero") == 0) return true;
  }
  const PyRef text = checked(PyObject_Repr(unconnected));
  const char* shown = PyUnicode_AsUTF8(text.get());
  if (!shown) throw PythonError();
  fail(Code::kValueError, "Unknown value for unconnected_gradients: ", shown,
       "; it must be 'none' or 'zero'.");
}

// A tensor or variable that is both target and source has the identity as its derivative, whether
// it is watched or not. Strings have no derivative.
Gradient gradient_by_itself(uint64_t source, std::span<const uint64_t> target_ids,
                            std::span<const Tensor> targets, std::span<const Tensor> weights) {
  Gradient sum;
  for (size_t t = 0; source && t < targets.size(); ++t) {
    if (target_ids[t] != source || targets[t].dtype() == DType::kString) continue;
    Tensor more = t < weights.size() && weights[t] ? weights[t] : ones_like(targets[t]);
    sum.values = sum.values ? sum.values + more : std::move(more);
  }
  return sum;
}

Tensor target_tensor(Tape& tape, PyObject* target) {
  if (is_tensor(target)) return tensor_of(target);
  graph::Graph* const graph = graph::building();
  Tensor value =
      graph ? graph::add_read(*graph, variable_of(target)) : variable_of(target).peek().alias();
  if (tape.watches(variable_of(target))) tape.variable_read(variable_of(target), value);
  return value;
}

// Replaces the leaves of a frozen structure.
class Packer {
 public:
  explicit Packer(std::vector<PyRef>& leaves) : leaves_(leaves) {}

  PyRef run(PyObject* structure) {
    if (is_leaf(structure)) return next();
    if (!is_row(structure)) return other(structure);
    const bool list = PyList_CheckExact(structure);
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(structure);
    PyRef result = checked(list ? PyList_New(count) : PyTuple_New(count));
    for (Py_ssize_t i = 0; i < count; ++i) {
      PyObject* item = run(PySequence_Fast_GET_ITEM(structure, i)).release();
      if (list) {
        PyList_SET_ITEM(result.get(), i, item);
      } else {
        PyTuple_SET_ITEM(result.get(), i, item);
      }
    }
    return result;
  }

 private:
  PyRef next() {
    if (next_ == leaves_.size()) {
      fail(Code::kValueError,
           "The structure of sources was changed while their gradients were computed.");
    }
    return std::move(leaves_[next_++]);
  }

  PyRef other(PyObject* structure) {
    const auto count = static_cast<Py_ssize_t>(Items(flatten(structure)).size());
    const PyRef flat = checked(PyList_New(count));
    for (Py_ssize_t i = 0; i < count; ++i) PyList_SET_ITEM(flat.get(), i, next().release());
    return checked(PyObject_CallFunctionObjArgs(nest_pack, structure, flat.get(), nullptr));
  }

  std::vector<PyRef>& leaves_;
  size_t next_ = 0;
};

struct GradientArgs {
  PyObject* target = nullptr;
  PyObject* sources = nullptr;
  PyObject* output_gradients = Py_None;
  PyObject* unconnected = Py_None;
  PyObject* finished = nullptr;  // called with the index of each source and its complete gradient
  bool rows = false;             // output_gradients is one tensor; each row weighs one target
  // Instead of rows: one row for each element of a target, or for each element of a row of a batch.
  enum class Elements : uint8_t { kNone, kAll, kOfBatch } elements = Elements::kNone;
};

void check_records(const PyTape* self) {
  if (self->used_up) {
    fail(
        Code::kRuntimeError,
        "A non-persistent GradientTape can only be used to compute one set of gradients (or "
        "jacobians): GradientTape.gradient can only be called once on non-persistent tapes; create "
        "it with persistent=True to compute more.");
  }
  if (!self->tape) {
    fail(Code::kRuntimeError,
         "GradientTape has recorded nothing: compute the target inside "
         "`with tf.GradientTape() as tape:`.");
  }
}

PyObject* compute(PyTape* self, const GradientArgs& args) {
  if (args.target == Py_None) {
    fail(Code::kTypeError,
         "Argument `target` should be a list or nested structure of Tensors, Variables or "
         "CompositeTensors to be differentiated, but received None.");
  }
  check_records(self);
  const bool zeros_for_none = zeros_wanted(args.unconnected);
  // Python code in the backward pass may destroy the tape and change the lists.
  const HeldTape held(self);
  Tape& tape = *held;
  const PyRef structure = frozen(args.sources);

  InlineVector<PyRef, 8> source_objects;
  InlineVector<uint64_t, 8> sources;
  for_each_leaf(structure, [&](PyObject* given) {
    const PyRef source = source_of(given);
    PyObject* const leaf = source;
    if (!is_tensor(leaf) && !is_variable(leaf)) {
      fail(Code::kValueError, "Passed in object of type ", Py_TYPE(leaf)->tp_name,
           ", not tf.Tensor or tf.Variable, as a source of gradient().");
    }
    const DType dtype = is_variable(leaf) ? variable_of(leaf).dtype() : tensor_of(leaf).dtype();
    if (!tape.differentiates(dtype)) warn_of_dtype("source", dtype);
    source_objects.push_back(PyRef::share(leaf));
    sources.push_back(identity_of(leaf));
  });
  InlineVector<Tensor, 4> targets;
  InlineVector<uint64_t, 4> target_ids;
  for_each_leaf(args.target, [&](PyObject* leaf) {
    if (!is_tensor(leaf) && !is_variable(leaf)) {
      fail(Code::kTypeError, "The target of gradient() must be tensors or variables, not ",
           Py_TYPE(leaf)->tp_name, ".");
    }
    targets.push_back(target_tensor(tape, leaf));
    target_ids.push_back(identity_of(leaf));
    if (!tape.differentiates(targets.back().dtype()))
      warn_of_dtype("target", targets.back().dtype());
  });
  InlineVector<Tensor, 4> weights;
  if (args.output_gradients != Py_None) {
    size_t next = 0;
    for_each_leaf(args.output_gradients, [&](PyObject* leaf) {
      const DType dtype = next < targets.size() ? targets[next].dtype() : DType::kInvalid;
      if (leaf == Py_None) {
        weights.emplace_back();
      } else {
        weights.push_back(to_tensor(leaf, DType::kInvalid, dtype));
        if (next < targets.size() && !args.rows && targets[next].shape().fully_known()) {
          weights.back() = broadcast_to_shape(weights.back(), targets[next].shape());
        }
      }
      ++next;
    });
    if (weights.size() != targets.size()) {
      fail(Code::kValueError, "output_gradients has ", weights.size(), " tensors for ",
           targets.size(), " targets.");
    }
  }

  const bool elements = args.elements != GradientArgs::Elements::kNone;
  if (elements && targets.size() != 1) fail(Code::kValueError, "Elements are of one target.");
  if (args.rows && (targets.size() != 1 || !weights[0] || weights[0].rank() == 0)) {
    fail(Code::kValueError, "Rows of gradients are of one target, and its weights have rows.");
  }

  if (self->recording && !self->persistent) stop(self);
  tape.set_persistent(self->persistent);
  if (!self->persistent) self->used_up = true;
  Tape::Finished finished;
  if (args.finished) {
    finished = [&](size_t source, const Gradient& gradient) {
      const PyRef number = checked(PyLong_FromSize_t(source));
      const PyRef value = wrap_gradient(Gradient(gradient));
      checked(PyObject_CallFunctionObjArgs(args.finished, number.get(), value.get(), nullptr));
    };
  }
  std::vector<Gradient> gradients =
      elements    ? tape.gradients_of_elements(
                        targets[0], args.elements == GradientArgs::Elements::kOfBatch, sources)
      : args.rows ? tape.gradients_of_rows(targets[0], weights[0], sources)
                  : tape.gradient(targets, weights, sources, finished);

  std::vector<PyRef> leaves;
  leaves.reserve(gradients.size());
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i] && !args.rows && !elements) {
      gradients[i] = gradient_by_itself(sources[i], target_ids, targets, weights);
    }
    if (!gradients[i] && zeros_for_none) {
      const Tensor value = is_variable(source_objects[i]) ? variable_of(source_objects[i]).peek()
                                                          : tensor_of(source_objects[i]);
      gradients[i].values = zeros_like(value);
    }
    leaves.push_back(
        PyRef::steal(like(source_objects[i], wrap_gradient(std::move(gradients[i])).release())));
  }
  return Packer(leaves).run(structure).release();
}

PyObject* gradient(PyObject* object, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  return guarded([&] {
    static const char* const parameters[] = {"target", "sources", "output_gradients",
                                             "unconnected_gradients"};
    GradientArgs parsed;
    PyObject** const values[] = {&parsed.target, &parsed.sources, &parsed.output_gradients,
                                 &parsed.unconnected};
    if (count > 4) fail(Code::kTypeError, "gradient() takes at most 4 arguments");
    for (Py_ssize_t i = 0; i < count; ++i) *values[i] = args[i];
    for (Py_ssize_t k = 0; names && k < PyTuple_GET_SIZE(names); ++k) {
      int index = -1;
      for (int i = 0; i < 4; ++i) {
        if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, k), parameters[i]) == 0) {
          index = i;
        }
      }
      if (index < 0) fail(Code::kTypeError, "gradient() got an unexpected keyword argument");
      *values[index] = args[count + k];
    }
    if (!parsed.target || !parsed.sources) {
      fail(Code::kTypeError, "gradient() needs the arguments 'target' and 'sources'");
    }
    return compute(self_of(object), parsed);
  });
}

// _gradient_as_finished(target, sources, output_gradients, finished): like `gradient`, but calls
// `finished` with the index of a source and its gradient as soon as that is complete.
PyObject* gradient_as_finished(PyObject* object, PyObject* const* args, Py_ssize_t count) {
  return guarded([&] {
    if (count != 4) fail(Code::kTypeError, "_gradient_as_finished() takes 4 arguments");
    GradientArgs parsed;
    parsed.target = args[0];
    parsed.sources = args[1];
    parsed.output_gradients = args[2];
    parsed.finished = args[3];
    return compute(self_of(object), parsed);
  });
}

// gradients_of_rows(target, sources, weights): see Tape::gradients_of_rows.
PyObject* gradients_of_rows(PyObject* object, PyObject* const* args, Py_ssize_t count) {
  return guarded([&] {
    if (count != 3) fail(Code::kTypeError, "_gradients_of_rows() takes 3 arguments");
    GradientArgs parsed;
    parsed.target = args[0];
    parsed.sources = args[1];
    parsed.output_gradients = args[2];
    parsed.rows = true;
    return compute(self_of(object), parsed);
  });
}

// gradients_of_elements(target, sources, batch): see Tape::gradients_of_elements.
PyObject* gradients_of_elements(PyObject* object, PyObject* const* args, Py_ssize_t count) {
  return guarded([&] {
    if (count != 3) fail(Code::kTypeError, "_gradients_of_elements() takes 3 arguments");
    GradientArgs parsed;
    parsed.target = args[0];
    parsed.sources = args[1];
    parsed.elements =
        args[2] == Py_True ? GradientArgs::Elements::kOfBatch : GradientArgs::Elements::kAll;
    return compute(self_of(object), parsed);
  });
}

PyObject* check_records_method(PyObject* object, PyObject*) {
  return guarded([&]() -> PyObject* {
    check_records(self_of(object));
    Py_RETURN_NONE;
  });
}

// The tape's entry of a tensor or variable.
PyObject* entry_of(PyObject* object, PyObject* source) {
  return guarded([&] {
    const Tape* tape = self_of(object)->tape;
    return PyLong_FromUnsignedLong(tape ? tape->entry(identity_of(source)) : 0);
  });
}

PyObject* reset(PyObject* object, PyObject*) {
  return guarded([&]() -> PyObject* {
    PyTape* self = self_of(object);
    if (!self->recording) fail(Code::kValueError, "Tape is not recording.");
    drop(self);
    self->used_up = false;
    start(self);
    Py_RETURN_NONE;
  });
}

PyObject* watched_variables(PyObject* object, PyObject*) {
  return guarded([&] {
    PyTape* self = self_of(object);
    const PyRef list = checked(PyList_New(0));
    if (self->tape) {
      const auto watched = self->tape->watched_variables();
      std::vector<Variable*> variables(watched.begin(), watched.end());
      std::ranges::sort(variables, {}, &Variable::id);
      for (Variable* variable : variables) {
        auto* owner = static_cast<PyObject*>(variable->owner);
        // Skipped, because it is being deallocated.
        if (owner && Py_REFCNT(owner) > 0 && PyList_Append(list.get(), owner) < 0)
          throw PythonError();
      }
    }
    return PyList_AsTuple(list.get());
  });
}

// A context manager: pauses one tape, or all of the thread's if `tape` is null.
struct Pause {
  PyObject_HEAD PyObject* tape;
};

PyObject* make_pause(PyObject* tape) {
  auto* pause = PyObject_New(Pause, pause_type);
  if (!pause) return nullptr;
  Py_XINCREF(tape);
  pause->tape = tape;
  return reinterpret_cast<PyObject*>(pause);
}

PyObject* stop_recording(PyObject* object, PyObject*) {
  return guarded([&] {
    if (!self_of(object)->tape) {
      fail(Code::kRuntimeError, "Trying to stop recording a tape which is not recording.");
    }
    if (!self_of(object)->recording) fail(Code::kValueError, "Tape is not recording.");
    return make_pause(object);
  });
}

PyObject* pause_enter(PyObject* object, PyObject*) {
  return guarded([&]() -> PyObject* {
    PyObject* tape = reinterpret_cast<Pause*>(object)->tape;
    if (tape) {
      stop(self_of(tape));
    } else {
      pause_recording();
    }
    Py_RETURN_NONE;
  });
}

PyObject* pause_exit(PyObject* object, PyObject* const*, Py_ssize_t) {
  return guarded([&]() -> PyObject* {
    PyObject* tape = reinterpret_cast<Pause*>(object)->tape;
    if (tape) {
      start(self_of(tape));
    } else {
      resume_recording();
    }
    Py_RETURN_NONE;
  });
}

void pause_dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  Py_XDECREF(reinterpret_cast<Pause*>(object)->tape);
  PyObject_Free(object);
  Py_DECREF(type);
}

PyObject* get_persistent(PyObject* object, void*) {
  return PyBool_FromLong(self_of(object)->persistent);
}

int set_persistent(PyObject* object, PyObject* value, void*) {
  const int truth = value ? PyObject_IsTrue(value) : -1;
  if (truth < 0) return -1;
  self_of(object)->persistent = truth != 0;
  return 0;
}

PyObject* get_recording(PyObject* object, void*) {
  return PyBool_FromLong(self_of(object)->recording);
}

// Programs ask whether there are records by the private attribute that holds TensorFlow's.
PyObject* get_records(PyObject* object, void*) {
  const PyTape* self = self_of(object);
  return Py_NewRef(self->tape && !self->used_up ? object : Py_None);
}

template <class Function>
PyCFunction method(Function* function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(function));
}

PyMethodDef tape_methods[] = {
    {"__enter__", enter, METH_NOARGS, "Starts recording."},
    {"__exit__", method(exit), METH_FASTCALL, "Stops recording."},
    {"watch", watch, METH_O,
     "watch($self, tensor)\n--\n\nWatches a tensor, a variable or a structure of them."},
    {"gradient", method(gradient), METH_FASTCALL | METH_KEYWORDS,
     "gradient($self, target, sources, output_gradients=None, unconnected_gradients='none')\n--\n\n"
     "Computes gradients."},
    {"_gradient_as_finished", method(gradient_as_finished), METH_FASTCALL,
     "The gradients; calls a function with each as soon as it is complete."},
    {"_gradients_of_rows", method(gradients_of_rows), METH_FASTCALL,
     "Gradients of one target under each of several weightings."},
    {"_gradients_of_elements", method(gradients_of_elements), METH_FASTCALL,
     "Gradients of each element of one target, or of each element of the rows of a batch."},
    {"_check_records", check_records_method, METH_NOARGS,
     "Raises unless there are records that no backward pass has used up."},
    {"stop_recording", stop_recording, METH_NOARGS,
     "stop_recording($self)\n--\n\nA context manager within which this tape records nothing."},
    {"_entry", entry_of, METH_O, "The tape's entry for a tensor or variable; 0 if there is none."},
    {"reset", reset, METH_NOARGS, "reset($self)\n--\n\nForgets everything recorded so far."},
    {"watched_variables", watched_variables, METH_NOARGS,
     "watched_variables($self)\n--\n\n"
     "The variables watched so far, a tuple in the order in which they were made."},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef tape_getset[] = {
    {"_persistent", get_persistent, set_persistent, "Whether records survive a backward pass.",
     nullptr},
    {"_recording", get_recording, nullptr, "Whether it records now.", nullptr},
    {"_tape", get_records, nullptr,
     "The tape itself; None if it has no records, or a backward pass has used them up.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMethodDef pause_methods[] = {
    {"__enter__", pause_enter, METH_NOARGS, nullptr},
    {"__exit__", method(pause_exit), METH_FASTCALL, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

void keep(PyObject*& place, PyObject* object) {
  Py_INCREF(object);
  Py_XSETREF(place, object);
}

}  // namespace

void register_nest(PyObject* flatten_function, PyObject* pack_function) {
  keep(nest_flatten, flatten_function);
  keep(nest_pack, pack_function);
}

PyObject* record_custom(PyObject*, PyObject* args) {
  PyObject* outputs = nullptr;
  PyObject* inputs = nullptr;
  PyObject* backward = nullptr;
  if (!PyArg_ParseTuple(args, "OOO:record_custom", &outputs, &inputs, &backward)) return nullptr;
  return guarded([&]() -> PyObject* {
    observe_custom("Custom", inputs, outputs);
    if (!recording()) Py_RETURN_NONE;
    std::vector<Tensor> results;
    for_each_leaf(outputs, [&](PyObject* leaf) {
      if (!is_tensor(leaf)) fail(Code::kTypeError, "The outputs of a custom step are tensors.");
      results.push_back(tensor_of(leaf));
    });
    std::vector<uint64_t> sources;
    for_each_leaf(inputs, [&](PyObject* leaf) {
      if (is_tensor(leaf)) {
        sources.push_back(tensor_of(leaf).impl()->id_or_zero());
        return;
      }
      if (!is_variable(leaf)) fail(Code::kTypeError, "The inputs of a custom step are tensors.");
      Variable& variable = variable_of(leaf);
      for (Tape* tape : active_tapes()) tape->watch_read(variable);
      sources.push_back(variable.id());
    });
    const auto step = python_backward(backward);
    for (Tape* tape : active_tapes()) tape->record(step, sources, results);
    Py_RETURN_NONE;
  });
}

PyObject* make_stop_recording(PyObject*, PyObject*) { return make_pause(nullptr); }

bool init_tape_types(PyObject* module) {
  PyType_Slot pause_slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void*>(pause_dealloc)},
      {Py_tp_methods, pause_methods},
      {0, nullptr},
  };
  PyType_Spec pause_spec = {"eagerflow._core.Pause", sizeof(Pause), 0, Py_TPFLAGS_DEFAULT,
                            pause_slots};
  pause_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&pause_spec));
  if (!pause_type) return false;

  PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char*>("Tape(persistent=False, watch_accessed_variables=True)\n--\n\n"
                                    "Records operations for automatic differentiation.")},
      {Py_tp_new, reinterpret_cast<void*>(tape_new)},
      {Py_tp_init, reinterpret_cast<void*>(tape_init)},
      {Py_tp_dealloc, reinterpret_cast<void*>(tape_dealloc)},
      {Py_tp_methods, tape_methods},
      {Py_tp_getset, tape_getset},
      {0, nullptr},
  };
  PyType_Spec spec = {"eagerflow._core.Tape", sizeof(PyTape), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  tape_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (!tape_type) return false;
  return PyModule_AddObjectRef(module, "Tape", reinterpret_cast<PyObject*>(tape_type)) == 0;
}

}  // namespace ef::py
