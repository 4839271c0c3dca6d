// Runs of programs' graphs, for version 1's sessions.
#include "bindings/sessions.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <vector>

#include "bindings/convert.h"
#include "bindings/errors.h"
#include "bindings/py_graph.h"
#include "bindings/py_tensor.h"
#include "bindings/py_variable.h"
#include "eager/tape.h"
#include "eager/variable.h"
#include "graph/placeholders.h"
#include "graph/plan.h"
#include "graph/random_streams.h"
#include "graph/variables.h"

namespace nb = nanobind;

namespace ef::py {
namespace {

using graph::Graph;
using graph::GraphPtr;
using graph::NodeId;
using graph::Plan;
using graph::Port;
using graph::VariableStore;

// The plan for one combination of fetches, targets and feeds.
class SessionPlan {
 public:
  SessionPlan(nb::handle graph, nb::handle fetches, const std::vector<NodeId>& operations,
              nb::handle feeds)
      : graph_(graph_of_object(graph.ptr())), changes_(graph_->changes()) {
    std::vector<Port> fed;
    for (const Tensor& feed : to_tensors(feeds)) {
      fed.push_back(graph_->port_of(feed));
      feeds_.push_back(graph_->tensor(fed.back()));
    }
    TensorList results;
    for (const Tensor& fetch : to_tensors(fetches)) {
      results.push_back(graph_->tensor(graph_->port_of(fetch)));
    }
    const Plan::Selection selection{operations, fed};
    plan_ = std::make_shared<Plan>(*graph_, results,
                                   Plan::Options{.all_effects = false, .selection = &selection});
  }

  bool is_valid() const { return graph_->changes() == changes_; }
  size_t size() const { return plan_->size(); }

  nb::list run(VariableStore& store, nb::handle values) const {
    // A function that the plan calls may free this object.
    const std::shared_ptr<const Plan> plan = plan_;
    const GraphPtr graph = graph_;
    TensorList arguments;
    for (const nb::handle value : values) {
      arguments.push_back(to_tensor(value.ptr(), feeds_[arguments.size()].dtype()));
      check_fed(feeds_[arguments.size() - 1], arguments.back());
    }
    const graph::UsingStore using_store(&store);
    const graph::CalledFrom here(reinterpret_cast<const void*>(store.id()));
    const StopRecording unrecorded;
    TensorList results;
    run_plan(*plan, arguments, results);
    return wrapped_list(results);
  }

 private:
  void check_fed(const Tensor& feed, const Tensor& value) const {
    if (compatible(feed.shape(), value.shape())) return;
    const Port port = graph_->port_of(feed);
    fail(Code::kValueError, "Cannot feed value of shape ", graph::python_text(value.shape()),
         " for Tensor ", graph_->node(port.node).name, ":", port.output, ", which has shape ",
         graph::python_text(feed.shape()));
  }

  GraphPtr graph_;
  int64_t changes_;
  std::shared_ptr<const Plan> plan_;
  TensorList feeds_;
};

Variable& checked_variable(nb::handle object) {
  if (!is_variable(object.ptr())) {
    fail(Code::kTypeError, "A variable is needed, not a ", Py_TYPE(object.ptr())->tp_name, ".");
  }
  return variable_of(object.ptr());
}

VariableRef variable_in(VariableStore& store, nb::handle variable) {
  Variable& own = checked_variable(variable);
  return VariableRef(own.is_declaration() ? store.find(own) : own);
}

}  // namespace

void add_sessions(nb::module_& m) {
  nb::class_<VariableStore>(m, "VariableStore", "A session's values of variables.")
      .def(nb::init<>())
      .def("clear", &VariableStore::clear)
      .def(
          "initialized",
          [](VariableStore& self, nb::handle variable) {
            return variable_in(self, variable)->initialized();
          },
          "Whether a variable has a value.")
      .def(
          "value",
          [](VariableStore& self, nb::handle variable) {
            return wrapped(variable_in(self, variable)->peek());
          },
          "The value of a variable; raises a FailedPreconditionError if there is none.")
      .def(
          "assign",
          [](VariableStore& self, nb::handle variable, nb::handle value) {
            const VariableRef own = variable_in(self, variable);
            const Tensor& tensor = checked_tensor(value.ptr());
            if (is_symbolic(tensor) || tensor.dtype() != own->dtype() ||
                !compatible(tensor.shape(), own->shape())) {
              invalid_argument("A ", own->dtype(), " variable of shape ", own->shape(),
                               " cannot hold a ", tensor.dtype(), " of shape ", tensor.shape(),
                               ".");
            }
            own->assign(tensor);
          },
          nb::arg("variable"), nb::arg("value"), "Gives a variable a value.");
  nb::class_<SessionPlan>(m, "SessionPlan",
                          "The plan by which a session computes tensors from others.")
      .def(nb::init<nb::handle, nb::handle, const std::vector<NodeId>&, nb::handle>(),
           nb::arg("graph"), nb::arg("fetches"), nb::arg("operations"), nb::arg("feeds"))
      .def_prop_ro("is_valid", &SessionPlan::is_valid,
                   "Whether the nodes have not changed since the plan was created.")
      .def("__len__", &SessionPlan::size)
      .def("run", &SessionPlan::run, nb::arg("store"), nb::arg("values"),
           "The values of the fetches for these values of the feeds.");
  m.def(
      "set_default_graph",
      [](nb::handle graph) {
        graph::set_default_graph(graph.is_none() ? nullptr : graph_of_object(graph.ptr()));
      },
      nb::arg("graph").none(),
      "Adds the operations of threads that build no other graph to this one; None runs them.");
  m.def(
      "no_op_node", [](const std::string& name) { graph::add_no_op(graph_being_built(), name); },
      "Adds a node that does nothing.");
  m.def(
      "placeholder_with_default",
      [](nb::handle value, nb::handle shape, const std::string& name) {
        return wrapped(graph::add_placeholder_with_default(
            graph_being_built(), checked_tensor(value.ptr()), to_partial_shape(shape.ptr()), name));
      },
      nb::arg("value"), nb::arg("shape").none(), nb::arg("name"),
      "A tensor with a value that does not count as known: sessions may feed another one.");
  m.def(
      "variable_is_initialized",
      [](nb::handle variable) {
        return wrapped(graph::add_is_initialized(graph_being_built(), checked_variable(variable)));
      },
      "A boolean scalar of the graph: whether a variable has a value.");
}

}  // namespace ef::py
