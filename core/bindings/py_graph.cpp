// Graphs for Python: building, running and inspecting them.
#include "bindings/py_graph.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/convert.h"
#include "bindings/errors.h"
#include "bindings/indexing.h"
#include "bindings/items.h"
#include "bindings/py_node.h"
#include "bindings/py_tensor.h"
#include "bindings/py_variable.h"
#include "eager/profile.h"
#include "graph/call.h"
#include "graph/prune.h"
#include "graph/random_streams.h"
#include "graph/record.h"
#include "graph/static_value.h"
#include "graph/variables.h"
#include "lower/compiled.h"
#include "lower/plugin_device.h"

namespace nb = nanobind;

namespace ef::py {
namespace {

using graph::Callable;
using graph::Graph;
using graph::GraphPtr;
using graph::Node;
using graph::NodeId;

// The base class of eagerflow.framework.func_graph.FuncGraph.
class PyGraph {
 public:
  // `object` is the Python object that owns it.
  PyGraph(PyObject* object, const std::string& name, bool program)
      : object_(object),
        graph_(std::make_shared<Graph>(name, graph::building_ptr(),
                                       program ? Graph::Kind::kProgram : Graph::Kind::kFunction)) {
    graph_->owner = this;
  }
  ~PyGraph() { graph_->owner = nullptr; }
  PyGraph(const PyGraph&) = delete;
  PyGraph& operator=(const PyGraph&) = delete;

  const GraphPtr& graph() const { return graph_; }
  // Null while the object is being freed.
  PyObject* object() const { return Py_REFCNT(object_) > 0 ? object_ : nullptr; }

  nb::object device_function() const {
    return device_function_.is_valid() ? device_function_ : nb::none();
  }
  void set_device_function(const nb::object& function) {
    device_function_ = function;
    graph_->device_function = nullptr;
    if (function.is_none()) return;
    graph_->device_function = [this](NodeId id) {
      return nb::cast<std::string>(device_function_(PyNode{graph_, id}));
    };
  }

  // The finished graph as a Callable.
  const std::shared_ptr<Callable>& callable() {
    if (!graph_->finished()) {
      fail(Code::kRuntimeError, "Graph '", graph_->name(), "' is not finished yet.");
    }
    if (!callable_) callable_ = std::make_shared<Callable>(graph_);
    return callable_;
  }

  // From now on, runs it, and calls of it in other graphs, as one program on a device.
  void compile_for(pjrt::Client& client, int device) {
    compiled_ = std::make_shared<Compiled>(graph_, client, device, Compiled::Otherwise::kThrow);
    callable()->set_program([compiled = compiled_](auto arguments, TensorList& outputs) {
      compiled->run(arguments, outputs);
    });
  }
  // The program of the last call; null if there is none.
  const std::shared_ptr<lower::CompiledFunction>& compiled() const {
    return on_devices_.empty() ? compiled_ : on_devices_.front();
  }
  // The program for this thread's device: the compiled one, or, on a device with memory of its own,
  // a program for that device. Null if operations run one after the other.
  std::shared_ptr<lower::CompiledFunction> compiled_here() {
    if (!several_devices) [[likely]]
      return compiled_;
    find_devices();
    // Replicas run on their own devices, wherever the function is called.
    const auto replicas = graph_->replicas();
    lower::PluginDevice* const device =
        lower::plugin_device(replicas.empty() ? current_device() : replicas[0]);
    if (!device) return compiled_;
    const auto found = std::ranges::find_if(on_devices_, [&](const auto& one) {
      return one->is_for(device->client(), device->index());
    });
    if (found != on_devices_.end()) {
      std::rotate(on_devices_.begin(), found, found + 1);
    } else {
      const auto otherwise =
          compiled_ ? Compiled::Otherwise::kThrow : Compiled::Otherwise::kRunOperations;
      on_devices_.insert(
          on_devices_.begin(),
          std::make_shared<Compiled>(graph_, device->client(), device->index(), otherwise));
    }
    return on_devices_.front();
  }

 private:
  using Compiled = lower::CompiledFunction;

  PyObject* object_;
  GraphPtr graph_;
  std::shared_ptr<Callable> callable_;
  std::shared_ptr<Compiled> compiled_;
  std::vector<std::shared_ptr<Compiled>> on_devices_;  // most recently used first
  nb::object device_function_;
};

struct GraphObject {
  PyObject ob_base;
  PyGraph* graph;  // null until __init__ has run
};

PyTypeObject* graph_type = nullptr;

// The graph of a Python object; null if it is none.
PyGraph* py_graph(PyObject* object) noexcept {
  return PyObject_TypeCheck(object, graph_type) ? reinterpret_cast<GraphObject*>(object)->graph
                                                : nullptr;
}

}  // namespace
}  // namespace ef::py

// Functions of nanobind receive a graph as those of its own types, although programs may give
// subclasses any metaclass: that of nanobind's types would conflict with `abc.ABCMeta`.
template <>
struct nanobind::detail::type_caster<ef::py::PyGraph> {
  static constexpr auto Name = const_name("Graph");
  template <class>
  using Cast = ef::py::PyGraph&;
  bool from_python(handle object, uint32_t, cleanup_list*) noexcept {
    graph = ef::py::py_graph(object.ptr());
    return graph != nullptr;
  }
  template <class>
  static constexpr bool can_cast() {
    return true;
  }
  operator ef::py::PyGraph&() const { return *graph; }

  ef::py::PyGraph* graph = nullptr;
};

namespace ef::py {
namespace {

// The line itself, without that of the operation whose gradient it belongs to.
nb::object own_line(const std::shared_ptr<void>& source) {
  if (!source) return nb::none();
  return nb::steal(PyTuple_GetSlice(static_cast<PyObject*>(source.get()), 0, 3));
}

PyObject* error_hook = nullptr;

// Calls hook(error, [(name, source)]) with the nodes that raised the exception that is set,
// innermost first.
void explain(const graph::FailedNodes& nodes) {
  if (!error_hook || nodes.empty()) return;
  PyObject *type, *error, *trace;
  PyErr_Fetch(&type, &error, &trace);
  PyErr_NormalizeException(&type, &error, &trace);
  const PyRef list = PyRef::steal(PyList_New(0));
  for (const Node* node : nodes) {
    const PyRef place =
        PyRef::steal(Py_BuildValue("(sO)", node->name.c_str(), own_line(node->source).ptr()));
    if (!list || !place || PyList_Append(list, place) < 0) break;
  }
  PyObject* const result =
      PyErr_Occurred() ? nullptr
                       : PyObject_CallFunctionObjArgs(error_hook, error, list.get(), nullptr);
  if (!result) PyErr_Clear();
  Py_XDECREF(result);
  PyErr_Restore(type, error, trace);
}

// A list of pairs of variables.
graph::VariablePairs to_variables(nb::handle pairs) {
  graph::VariablePairs variables;
  for (const nb::handle pair : pairs) {
    const auto variable = [&](int k) { return VariableRef(variable_of(pair[nb::int_(k)].ptr())); };
    variables.emplace_back(variable(0), variable(1));
  }
  return variables;
}

void run_by_plan(const Callable& callable, TensorList& inputs, TensorList& results) {
  // As in TensorFlow, a call that is differentiated has its own random streams.
  const bool watched = callable.is_watched(inputs);
  const graph::CalledFrom here(watched ? &callable : nullptr);
  run_plan(callable.plan(), inputs, results);
  if (watched) callable.record_connections(inputs, results);
}

nb::list run_graph(PyGraph& self, nb::handle arguments, nb::handle pairs) {
  const graph::CallablePtr callable = self.callable();  // the object may be freed meanwhile
  TensorList inputs = to_tensors(arguments);
  if (inputs.size() != callable->graph().inputs().size()) {
    fail(Code::kTypeError, callable->graph().name(), " takes ", callable->graph().inputs().size(),
         " tensors, got ", inputs.size(), ".");
  }
  if (Graph* const outer = graph::building()) {
    const TensorList outputs = graph::add_graph_call(*outer, callable, inputs, to_variables(pairs));
    keep_graphs(*outer, {self.object()});
    return wrapped_list(outputs);
  }
  TensorList results;
  try {
    if (PyObject_Size(pairs.ptr()) > 0) {
      // Programs are compiled for the variables that the function was traced with.
      const graph::SwappedVariables swapped(to_variables(pairs));
      run_by_plan(*callable, inputs, results);
    } else {
      run_callable(*callable, inputs, results);
    }
  } catch (const PythonError&) {
    throw nb::python_error();
  }
  return wrapped_list(results);
}

// The folder of this package. Frames in it are skipped in the search for a program's line.
std::string package_folder;

// A tuple of file, number and function. In a gradient, the tuple of the forward line follows, for
// profiles.
std::shared_ptr<void> source_of_program() {
  if (!PyGILState_Check()) return nullptr;
  PyFrameObject* frame = PyEval_GetFrame();
  PyRef current = PyRef::share(reinterpret_cast<PyObject*>(frame));
  while (current) {
    frame = reinterpret_cast<PyFrameObject*>(current.get());
    const PyRef code = PyRef::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
    auto* const object = reinterpret_cast<PyCodeObject*>(code.get());
    const char* const file = PyUnicode_AsUTF8(object->co_filename);
    if (file && std::string_view(file).compare(0, package_folder.size(), package_folder) != 0) {
      const int line = PyFrame_GetLineNumber(frame);
      const auto* const gradient = profile::BackwardOf::current();
      PyObject* const found =
          gradient && gradient->line()
              ? Py_BuildValue("(OiOO)", object->co_filename, line, object->co_name,
                              static_cast<PyObject*>(gradient->line().get()))
              : Py_BuildValue("(OiO)", object->co_filename, line, object->co_name);
      if (found) return hold(PyRef::steal(found));
    }
    if (PyErr_Occurred()) PyErr_Clear();
    current = PyRef::steal(reinterpret_cast<PyObject*>(PyFrame_GetBack(frame)));
  }
  return nullptr;
}

std::string text_of_source(const std::shared_ptr<void>& source) {
  auto* const place = static_cast<PyObject*>(source.get());
  const PyRef text =
      PyRef::steal(PyUnicode_FromFormat("File \"%U\", line %S, in %U", PyTuple_GET_ITEM(place, 0),
                                        PyTuple_GET_ITEM(place, 1), PyTuple_GET_ITEM(place, 2)));
  const char* const found = text ? PyUnicode_AsUTF8(text) : nullptr;
  if (!found) PyErr_Clear();
  return found ? found : "";
}

PyObject* prefix_function = nullptr;

std::string prefix_of_names() {
  const PyRef prefix = checked(PyObject_CallNoArgs(prefix_function));
  const char* const text = PyUnicode_AsUTF8(prefix);
  if (!text) throw PythonError();
  return text;
}

const Symbol& symbol_in_graph(nb::handle tensor) {
  const Symbol* const symbol = symbol_of(checked_tensor(tensor.ptr()));
  if (!symbol || !symbol->in_graph()) {
    fail(Code::kAttributeError, "Only tensors of graphs have this attribute.");
  }
  return *symbol;
}

nb::object static_value(nb::handle object) {
  const Tensor& tensor = checked_tensor(object.ptr());
  const Symbol* const symbol = symbol_of(tensor);
  if (!symbol) return nb::borrow(object);
  return symbol->value() ? wrapped(symbol->value()) : nb::none();
}

nb::object known_numbers(nb::handle object) {
  const std::optional<Ints> numbers = graph::known_numbers(checked_tensor(object.ptr()));
  if (!numbers) return nb::none();
  nb::list list;
  for (const int64_t number : *numbers) {
    list.append(number == kUnknownInt ? nb::object(nb::none()) : nb::object(nb::int_(number)));
  }
  return list;
}

void set_known_numbers(nb::handle object, nb::handle numbers) {
  if (!symbol_of(checked_tensor(object.ptr()))) fail(Code::kValueError, "The tensor has a value.");
  Ints known;
  for (const nb::handle number : numbers) {
    known.push_back(number.is_none() ? kUnknownInt : to_int(number.ptr()));
  }
  graph::set_known_numbers(checked_tensor(object.ptr()), known);
}

void refine_shape(nb::handle object, nb::handle shape) {
  const Tensor& tensor = checked_tensor(object.ptr());
  const Shape more = to_partial_shape(shape.ptr());
  if (!compatible(tensor.shape(), more)) {
    fail(Code::kValueError, "Tensor's shape ", tensor.shape(),
         " is not compatible with supplied shape ", more, ".");
  }
  if (symbol_of(tensor)) tensor.impl()->refine_shape(merged(tensor.shape(), more));
}

PyGraph& checked_graph(PyObject* object) {
  PyGraph* const graph = py_graph(object);
  if (!graph) fail(Code::kTypeError, "A graph is needed, not a ", Py_TYPE(object)->tp_name, ".");
  return *graph;
}

int init(PyObject* self, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"name", "program", nullptr};
  const char* name = nullptr;
  int program = 0;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "s|p", const_cast<char**>(names), &name,
                                   &program)) {
    return -1;
  }
  return guarded(-1, [&] {
    auto made = std::make_unique<PyGraph>(self, name, program != 0);
    delete std::exchange(reinterpret_cast<GraphObject*>(self)->graph, made.release());
    return 0;
  });
}

void dealloc(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  delete std::exchange(reinterpret_cast<GraphObject*>(self)->graph, nullptr);
  type->tp_free(self);
  Py_DECREF(type);
}

// Adds functions of nanobind to a type that is not one of nanobind's.
class Methods {
 public:
  explicit Methods(nb::handle type) : type_(type) {}

  template <class Function, class... Extra>
  Methods& def(const char* name, Function&& function, const Extra&... extra) {
    nb::setattr(type_, name, method(std::forward<Function>(function), nb::name(name), extra...));
    return *this;
  }
  template <class Getter>
  Methods& def_prop_ro(const char* name, Getter&& getter, const char* documentation = "") {
    return add_property(name, method(std::forward<Getter>(getter)), nb::none(), documentation);
  }
  template <class Getter, class Setter>
  Methods& def_prop_rw(const char* name, Getter&& getter, Setter&& setter,
                       const char* documentation) {
    return add_property(name, method(std::forward<Getter>(getter)),
                        method(std::forward<Setter>(setter), nb::arg("value").none()),
                        documentation);
  }

 private:
  template <class Function, class... Extra>
  nb::object method(Function&& function, const Extra&... extra) {
    return nb::cpp_function(std::forward<Function>(function), nb::scope(type_), nb::is_method(),
                            extra...);
  }
  Methods& add_property(const char* name, nb::handle getter, nb::handle setter,
                        const char* documentation) {
    const nb::handle property(reinterpret_cast<PyObject*>(&PyProperty_Type));
    nb::setattr(type_, name, property(getter, setter, nb::none(), documentation));
    return *this;
  }

  nb::handle type_;
};

}  // namespace

nb::object wrapped(const Tensor& tensor) { return nb::steal(wrap(Tensor(tensor))); }

nb::object graph_object(Graph* graph) {
  auto* const owner = graph ? static_cast<PyGraph*>(graph->owner) : nullptr;
  PyObject* const object = owner ? owner->object() : nullptr;
  return object ? nb::borrow(object) : nb::none();
}

std::shared_ptr<void> hold(PyRef object) {
  return {object.release(), [](void* held) { Py_DECREF(static_cast<PyObject*>(held)); }};
}

graph::GraphPtr graph_of_object(PyObject* graph) { return checked_graph(graph).graph(); }

graph::CallablePtr callable_of(PyObject* graph) { return checked_graph(graph).callable(); }

void keep_graphs(Graph& outer, std::initializer_list<nb::handle> graphs) {
  Node& node = outer.node(outer.size() - 1);
  for (const nb::handle graph : graphs) node.graphs.push_back(hold(PyRef::share(graph.ptr())));
}

void run_callable(const graph::Callable& callable, TensorList& inputs, TensorList& results) {
  std::optional<profile::Scope> scope;
  if (profile::active()) [[unlikely]]
    scope.emplace(callable.graph().name());
  auto* const owner = static_cast<PyGraph*>(callable.graph().owner);
  const auto compiled = owner ? owner->compiled_here() : nullptr;
  // What tapes record runs operation by operation.
  if (!compiled || callable.is_watched(inputs)) return run_by_plan(callable, inputs, results);
  graph::append_captures(callable.graph(), inputs);
  compiled->run(inputs, results);
}

void run_plan(const graph::Plan& plan, std::span<const Tensor> arguments, TensorList& results) {
  try {
    plan.run(arguments, results);
  } catch (...) {
    set_error_of_nodes(graph::taken_failed_nodes());
    throw PythonError();
  }
}

void set_error_of_nodes(const graph::FailedNodes& failed) noexcept {
  set_python_error();
  explain(failed);
}

SpecList to_specs(nb::handle pairs) {
  SpecList specs;
  for (const nb::handle pair : pairs) {
    specs.push_back({to_dtype(pair[nb::int_(0)].ptr()), to_partial_shape(pair[nb::int_(1)].ptr())});
  }
  return specs;
}

nb::list wrapped_list(std::span<const Tensor> tensors) {
  nb::list list;
  for (const Tensor& tensor : tensors) list.append(wrapped(tensor));
  return list;
}

graph::Graph& graph_being_built() {
  graph::Graph* const graph = graph::building();
  if (!graph) fail(Code::kRuntimeError, "No graph is being built.");
  return *graph;
}

TensorList to_tensors(nb::handle sequence) {
  const PyRef items = checked(PySequence_Fast(sequence.ptr(), "expected a list of tensors"));
  TensorList tensors;
  for (PyObject* item : Items(items)) tensors.push_back(checked_tensor(item));
  return tensors;
}

void add_graphs(nb::module_& m) {
  PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char*>("The nodes of a traced function.")},
      {Py_tp_new, reinterpret_cast<void*>(PyType_GenericNew)},
      {Py_tp_init, reinterpret_cast<void*>(init)},
      {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
      {0, nullptr},
  };
  PyType_Spec spec = {"eagerflow._core.Graph", sizeof(GraphObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  const nb::object type = nb::steal(checked(PyType_FromSpec(&spec)).release());
  graph_type = reinterpret_cast<PyTypeObject*>(Py_NewRef(type.ptr()));
  m.attr("Graph") = type;
  Methods(type)
      .def(
          "enter",
          [](PyGraph& self) {
            graph::begin_building(self.graph());
            pause_recording();
          },
          "From now on, operations of this thread are added to the graph. Tapes that are already "
          "active record the run of the graph, not its nodes.")
      .def("exit",
           [](PyGraph&) {
             resume_recording();
             graph::end_building();
           })
      .def(
          "placeholder",
          [](PyGraph& self, nb::handle dtype, nb::handle shape, const std::string& name) {
            return wrapped(self.graph()->add_input(
                {to_dtype(dtype.ptr()), to_partial_shape(shape.ptr())}, name));
          },
          nb::arg("dtype"), nb::arg("shape").none(), nb::arg("name"),
          "Adds an input. Unknown sizes are None, and so is a shape of unknown rank.")
      .def(
          "constant",
          [](PyGraph& self, nb::handle value, const std::string& name) {
            const Tensor& tensor = checked_tensor(value.ptr());
            Graph& graph = *self.graph();
            if (is_symbolic(tensor) || graph.captures_value(tensor)) {
              return wrapped(graph.tensor(graph.port_of(tensor)));
            }
            return wrapped(graph.add_constant(tensor, name.c_str()));
          },
          nb::arg("value"), nb::arg("name") = "Const")
      .def(
          "capture",
          [](PyGraph& self, nb::handle tensor) {
            return wrapped(
                self.graph()->tensor(self.graph()->port_of(checked_tensor(tensor.ptr()))));
          },
          "The tensor of this graph that represents a value or a tensor of an outer graph.")
      .def(
          "finish",
          [](PyGraph& self, nb::handle outputs) { self.graph()->finish(to_tensors(outputs)); },
          "Ends the building.")
      .def("run", run_graph, nb::arg("inputs"), nb::arg("variables") = nb::tuple(),
           "The outputs for these inputs. While another graph is built, adds a node. Each pair of "
           "variables replaces a variable of the trace.")
      .def(
          "compile_for",
          [](PyGraph& self, pjrt::Client& client, int device) { self.compile_for(client, device); },
          nb::arg("client"), nb::arg("device"),
          "From now on, runs the graph as one program on a device of a plugin.")
      .def_prop_ro("program",
                   [](PyGraph& self) {
                     const auto compiled = self.compiled();
                     return nb::make_tuple(compiled ? compiled->compiled() : 0,
                                           compiled ? compiled->text() : std::string());
                   })
      .def(
          "program_text",
          [](PyGraph& self, nb::handle specs) {
            return lower::program_text(*self.graph(), to_specs(specs));
          },
          nb::arg("specs"),
          "The program for inputs of these dtypes and shapes, in StableHLO, whether or not there "
          "is a "
          "compiler.")
      .def(
          "evaluate",
          [](PyGraph& self, nb::handle tensor, nb::handle inputs) {
            const GraphPtr graph = self.graph();
            return wrapped(
                graph::evaluated(*graph, checked_tensor(tensor.ptr()), to_tensors(inputs)));
          },
          nb::arg("tensor"), nb::arg("inputs"),
          "The value of a tensor for these values of the graph's inputs, while the graph is being "
          "built. Raises an IndexError with the name of a placeholder that is needed but not fed.")
      .def(
          "prune",
          [](PyGraph& self, nb::handle feeds, nb::handle fetches, PyGraph& part, bool effects) {
            const GraphPtr graph = self.graph();
            graph::prune(*graph, to_tensors(feeds), to_tensors(fetches), *part.graph(), effects);
          },
          nb::arg("feeds"), nb::arg("fetches"), nb::arg("part"), nb::arg("effects") = false,
          "Builds a new graph of the nodes that compute some tensors from others, and of those "
          "with "
          "effects if wanted.")
      .def_prop_ro("name", [](PyGraph& self) { return self.graph()->name(); })
      .def_prop_ro("outer", [](PyGraph& self) { return graph_object(self.graph()->outer().get()); })
      .def_prop_ro("finished", [](PyGraph& self) { return self.graph()->finished(); })
      .def_prop_ro("inputs", [](PyGraph& self) { return wrapped_list(self.graph()->inputs()); })
      .def_prop_ro("outputs", [](PyGraph& self) { return wrapped_list(self.graph()->outputs()); })
      .def_prop_ro("has_effects", [](PyGraph& self) { return self.callable()->has_effects(); })
      .def_prop_ro(
          "captures",
          [](PyGraph& self) {
            nb::list list;
            for (const graph::Capture& capture : self.graph()->captures()) {
              list.append(nb::make_tuple(wrapped(capture.outer), wrapped(capture.inner)));
            }
            return list;
          },
          "Pairs of a captured tensor and its placeholder. The former is a tensor of an outer "
          "graph, or one with a value that a tape may watch.")
      .def_prop_ro(
          "nodes",
          [](PyGraph& self) {
            nb::list list;
            for (NodeId id = 0; id < self.graph()->size(); ++id) {
              list.append(PyNode{self.graph(), id});
            }
            return list;
          },
          "All nodes, in order.")
      .def(
          "unique_name",
          [](PyGraph& self, const std::string& name, bool with_prefix, bool mark) {
            return self.graph()->unique_name(name, with_prefix, mark);
          },
          nb::arg("name"), nb::arg("with_prefix") = true, nb::arg("mark") = true)
      .def(
          "rename",
          [](PyGraph& self, NodeId id, const std::string& name) {
            self.graph()->node(id).name = name;
          },
          nb::arg("id"), nb::arg("name"), "Names a node by a result of unique_name.")
      .def(
          "feed_node",
          [](PyGraph& self, nb::handle dtype, nb::handle shape, const std::string& name) {
            return wrapped(self.graph()->add_placeholder(
                {to_dtype(dtype.ptr()), to_partial_shape(shape.ptr())}, name));
          },
          nb::arg("dtype"), nb::arg("shape").none(), nb::arg("name"),
          "Adds a placeholder that sessions feed, and that is not an input of calls.")
      .def(
          "begin_controls",
          [](PyGraph& self, const std::vector<NodeId>& controls, bool alone) {
            self.graph()->begin_controls(controls, alone);
          },
          nb::arg("controls"), nb::arg("alone") = false,
          "Nodes that are added from now on have these control inputs; with `alone`, no others.")
      .def("end_controls", [](PyGraph& self) { self.graph()->end_controls(); })
      .def(
          "add_controls",
          [](PyGraph& self, NodeId id, const std::vector<NodeId>& controls) {
            std::vector<NodeId>& own = self.graph()->node(id).controls;
            own.insert(own.end(), controls.begin(), controls.end());
            self.graph()->note_change();
          },
          nb::arg("id"), nb::arg("controls"), "Adds older nodes to the control inputs of a node.")
      .def(
          "set_closed", [](PyGraph& self, bool closed) { self.graph()->set_closed(closed); },
          "Rejects further nodes, or accepts them again.")
      .def(
          "set_scratch", [](PyGraph& self) { self.graph()->set_scratch(); },
          "Says that the graph never runs: it captures symbolic tensors that are out of scope, "
          "too.")
      .def(
          "node", [](PyGraph& self, NodeId id) { return PyNode{self.graph(), id}; },
          "The node of an id.")
      .def_prop_rw(
          "device_label", [](PyGraph& self) { return self.graph()->device(); },
          [](PyGraph& self, const std::string& name) { self.graph()->set_device(name); },
          "The requested device of nodes that are added now; empty for any device.")
      .def_prop_rw(
          "device_function", [](PyGraph& self) { return self.device_function(); },
          [](PyGraph& self, nb::object function) { self.set_device_function(function); },
          "A function of each added node that returns its requested device, or None.")
      .def(
          "set_replicas",
          [](PyGraph& self, const std::vector<int>& rows) {
            std::vector<DeviceId> devices(rows.begin(), rows.end());
            for (auto graph = self.graph(); graph; graph = graph->outer()) {
              graph->set_replicas(devices);
            }
          },
          nb::arg("devices"),
          "Sets the devices of the replicas whose operations the graph contains.")
      .def("__len__", [](PyGraph& self) { return self.graph()->size(); });

  m.def(
      "building", [] { return graph_object(graph::building()); },
      "The graph that operations of this thread are added to, or None.");
  m.def(
      "building_program",
      [] {
        const Graph* const graph = graph::building();
        return graph && graph->for_program();
      },
      "Whether the graph that is being built will become a device's program.");
  m.def("inside_graph", graph::inside_graph,
        "Whether this thread builds a graph, even if operations run at the moment.");
  m.def(
      "begin_eager", [] { graph::begin_building(nullptr); },
      "From now on operations of this thread run, even while a graph is built.");
  m.def("end_eager", [] { graph::end_building(); });
  m.def(
      "running_source",
      []() -> nb::object {
        const Node* const node = graph::running_node();
        return node ? own_line(node->source) : nb::none();
      },
      "File, line and function that added the node which runs now, or None.");
  m.def("static_value", static_value,
        "The value of a tensor, if it is known while tracing; else None.");
  m.def("partial_value", known_numbers,
        "The elements of an integer scalar or vector, None for unknown ones; None if nothing is "
        "known.");
  m.def("set_partial_value", set_known_numbers, nb::arg("tensor"), nb::arg("numbers"),
        "Sets the elements of a symbolic integer scalar or vector, None for unknown ones.");
  m.def(
      "with_part",
      [](nb::handle tensor, nb::handle key, nb::handle value) {
        Tensor changed =
            with_part(checked_tensor(tensor.ptr()), key.ptr(), checked_tensor(value.ptr()));
        return nb::steal(wrap(std::move(changed)));
      },
      nb::arg("tensor"), nb::arg("key"), nb::arg("value"),
      "A tensor with a value for tensor[key], whose key has no arrays; the value is broadcast.");
  m.def("refine_shape", refine_shape, nb::arg("tensor"), nb::arg("shape").none(),
        "Merges a shape into that of a symbolic tensor; raises a ValueError if they disagree.");
  m.def(
      "graph_of",
      [](nb::handle tensor) {
        const Symbol* const symbol = symbol_of(checked_tensor(tensor.ptr()));
        return symbol ? graph_object(symbol->graph().get()) : nb::none();
      },
      "The graph of a symbolic tensor, or None.");
  m.def(
      "node_of",
      [](nb::handle tensor) {
        const Symbol& symbol = symbol_in_graph(tensor);
        const GraphPtr graph = symbol.graph();
        if (!graph) fail(Code::kRuntimeError, "The graph of this tensor has been freed.");
        return PyNode{graph, symbol.port().node};
      },
      "The node that returns a symbolic tensor.");
  m.def(
      "name_of",
      [](nb::handle tensor) {
        const Symbol& symbol = symbol_in_graph(tensor);
        const GraphPtr graph = symbol.graph();
        if (!graph) fail(Code::kRuntimeError, "The graph of this tensor has been freed.");
        return graph->node(symbol.port().node).name + ":" + std::to_string(symbol.port().output);
      },
      "The name of a symbolic tensor: the name of its node, and the index of the output.");
  m.def(
      "output_index", [](nb::handle tensor) { return symbol_in_graph(tensor).port().output; },
      "The index of a symbolic tensor among the outputs of its node.");
  m.def(
      "set_graph_error_hook",
      [](nb::handle hook) { Py_XSETREF(error_hook, Py_NewRef(hook.ptr())); },
      "Sets hook(error, [(node_name, source)]), which is called when nodes fail, innermost first.");
  m.def(
      "set_name_prefix",
      [](nb::handle function) {
        Py_XSETREF(prefix_function, Py_NewRef(function.ptr()));
        graph::name_prefix = prefix_of_names;
      },
      "Sets a function that returns the prefix of nodes' names.");
  m.def(
      "set_package_folder",
      [](const std::string& folder) {
        package_folder = folder;
        graph::find_source = source_of_program;
        graph::describe_source = text_of_source;
      },
      "Sets the package's folder, whose frames are skipped in the search for a program's line.");
}

}  // namespace ef::py
