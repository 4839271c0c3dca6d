// Graphs for Python: tuples describe nodes, and nodes that need Python call back.
#include "bindings/py_session.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "bindings/convert.h"
#include "bindings/errors.h"
#include "bindings/items.h"
#include "bindings/py_tape.h"
#include "bindings/py_tensor.h"
#include "bindings/py_variable.h"
#include "session/execution.h"
#include "session/graph.h"
#include "session/plan.h"
#include "session/trace.h"

namespace nb = nanobind;

namespace ef::py {
namespace {

using session::Execution;
using session::Graph;
using session::Kind;
using session::NodeId;
using session::PartialSpec;
using session::Plan;
using session::Port;
using session::Program;
using session::Store;
using session::Trace;
using session::Value;

using Ports = std::vector<std::pair<NodeId, int32_t>>;
using SharedGraph = std::shared_ptr<Graph>;

std::vector<Port> to_ports(const Ports& pairs) {
  std::vector<Port> ports;
  for (const auto& [node, output] : pairs) ports.push_back({node, output});
  return ports;
}

std::vector<Tensor> to_tensors(const nb::list& list) {
  std::vector<Tensor> tensors;
  for (const nb::handle item : list) tensors.push_back(checked_tensor(item.ptr()));
  return tensors;
}

// (dtype, sizes or None), in which unknown sizes are None.
nb::tuple spec_object(const PartialSpec& spec) {
  nb::object dims = nb::none();
  if (spec.ranked) {
    nb::list sizes;
    for (const int64_t size : spec.shape.dims()) {
      sizes.append(size < 0 ? nb::object(nb::none()) : nb::object(nb::int_(size)));
    }
    dims = sizes;
  }
  return nb::make_tuple(nb::steal(dtype_object(spec.dtype)), dims);
}

PartialSpec to_spec(nb::handle dtype, nb::handle dims) {
  PartialSpec spec;
  spec.dtype = to_dtype(dtype.ptr());
  if (dims.is_none()) return spec;
  spec.ranked = true;
  for (const nb::handle size : dims) {
    spec.shape.push_back(size.is_none() ? -1 : nb::cast<int64_t>(size));
  }
  return spec;
}

PyRef value_object(Value value) {
  if (value.tensor) return checked(wrap(std::move(value.tensor)));
  if (value.object) return PyRef::share(static_cast<PyObject*>(value.object.get()));
  return PyRef::share(Py_None);
}

std::shared_ptr<void> hold(PyRef object) {
  return {object.release(), [](void* held) { Py_DECREF(static_cast<PyObject*>(held)); }};
}

// The run that Python functions may query; empty when it is over.
struct Running {
  Execution* execution;
};

// A Python object with run_node(running, node) -> list of values.
class PythonHost final : public session::Host {
 public:
  explicit PythonHost(nb::handle host) : host_(host) {}

  void start(Execution& execution) {
    running_ = std::make_shared<Running>(Running{&execution});
    object_ = nb::cast(running_);
  }
  void finish() { running_->execution = nullptr; }

  void run(NodeId node, Execution&, std::vector<Value>& outputs) override {
    const PyRef result = checked(
        PyObject_CallMethod(host_.ptr(), "run_node", "Oi", object_.ptr(), static_cast<int>(node)));
    const PyRef sequence = checked(PySequence_Fast(result, "run_node() must return a list"));
    for (PyObject* item : Items(sequence)) {
      Value& value = outputs.emplace_back();
      if (is_tensor(item)) {
        value.tensor = tensor_of(item);
      } else if (is_variable(item)) {
        value.tensor = read_variable(item);
      } else {
        value.object = hold(PyRef::share(item));
      }
    }
  }

  std::shared_ptr<void> sparse(Gradient gradient) override {
    return hold(wrap_gradient(std::move(gradient)));
  }

 private:
  nb::handle host_;
  std::shared_ptr<Running> running_;
  nb::object object_;
};

// A plan holds a reference to its graph.
struct SharedPlan {
  SharedGraph graph;
  std::unique_ptr<Plan> plan;
};

// Adds the node to the exception that is set: host.explain(error, node).
void explain(nb::handle host, NodeId node) {
  PyObject *type, *error, *trace;
  PyErr_Fetch(&type, &error, &trace);
  PyErr_NormalizeException(&type, &error, &trace);
  if (node >= 0 && error) {
    PyObject* result =
        PyObject_CallMethod(host.ptr(), "explain", "Oi", error, static_cast<int>(node));
    if (!result) PyErr_Clear();
    Py_XDECREF(result);
  }
  PyErr_Restore(type, error, trace);
}

nb::list run_plan(const SharedPlan& shared, Store& store, const nb::list& feeds, nb::object host) {
  PythonHost python(host);
  Execution execution(*shared.graph, *shared.plan, store, python);
  python.start(execution);
  const struct Finish {
    PythonHost& host;
    ~Finish() { host.finish(); }
  } finish{python};
  try {
    execution.run(to_tensors(feeds));
    nb::list values;
    for (size_t k = 0; k < shared.plan->fetches().size(); ++k) {
      values.append(nb::steal(value_object(execution.fetch(k)).release()));
    }
    return values;
  } catch (...) {
    set_python_error();
    explain(host, execution.failed());
    throw nb::python_error();
  }
}

NodeId add_node(Graph& self, std::string name, std::string type, std::string file, int line,
                std::string function, const Ports& inputs, const std::vector<NodeId>& controls) {
  session::Node node;
  node.name = std::move(name);
  node.type = std::move(type);
  node.source = {std::move(file), line, std::move(function)};
  node.inputs = to_ports(inputs);
  node.controls = controls;
  return self.add(std::move(node));
}

// The specs of the results of a node's operations; None if they depend on values.
nb::object set_program(Graph& self, NodeId id, const Program& program) {
  self.set_program(id, program);
  nb::list specs;
  try {
    for (const PartialSpec& spec : self.infer(id)) specs.append(spec_object(spec));
  } catch (const Error&) {
    return nb::none();
  }
  return specs;
}

void set_kind(Graph& self, NodeId id, const std::string& kind) {
  session::Node& node = self.node(id);
  if (kind == "nothing") {
    node.kind = Kind::kNothing;
  } else if (kind == "feed") {
    node.kind = Kind::kFeed;
  } else if (kind == "variable") {
    node.kind = Kind::kVariable;
  } else if (kind == "assign" || kind == "assign_add" || kind == "assign_sub") {
    node.kind = Kind::kAssign;
    node.change = kind == "assign"       ? session::Change::kReplace
                  : kind == "assign_add" ? session::Change::kAdd
                                         : session::Change::kSubtract;
  } else {
    fail(Code::kValueError, "There are no nodes of kind ", kind);
  }
}

void set_choice(Graph& self, NodeId id, const Ports& if_false, const std::vector<NodeId>& false_ops,
                const Ports& if_true, const std::vector<NodeId>& true_ops) {
  session::Node& node = self.node(id);
  node.kind = Kind::kChoice;
  node.branches[0] = {to_ports(if_false), false_ops};
  node.branches[1] = {to_ports(if_true), true_ops};
}

void add_traces(nb::module_& m) {
  nb::class_<Program>(m, "Program", "Operations with fixed attributes.")
      .def("same", [](const Program& self, const Program& other) { return self == other; })
      .def_prop_ro("operations",
                   [](const Program& self) {
                     nb::list names;
                     for (const session::Step& step : self.steps) names.append(step.op->tf_name);
                     return names;
                   })
      .def("__len__", [](const Program& self) { return self.steps.size(); });
  m.def("constant_program", [](nb::handle value) {
    Program program;
    program.constants = {checked_tensor(value.ptr())};
    program.results = {{session::Operand::kConstant, 0, 0}};
    return program;
  });
  nb::class_<Trace>(m, "Trace", "Collects this thread's operations until it is stopped.")
      .def(nb::init<>())
      .def("stop", &Trace::stop)
      .def("program",
           [](const Trace& self, const nb::list& arguments,
              const nb::list& results) -> std::optional<Program> {
             return self.program(to_tensors(arguments), to_tensors(results));
           });
}

}  // namespace

void add_sessions(nb::module_& m) {
  add_traces(m);
  nb::class_<Graph>(m, "SessionGraph", "Nodes, their inputs, and what they do.")
      .def(nb::init<>())
      .def("__len__", [](const Graph& self) { return self.size(); })
      .def("add", add_node)
      .def("describe", [](const Graph& self, NodeId id) { return self.describe(id); })
      .def("set_inputs", [](Graph& self, NodeId id,
                            const Ports& inputs) { self.node(id).inputs = to_ports(inputs); })
      .def("set_outputs",
           [](Graph& self, NodeId id, const nb::list& specs) {
             std::vector<PartialSpec> outputs;
             for (PyObject* item : Items(specs.ptr())) {
               const nb::handle spec = item;
               outputs.push_back(to_spec(nb::object(spec[0]), nb::object(spec[1])));
             }
             self.node(id).outputs = std::move(outputs);
           })
      .def("set_program", set_program)
      .def("set_kind", set_kind)
      .def("set_gradient",
           [](Graph& self, NodeId id, int32_t targets, int32_t sources, bool weighted) {
             session::Node& node = self.node(id);
             node.kind = Kind::kGradient;
             node.targets = targets;
             node.sources = sources;
             node.weighted = weighted;
           })
      .def("set_choice", set_choice);
  nb::class_<Store>(m, "Store", "A session's variables.")
      .def(nb::init<>())
      .def("set",
           [](Store& self, NodeId node, nb::handle variable) {
             if (!is_variable(variable.ptr())) fail(Code::kTypeError, "A variable is needed.");
             self.set(node, variable_of(variable.ptr()));
           })
      .def("clear", &Store::clear);
  nb::class_<Running>(m, "Running", "What Python functions of a run may ask.")
      .def("value", [](const Running& self, NodeId node, int32_t output) {
        if (!self.execution) fail(Code::kRuntimeError, "The run is over.");
        return nb::steal(value_object(self.execution->value({node, output})).release());
      });
  nb::class_<SharedPlan>(m, "SessionPlan", "The nodes that fetches need, sorted.")
      .def("__init__",
           [](SharedPlan* self, SharedGraph graph, const Ports& fetches,
              const std::vector<NodeId>& operations, const Ports& feeds) {
             auto plan =
                 std::make_unique<Plan>(*graph, to_ports(fetches), operations, to_ports(feeds));
             new (self) SharedPlan{std::move(graph), std::move(plan)};
           })
      .def("__len__", [](const SharedPlan& self) { return self.plan->num_planned(); })
      .def("run", run_plan);
}

}  // namespace ef::py
