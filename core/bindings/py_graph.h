// Graphs of traced functions as Python objects.
#pragma once

#include <nanobind/nanobind.h>

#include <initializer_list>
#include <memory>

#include "bindings/convert.h"
#include "bindings/py_ref.h"
#include "graph/call.h"

namespace ef::py {

TensorList to_tensors(nanobind::handle sequence);
// Specs from pairs of a dtype and a shape, which may be partial.
SpecList to_specs(nanobind::handle pairs);
nanobind::object wrapped(const Tensor& tensor);
nanobind::list wrapped_list(std::span<const Tensor> tensors);

// The graph that is being built on this thread; throws if there is none.
graph::Graph& graph_being_built();

void add_graphs(nanobind::module_& m);

// The Python object of a graph, or None if there is none.
nanobind::object graph_object(graph::Graph* graph);
// The graph of a Python object.
graph::GraphPtr graph_of_object(PyObject* graph);
// An object that native code keeps alive.
std::shared_ptr<void> hold(PyRef object);
// The finished graph of a Python object as a Callable.
graph::CallablePtr callable_of(PyObject* graph);

// Makes the node that was added last keep the Python objects of the graphs that it runs.
void keep_graphs(graph::Graph& outer, std::initializer_list<nanobind::handle> graphs);

// Appends the results of a plan. Errors of nodes become PythonErrors whose messages name the line
// that added the node.
void run_plan(const graph::Plan& plan, std::span<const Tensor> arguments, TensorList& results);

// Appends the outputs of a run; the captures are appended to `inputs`. Errors of nodes become
// PythonErrors whose messages name the line that added the node.
void run_callable(const graph::Callable& callable, TensorList& inputs, TensorList& results);
// Sets the Python exception that corresponds to the C++ exception being handled, which nodes
// raised.
void set_error_of_nodes(const graph::FailedNodes& failed) noexcept;

}  // namespace ef::py
