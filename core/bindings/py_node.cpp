// Nodes of graphs for Python.
#include "bindings/py_node.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/convert.h"
#include "bindings/errors.h"
#include "bindings/items.h"
#include "bindings/py_graph.h"
#include "bindings/py_tensor.h"
#include "eager/variable.h"
#include "graph/call.h"
#include "graph/custom_gradient.h"
#include "graph/entry_gradient.h"
#include "graph/record.h"
#include "graph/specialize.h"
#include "graph/taping.h"
#include "graph/vjp.h"
#include "ops/attr_fields.h"
#include "ops/op_facts.h"

namespace nb = nanobind;

namespace ef::py {
namespace {

using graph::Graph;
using graph::Node;
using graph::NodeFunction;

// A node that calls a Python function.
class HostCall final : public NodeFunction {
 public:
  HostCall(nb::handle callable, SpecList specs, std::string type, bool effects, bool unless,
           bool in_programs)
      : callable_(hold(PyRef::share(callable.ptr()))),
        specs_(std::move(specs)),
        type_(std::move(type)),
        effects_(effects),
        unless_(unless),
        in_programs_(in_programs) {}

  const char* type() const override { return type_.c_str(); }
  bool has_effects() const override { return effects_; }
  PyObject* callable() const { return static_cast<PyObject*>(callable_.get()); }
  void retrace(Graph& graph, std::span<const Tensor> inputs, TensorList& outputs) const override {
    const auto is_known = [](const Tensor& input) { return input.shape().fully_known(); };
    if (in_programs_ && graph.for_program() && std::ranges::all_of(inputs, is_known)) {
      return run(inputs, outputs);
    }
    outputs = graph::add_function(graph, shared_from_this(), inputs, specs_, type_);
  }

  void run(std::span<const Tensor> inputs, TensorList& outputs) const override {
    if (unless_) {
      if (*inputs[0].data<bool>()) return;
      inputs = inputs.subspan(1);
    }
    PyRef arguments = checked(PyTuple_New(static_cast<Py_ssize_t>(inputs.size())));
    for (size_t i = 0; i < inputs.size(); ++i) {
      PyTuple_SET_ITEM(arguments.get(), static_cast<Py_ssize_t>(i),
                       checked(wrap(Tensor(inputs[i]))).release());
    }
    const PyRef result =
        checked(PyObject_CallObject(static_cast<PyObject*>(callable_.get()), arguments));
    if (specs_.empty()) return;
    const PyRef sequence = checked(PySequence_Fast(result, "a host function must return a list"));
    for (PyObject* item : Items(sequence)) {
      const size_t k = outputs.size();
      if (k == specs_.size()) break;
      outputs.push_back(to_tensor(item, specs_[k].dtype));
      if (!compatible(outputs[k].shape(), specs_[k].shape)) {
        invalid_argument("Result ", k, " of ", type_, " has shape ", outputs[k].shape(),
                         ", which is not ", specs_[k].shape, ".");
      }
    }
    if (outputs.size() != specs_.size()) {
      invalid_argument(type_, " returned ", outputs.size(), " values, not ", specs_.size(), ".");
    }
  }

 private:
  std::shared_ptr<void> callable_;
  SpecList specs_;
  std::string type_;
  bool effects_;
  bool unless_;       // whether the first input decides that nothing has to be done
  bool in_programs_;  // whether it calls operations that programs can contain
};

nb::list add_host_node(nb::handle callable, nb::handle inputs, nb::handle specs,
                       const std::string& name, bool effects, bool unless, const std::string& type,
                       bool in_programs) {
  Graph& graph = graph_being_built();
  const SpecList outputs = to_specs(specs);
  const auto call = std::make_shared<HostCall>(callable, outputs, type.empty() ? name : type,
                                               effects, unless, in_programs);
  return wrapped_list(graph::add_function(graph, call, to_tensors(inputs), outputs, name));
}

// Whether an optional member has no value: reading it would give it one, and change the attributes.
bool is_missing(const AttrField& field, AttrsRef attrs) {
  const SavedAttrs copy = attrs;
  field.value_in(const_cast<void*>(AttrsRef(copy).data()));
  return !(AttrsRef(copy) == attrs);
}

std::string_view word_of(std::string_view words, size_t position) {
  for (; position > 0; --position) words.remove_prefix(words.find('|') + 1);
  return words.substr(0, words.find('|'));
}

}  // namespace

nb::object attr_object(const AttrField& field, AttrsRef attrs) {
  if (field.engage && is_missing(field, attrs)) return nb::none();
  // Reading a member that has a value does not change it.
  const void* const member = field.value_in(const_cast<void*>(attrs.data()));
  switch (field.kind) {
    case AttrKind::kInt: return nb::int_(*static_cast<const int64_t*>(member));
    case AttrKind::kBool: return nb::bool_(*static_cast<const bool*>(member));
    case AttrKind::kFloat: return nb::float_(*static_cast<const double*>(member));
    case AttrKind::kDType: return nb::steal(dtype_object(*static_cast<const DType*>(member)));
    case AttrKind::kShape: return nb::steal(shape_object(*static_cast<const Shape*>(member)));
    case AttrKind::kInts: {
      const Ints& numbers = *static_cast<const Ints*>(member);
      nb::list list;
      for (const int64_t number : numbers) {
        list.append(number == kUnknownInt ? nb::object(nb::none()) : nb::object(nb::int_(number)));
      }
      return list;
    }
    case AttrKind::kEnum: {
      const std::string_view word = word_of(field.words, *static_cast<const uint8_t*>(member));
      return nb::str(word.data(), word.size());
    }
  }
  return nb::none();
}

namespace {

nb::dict attrs_of_node(const PyNode& self) {
  nb::dict result;
  const AttrsRef attrs = self.node().attrs;
  if (!attrs) return result;
  for (const AttrField& field : attrs.type()->fields()) {
    result[field.name.c_str()] = attr_object(field, attrs);
  }
  return result;
}

nb::list late_of_node(const PyNode& self) {
  nb::list list;
  const Node& node = self.node();
  if (node.late.empty()) return list;
  const std::vector<AttrField> fields = AttrsRef(node.attrs).type()->fields();
  for (const graph::LateAttr& late : node.late) {
    const std::string& name = fields[static_cast<size_t>(late.field)].name;
    list.append(nb::make_tuple(name, late.element, late.input, late.position));
  }
  return list;
}

nb::object object_of(const Variable& variable) {
  return variable.owner ? nb::borrow(static_cast<PyObject*>(variable.owner)) : nb::none();
}

nb::list exchanged_by_node(const PyNode& self) {
  nb::list list;
  if (!self.node().function) return list;
  for (const auto& [traced, actual] : self.node().function->exchanged()) {
    list.append(nb::make_tuple(object_of(*traced), object_of(*actual)));
  }
  return list;
}

nb::object host_function_of(const PyNode& self) {
  if (!self.node().function) return nb::none();
  const auto* const call = dynamic_cast<const HostCall*>(&graph::plain_function(self.node()));
  return call ? nb::borrow(call->callable()) : nb::none();
}

nb::object op_name_of(const PyNode& self) {
  return self.node().op ? nb::object(nb::str(name(*self.node().op))) : nb::none();
}

nb::object differentiated_by_node(const PyNode& self) {
  const auto* const found = graph::differentiated_operation(self.node());
  if (!found) return nb::none();
  const graph::GraphPtr origin = found->graph.lock();
  if (!origin) return nb::none();
  nb::list wanted, dy;
  for (const int32_t k : found->wanted) wanted.append(k);
  for (const int32_t k : found->dy) dy.append(k);
  nb::object operands = nb::none();
  if (origin != self.graph) {
    nb::list known;
    for (const auto* part : {&found->inputs, &found->outputs}) {
      for (const auto& [dtype, shape, value, like, sizes] : *part) {
        known.append(nb::make_tuple(value, like, sizes));
      }
    }
    for (const graph::LateAttr& late : found->late) {
      known.append(nb::make_tuple(late.input, -1, -1));
    }
    operands = known;
  }
  return nb::make_tuple(PyNode{origin, found->node}, wanted, dy, operands);
}

nb::object taped_run_of(const PyNode& self) {
  const std::optional<graph::TapedRun> found = graph::taped_run(*self.graph, self.node());
  if (!found) return nb::none();
  nb::list wanted, given;
  for (const auto& [source, row_indices] : *found->wanted) {
    wanted.append(nb::make_tuple(source, row_indices != DType::kInvalid));
  }
  for (const size_t k : *found->given) given.append(k);
  return nb::make_tuple(PyNode{found->graph, found->node}, wanted, given,
                        found->graph == self.graph);
}

nb::list replay_node(const PyNode& self, nb::handle inputs) {
  graph_being_built();
  TensorList outputs;
  graph::replay_node(self.node(), to_tensors(inputs), outputs);
  return wrapped_list(outputs);
}

nb::list gradient_of_node(const PyNode& self, const std::vector<int>& wanted, nb::handle dy,
                          nb::handle x, nb::handle y) {
  graph_being_built();
  std::vector<char> wants(static_cast<size_t>(self.node().num_op_inputs));
  for (const int i : wanted) wants.at(static_cast<size_t>(i)) = 1;
  nb::list list;
  for (const auto& [values, unsummed] :
       graph::entry_gradient(self.node(), wants, to_tensors(dy), to_tensors(x), to_tensors(y))) {
    list.append(nb::make_tuple(values ? wrapped(values) : nb::none(), unsummed));
  }
  return list;
}

nb::list variables_read_by(const PyNode& self) {
  nb::list list;
  if (!self.node().function) return list;
  for (const Variable* variable : self.node().function->reads()) list.append(object_of(*variable));
  return list;
}

nb::object custom_gradient_of_node(const PyNode& self) {
  const graph::CustomGradientParts parts = graph::custom_gradient_parts(self.node());
  if (!parts.step || parts.step->failure) return nb::none();
  nb::list kinds, variables;
  for (const auto kind : parts.step->kinds) kinds.append(static_cast<int>(kind));
  for (const Variable* variable : parts.step->variables) variables.append(object_of(*variable));
  return nb::make_tuple(graph_object(const_cast<Graph*>(&parts.step->graph->graph())),
                        parts.num_results, kinds, variables);
}

// The tapes that nodes keep of their runs are not tensors of the program.
nb::list tensors_of(std::span<const Tensor> tensors) {
  nb::list list;
  for (const Tensor& tensor : tensors) {
    if (!graph::is_tape(tensor)) list.append(wrapped(tensor));
  }
  return list;
}

nb::list inputs_of_node(const PyNode& self) {
  TensorList inputs;
  for (const graph::Port& port : self.node().inputs) inputs.push_back(self.graph->tensor(port));
  return tensors_of(inputs);
}

nb::list variables_of_node(const PyNode& self) {
  nb::list list;
  for (const VariableRef& variable : self.node().variables()) {
    if (variable->owner) list.append(nb::borrow(static_cast<PyObject*>(variable->owner)));
  }
  return list;
}

}  // namespace

void add_nodes(nb::module_& m) {
  nb::class_<PyNode>(m, "Node", "A node of a graph.")
      .def_prop_ro("name", [](const PyNode& self) { return self.node().name; })
      .def_prop_ro("type", [](const PyNode& self) { return self.node().type(); })
      .def_prop_ro(
          "device",
          [](const PyNode& self) {
            const auto& device = self.node().device;
            return device ? *device : std::string();
          },
          "The requested device.")
      .def_prop_ro("id", [](const PyNode& self) { return self.id; })
      .def_prop_ro("inputs", inputs_of_node)
      .def_prop_ro("outputs", [](const PyNode& self) { return tensors_of(self.node().outputs); })
      .def_prop_ro("attrs", attrs_of_node)
      .def_prop_ro(
          "controls", [](const PyNode& self) { return self.node().controls; },
          "The ids of nodes that run before it whenever it runs.")
      .def_prop_ro("has_effects", [](const PyNode& self) { return self.node().has_effects(); })
      .def_prop_ro("variables", variables_of_node, "The variables that it reads or changes.")
      .def_prop_ro("op", op_name_of, "The name in `_core.ops`, or None.")
      .def_prop_ro("num_op_inputs", [](const PyNode& self) { return self.node().num_op_inputs; })
      .def_prop_ro("late", late_of_node,
                   "Attributes that inputs provide: name, element or -1, index of the input, and "
                   "element of that input.")
      .def_prop_ro("differentiated", differentiated_by_node,
                   "For a node that computes an operation's gradient: the operation's node; the "
                   "inputs of that node with gradients; for each output the index of the gradient "
                   "among this node's inputs, or -1; and, if the operation is in another graph, "
                   "the indices of the inputs with the value, the shape, or the sizes of each of "
                   "its inputs, outputs and late inputs. Otherwise None.")
      .def_prop_ro("taped_run", taped_run_of,
                   "For a node that goes back through the tape of another node: that node; for "
                   "each gradient, its source and whether it consists of rows; the outputs with "
                   "gradients; and whether the other node is in the same graph, not in an outer "
                   "one. Otherwise None. Sources of a run are its inputs and then `reads`. If the "
                   "run itself goes back through another run, the sources of that one come first.")
      .def("replay", replay_node, nb::arg("inputs"),
           "Adds the nodes of a run with these inputs to the graph that is being built; returns "
           "the results.")
      .def_prop_ro(
          "has_entry_gradient",
          [](const PyNode& self) { return graph::has_entry_gradient(self.node()); },
          "Whether the op table has a gradient of its operation that may be recorded for unknown "
          "sizes.")
      .def("entry_gradient", gradient_of_node, nb::arg("wanted"), nb::arg("dy"), nb::arg("x"),
           nb::arg("y"),
           "Adds the op table's gradient of its operation to the graph that is being built, for "
           "these gradients of its outputs, inputs and outputs. Returns for each input a tensor, "
           "None if the input is not `wanted`, and whether to sum the tensor over the axes along "
           "which the input was broadcast.")
      .def_prop_ro("reads", variables_read_by, "The variables that the graphs inside it read.")
      .def_prop_ro("custom_gradient", custom_gradient_of_node,
                   "For a custom gradient: the graph of the backward step, the number of results, "
                   "the kinds of gradients for the arguments and then the variables, as in "
                   "custom_gradient_node, and the variables. Otherwise None.")
      .def_prop_ro("exchanged", exchanged_by_node,
                   "Pairs of a variable of the called graph and the variable that replaces it.")
      .def_prop_ro("host_function", host_function_of, "What it calls, or None.")
      .def_prop_ro(
          "captures",
          [](const PyNode& self) {
            nb::list list;
            if (!self.node().function) return list;
            for (const auto& positions : self.node().function->captures()) {
              nb::list inputs;
              for (const size_t position : positions) inputs.append(position);
              list.append(inputs);
            }
            return list;
          },
          "For each called graph that is a branch or part of a loop, the indices of its captures "
          "among the inputs.")
      .def_prop_ro(
          "seeds",
          [](const PyNode& self) {
            nb::list list;
            if (!self.node().function) return list;
            for (const int64_t seed : self.node().function->seeds()) list.append(seed);
            return list;
          },
          "The two seeds of a random stream, or an empty list.")
      .def_prop_ro(
          "constant",
          [](const PyNode& self) {
            const graph::Node& node = self.node();
            if (node.constant) return wrapped(node.constant);
            if (node.op || node.function) return nb::object(nb::none());
            const graph::Capture* const capture = self.graph->capture_of(node.outputs[0]);
            if (!capture || is_symbolic(capture->outer)) return nb::object(nb::none());
            return wrapped(capture->outer);
          },
          "The value of a constant, or of a capture with the same value in all calls; otherwise "
          "None.")
      .def_prop_ro(
          "callees",
          [](const PyNode& self) {
            nb::list list;
            for (const auto& graph : self.node().graphs) {
              list.append(nb::borrow(static_cast<PyObject*>(graph.get())));
            }
            return list;
          },
          "The graphs that it runs.")
      .def_prop_ro(
          "source",
          [](const PyNode& self) -> nb::object {
            const auto& source = self.node().source;
            // In a gradient, the forward line follows.
            if (!source) return nb::none();
            return nb::steal(PyTuple_GetSlice(static_cast<PyObject*>(source.get()), 0, 3));
          },
          "File, line and function that added the node, or None.")
      .def_prop_ro("graph", [](const PyNode& self) { return graph_object(self.graph.get()); });

  m.def("host_node", add_host_node, nb::arg("callable"), nb::arg("inputs"), nb::arg("specs"),
        nb::arg("name"), nb::arg("effects") = false, nb::arg("unless") = false,
        nb::arg("type") = "", nb::arg("in_programs") = false,
        "Adds a node that calls callable(*tensors), which returns a list of tensors with these "
        "specs: pairs of a dtype and a shape. With `unless`, the first input is a boolean; if it "
        "is true, the node does nothing. With `in_programs`, a device's program contains the "
        "operations that the function calls, for tensors of known shapes.");
}

}  // namespace ef::py
