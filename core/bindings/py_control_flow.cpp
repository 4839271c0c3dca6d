// Nodes of conditionals and loops, for Python.
#include "bindings/py_control_flow.h"

#include <nanobind/stl/string.h>

#include <string>
#include <vector>

#include "bindings/convert.h"
#include "bindings/py_graph.h"
#include "bindings/py_tensor.h"
#include "graph/control_flow.h"

namespace nb = nanobind;

namespace ef::py {
namespace {

nb::list add_choice(nb::handle index, nb::handle graphs, const std::string& name) {
  std::vector<graph::CallablePtr> branches;
  for (const nb::handle branch : graphs) branches.push_back(callable_of(branch.ptr()));
  graph::Graph& graph = graph_being_built();
  const TensorList outputs = graph::add_choice(graph, checked_tensor(index.ptr()), branches, name);
  for (const nb::handle branch : graphs) keep_graphs(graph, {branch});
  return wrapped_list(outputs);
}

nb::list add_loop(nb::handle condition, nb::handle body, nb::handle variables, nb::handle limit,
                  const std::string& name) {
  const graph::Loop loop{.condition = callable_of(condition.ptr())->graph_ptr(),
                         .body = callable_of(body.ptr())->graph_ptr(),
                         .limit = limit.is_none() ? Tensor() : checked_tensor(limit.ptr())};
  graph::Graph& graph = graph_being_built();
  const TensorList outputs = graph::add_loop(graph, loop, to_tensors(variables), name);
  keep_graphs(graph, {condition, body});
  return wrapped_list(outputs);
}

}  // namespace

void add_control_flow(nb::module_& m) {
  m.def("choice_node", add_choice, nb::arg("index"), nb::arg("graphs"), nb::arg("name"),
        "Adds a node that runs one of several finished graphs without inputs. A boolean index "
        "selects the first graph if true; an int32 out of range selects the last one.");
  m.def("while_node", add_loop, nb::arg("cond_graph"), nb::arg("body_graph"), nb::arg("loop_vars"),
        nb::arg("maximum_iterations").none(), nb::arg("name"),
        "Adds a node that runs the body as long as the condition holds; returns the last values.");
}

}  // namespace ef::py
