// The class ElementFunction of eagerflow._core: a graph that was traced for the elements of a
// pipeline. A call accepts an element and returns one. Elements that are tensors, tuples or
// dictionaries are split and built here, others by Python functions.
//
// Worker threads compute without Python's lock, unless a node needs it: groups of elements, and
// single elements that take long.
#include "bindings/element_function.h"

#include <structmember.h>

#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bindings/element_form.h"
#include "bindings/errors.h"
#include "bindings/gil.h"
#include "bindings/py_graph.h"
#include "bindings/py_ref.h"
#include "bindings/py_tensor.h"
#include "eager/observer.h"
#include "eager/tape.h"
#include "graph/call.h"
#include "graph/random_streams.h"

namespace ef::py {
namespace {

void take_apart(const Form& form, PyObject* element, TensorList& tensors) {
  if (form.kind == Form::Kind::kPython) {
    const PyRef list = checked(PyObject_CallOneArg(form.function, element));
    for (Tensor& tensor : to_tensors(list.get())) tensors.push_back(std::move(tensor));
    return;
  }
  std::vector<PyObject*> leaves;
  take_apart(form, element, leaves);
  for (PyObject* leaf : leaves) {
    if (!is_tensor(leaf)) refuse_element(element);
    tensors.push_back(tensor_of(leaf));
  }
}

PyRef put_together(const Form& form, TensorList& tensors) {
  if (form.kind == Form::Kind::kTensor) return checked(wrap(std::move(tensors[0])));
  std::vector<PyRef> leaves;
  for (Tensor& tensor : tensors) leaves.push_back(checked(wrap(std::move(tensor))));
  return put_together(form, leaves);
}

// Estimates the time of a call from a sample of calls. Guarded by Python's lock.
class Pace {
 public:
  bool is_long() const { return nanoseconds_ > kLong; }
  bool is_due() { return calls_++ % kEvery == 0; }
  void add(std::chrono::nanoseconds time) { nanoseconds_ = static_cast<double>(time.count()); }

 private:
  static constexpr double kLong = 50'000;  // long enough to release Python's lock
  static constexpr unsigned kEvery = 32;
  unsigned calls_ = 0;
  double nanoseconds_ = 0;
};

struct State {
  graph::CallablePtr callable;
  TensorList captured;
  Form taken, given;
  PyRef streams;
  Pace pace;
};

struct ElementFunction {
  PyObject_HEAD vectorcallfunc vectorcall;
  State* state;
};

struct Streams {
  PyObject_HEAD graph::StreamStates* states;
};

PyTypeObject* streams_type = nullptr;

// Signals are handled on this thread, between the parts of long kernels, which release the lock.
unsigned long main_thread = 0;

State& state_of(PyObject* self) { return *reinterpret_cast<ElementFunction*>(self)->state; }
graph::StreamStates& states_of(PyObject* streams) {
  return *reinterpret_cast<Streams*>(streams)->states;
}

// The arguments of the graph: the tensors of an element, then what the graph captures.
TensorList arguments_of(const State& state, PyObject* element) {
  TensorList arguments;
  take_apart(state.taken, element, arguments);
  const std::span<const Tensor> inputs = state.callable->graph().inputs();
  if (arguments.size() != inputs.size()) refuse_element(element);
  for (size_t k = 0; k < inputs.size(); ++k) {
    if (arguments[k].dtype() != inputs[k].dtype()) {
      invalid_argument("A part of an element is ", dtype_name(arguments[k].dtype()),
                       ", but the function was traced for ", dtype_name(inputs[k].dtype()), ".");
    }
    arguments[k].impl()->settle();
  }
  for (const Tensor& value : state.captured) arguments.push_back(value);
  return arguments;
}

bool runs_unlocked(const State& state) {
  return !state.callable->needs_host() && observers.empty();
}

PyObject* call(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* keywords) {
  if (PyVectorcall_NARGS(nargsf) != 1 || keywords) {
    PyErr_SetString(PyExc_TypeError, "The function takes one element.");
    return nullptr;
  }
  const PyRef kept = PyRef::share(self);  // a node may drop the last reference
  return guarded([&] {
    State& state = state_of(self);
    TensorList arguments = arguments_of(state, args[0]);
    TensorList results;
    const graph::DrawFrom streams(states_of(state.streams));
    const auto run = [&] { state.callable->plan().run(arguments, results); };
    try {
      if (state.pace.is_due()) {
        const auto begin = std::chrono::steady_clock::now();
        run();
        state.pace.add(std::chrono::steady_clock::now() - begin);
      } else if (state.pace.is_long() && runs_unlocked(state) &&
                 PyThread_get_thread_ident() != main_thread) {
        const Unlocked others_work;
        run();
      } else {
        run();
      }
    } catch (...) {
      set_error_of_nodes(graph::taken_failed_nodes());
      throw PythonError();
    }
    return put_together(state.given, results).release();
  });
}

// Fetches and clears the exception that is set.
PyRef taken_error() {
  PyObject *type, *error, *trace;
  PyErr_Fetch(&type, &error, &trace);
  PyErr_NormalizeException(&type, &error, &trace);
  if (trace) PyException_SetTraceback(error, trace);
  Py_XDECREF(type);
  Py_XDECREF(trace);
  return PyRef::steal(error);
}

// One of several elements that are computed together.
struct Job {
  TensorList arguments, results;
  std::exception_ptr error;
  graph::FailedNodes failed;
  PyRef replaced;  // a result that replaces the computed one
};

// After this time no more elements of a group begin: a reader may wait for the first ones.
constexpr std::chrono::milliseconds kTogether(1);

// map(elements, failure, failed): a list of the results of the first elements, at least one.
// Elements of the class `failure` pass through, and failed(error) returns the replacement of an
// element that cannot be computed.
PyObject* map(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  if (count != 3 || !PyList_Check(args[0])) {
    PyErr_SetString(PyExc_TypeError, "map() takes a list, a class, and a function of errors.");
    return nullptr;
  }
  const PyRef kept = PyRef::share(self);
  return guarded([&] {
    const State& state = state_of(self);
    PyObject* const failure = args[1];
    const auto as_failure = [&] { return checked(PyObject_CallOneArg(args[2], taken_error())); };
    std::optional<graph::PlanRun> slots;
    const auto run = [&](Job& job) {
      const graph::Plan& plan = state.callable->plan();
      if (!slots) slots.emplace(plan);
      for (size_t k = 0; k < job.arguments.size(); ++k) slots->set(k, std::move(job.arguments[k]));
      job.arguments = {};
      try {
        slots->run();
      } catch (...) {
        job.failed = graph::taken_failed_nodes();
        slots.reset();
        throw;
      }
      const size_t num_results = state.callable->graph().outputs().size();
      for (size_t k = 0; k < num_results; ++k) job.results.push_back(slots->take(k));
    };
    std::vector<Job> jobs(static_cast<size_t>(PyList_GET_SIZE(args[0])));
    const auto end = std::chrono::steady_clock::now() + kTogether;
    const auto late = [&] { return std::chrono::steady_clock::now() > end; };
    size_t done = 0;
    const graph::DrawFrom streams(states_of(state.streams));
    const bool unlocked = runs_unlocked(state);
    for (size_t k = 0; k < jobs.size(); ++k) {
      Job& job = jobs[k];
      const PyRef element = PyRef::share(PyList_GET_ITEM(args[0], static_cast<Py_ssize_t>(k)));
      if (Py_TYPE(element.get()) == reinterpret_cast<PyTypeObject*>(failure)) {
        job.replaced = element;
      } else {
        try {
          job.arguments = arguments_of(state, element);
          if (!unlocked) run(job);
        } catch (...) {
          set_error_of_nodes(job.failed);
          job.replaced = as_failure();
        }
      }
      if (!unlocked) ++done;
      if (!unlocked && late()) break;
    }
    if (unlocked && !jobs.empty()) {
      const Unlocked others_work;
      do {
        Job& job = jobs[done++];
        if (job.replaced.get()) continue;
        try {
          run(job);
        } catch (...) {
          job.error = std::current_exception();
        }
      } while (done < jobs.size() && !late());
    }
    PyRef list = checked(PyList_New(0));
    for (Job& job : std::span(jobs).first(done)) {
      if (job.error) {
        try {
          std::rethrow_exception(std::exchange(job.error, nullptr));
        } catch (...) {
          set_error_of_nodes(job.failed);
        }
        job.replaced = as_failure();
      } else if (!job.replaced) {
        try {
          job.replaced = put_together(state.given, job.results);
        } catch (...) {
          set_python_error();
          job.replaced = as_failure();
        }
      }
      if (PyList_Append(list, job.replaced) < 0) throw PythonError();
    }
    return list.release();
  });
}

PyObject* construct(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject *graph, *captured, *taken, *given, *streams;
  if (!PyArg_ParseTuple(args, "OOOOO!:ElementFunction", &graph, &captured, &taken, &given,
                        streams_type, &streams)) {
    return nullptr;
  }
  return guarded([&]() -> PyObject* {
    auto state = std::make_unique<State>();
    state->callable = callable_of(graph);
    state->captured = to_tensors(captured);
    for (Tensor& tensor : state->captured) tensor.impl()->settle();
    state->taken = form_of(taken);
    state->given = form_of(given);
    state->streams = PyRef::share(streams);
    PyObject* const self = type->tp_alloc(type, 0);
    if (!self) return nullptr;
    auto* const object = reinterpret_cast<ElementFunction*>(self);
    object->vectorcall = call;
    object->state = state.release();
    return self;
  });
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  const State* const state = reinterpret_cast<ElementFunction*>(self)->state;
  if (!state) return 0;
  if (const int stop = visit_form(state->taken, visit, arg)) return stop;
  return visit_form(state->given, visit, arg);
}

void dealloc(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  delete std::exchange(reinterpret_cast<ElementFunction*>(self)->state, nullptr);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* get_needs_host(PyObject* self, void*) {
  return PyBool_FromLong(state_of(self).callable->needs_host());
}

PyGetSetDef getset[] = {
    {"needs_host", get_needs_host, nullptr, "Whether a node runs Python.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMethodDef methods[] = {
    {"map", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(map)), METH_FASTCALL,
     "The results of the first elements of a list. Objects of a class pass through; a function of "
     "errors returns the replacement of an element that cannot be computed."},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(ElementFunction, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyObject* construct_streams(PyTypeObject* type, PyObject*, PyObject*) {
  return constructed(type, [](PyObject* self) {
    reinterpret_cast<Streams*>(self)->states = new graph::StreamStates;
  });
}

void dealloc_streams(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  delete reinterpret_cast<Streams*>(self)->states;
  type->tp_free(self);
  Py_DECREF(type);
}

}  // namespace

bool init_element_functions(PyObject* module) {
  main_thread = PyThread_get_thread_ident();
  PyType_Slot streams_slots[] = {
      {Py_tp_doc, const_cast<char*>("The random streams of one iteration over a pipeline.")},
      {Py_tp_new, reinterpret_cast<void*>(construct_streams)},
      {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_streams)},
      {0, nullptr},
  };
  PyType_Spec streams_spec = {"eagerflow._core.StreamStates", sizeof(Streams), 0,
                              Py_TPFLAGS_DEFAULT, streams_slots};
  PyObject* const streams = PyType_FromSpec(&streams_spec);
  if (!streams || PyModule_AddObjectRef(module, "StreamStates", streams) < 0) return false;
  streams_type = reinterpret_cast<PyTypeObject*>(streams);
  PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char*>("ElementFunction(graph, captured, taken, given, streams): a "
                                    "graph that is called with the elements of a pipeline.")},
      {Py_tp_new, reinterpret_cast<void*>(construct)},
      {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
      {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
      {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
      {Py_tp_methods, methods},
      {Py_tp_members, members},
      {Py_tp_getset, getset},
      {0, nullptr},
  };
  PyType_Spec spec = {"eagerflow._core.ElementFunction", sizeof(ElementFunction), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL, slots};
  PyObject* const type = PyType_FromSpec(&spec);
  if (!type) return false;
  const int failed = PyModule_AddObjectRef(module, "ElementFunction", type);
  Py_DECREF(type);
  return failed == 0;
}

}  // namespace ef::py
