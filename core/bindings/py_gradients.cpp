// Derivatives in graphs, for Python.
#include "bindings/py_gradients.h"

#include <utility>
#include <vector>

#include "bindings/convert.h"
#include "bindings/errors.h"
#include "bindings/gradient_values.h"
#include "bindings/items.h"
#include "bindings/py_graph.h"
#include "bindings/py_tensor.h"
#include "bindings/py_variable.h"
#include "graph/custom_gradient.h"
#include "graph/gradients.h"
#include "graph/rows.h"

namespace nb = nanobind;

namespace ef::py {
namespace {

using graph::CustomStep;
using graph::Graph;

// None becomes an empty handle.
TensorList to_optional_tensors(nb::handle sequence) {
  TensorList tensors;
  for (const nb::handle item : sequence) {
    tensors.push_back(item.is_none() ? Tensor() : checked_tensor(item.ptr()));
  }
  return tensors;
}

nb::list graph_gradients(nb::handle graph, nb::handle ys, nb::handle weights, nb::handle xs,
                         nb::handle constants, nb::handle origins) {
  graph_being_built();
  std::vector<graph::DifferentiatedBy> sources;
  for (const nb::handle x : xs) {
    graph::DifferentiatedBy& source = sources.emplace_back();
    if (is_variable(x.ptr())) {
      source.variable = &variable_of(x.ptr());
    } else {
      source.tensor = checked_tensor(x.ptr());
    }
  }
  nb::list result;
  std::vector<graph::GradientNodes> nodes;
  for (Gradient& gradient : graph::gradients(
           *graph_of_object(graph.ptr()), to_optional_tensors(ys), to_optional_tensors(weights),
           sources, to_optional_tensors(constants), origins.is_none() ? nullptr : &nodes)) {
    result.append(nb::steal(wrap_gradient(std::move(gradient)).release()));
  }
  for (const graph::GradientNodes& each : nodes) {
    nb::cast<nb::list>(origins).append(nb::make_tuple(each.begin, each.of));
  }
  return result;
}

nb::list rows_node(nb::handle graph, nb::handle rows) {
  const TensorList results =
      graph::add_rows(graph_being_built(), callable_of(graph.ptr()), to_optional_tensors(rows));
  keep_graphs(graph_being_built(), {graph});
  return wrapped_list(results);
}

nb::list custom_gradient_node(nb::handle results, nb::handle arguments, nb::handle variables,
                              nb::handle step, nb::handle kinds) {
  CustomStep custom;
  if (PyCallable_Check(step.ptr())) {
    custom.failure = python_backward(step.ptr());
  } else {
    custom.graph = callable_of(step.ptr());
    custom.owner = hold(PyRef::share(step.ptr()));
  }
  for (const nb::handle kind : kinds) {
    custom.kinds.push_back(static_cast<CustomStep::Kind>(nb::cast<int>(kind)));
  }
  for (const nb::handle variable : variables) {
    custom.variables.push_back(&variable_of(variable.ptr()));
  }
  return wrapped_list(graph::add_custom_gradient(graph_being_built(), to_optional_tensors(results),
                                                 to_optional_tensors(arguments),
                                                 std::move(custom)));
}

}  // namespace

void add_gradients(nb::module_& m) {
  m.def("graph_gradients", graph_gradients, nb::arg("graph"), nb::arg("ys"), nb::arg("weights"),
        nb::arg("xs"), nb::arg("constants"), nb::arg("origins") = nb::none(),
        "Adds nodes that compute the gradients of the sum of ys, weighted by weights that are not "
        "None, with respect to tensors and variables of a graph. Constants count as independent. "
        "A list of origins gets, for each node whose gradient was added, the ids of the first node "
        "of "
        "that gradient and of the node, whose device all of it gets.");
  m.def("rows_node", rows_node, nb::arg("graph"), nb::arg("rows"),
        "Adds a node that runs a graph for each row of tensors; the graph's inputs are rows.");
  m.def(
      "can_run_rows",
      [](nb::handle graph) { return graph::can_run_rows(*graph_of_object(graph.ptr())); },
      nb::arg("graph"), "Whether rows_node can run a graph.");
  m.def(
      "depends_on_inputs",
      [](nb::handle tensor) {
        return graph::depends_on_inputs(graph_being_built(), to_tensor(tensor.ptr()));
      },
      nb::arg("tensor"), "Whether a tensor depends on the inputs of the graph being built.");
  m.def(
      "draws", [](nb::handle graph) { return graph::draws(*graph_of_object(graph.ptr())); },
      nb::arg("graph"), "Whether a graph draws random values of one row.");
  m.def(
      "custom_gradient_node", custom_gradient_node, nb::arg("results"), nb::arg("arguments"),
      nb::arg("variables"), nb::arg("step"), nb::arg("kinds"),
      "Adds a node with the values of results, and the gradients of a graph. For each argument and "
      "then each variable, kinds has 0 for no gradient, 1 for a tensor, and 2 for values and "
      "indices of rows. If `step` is a function, it raises an error when gradients are computed.");
}

}  // namespace ef::py
