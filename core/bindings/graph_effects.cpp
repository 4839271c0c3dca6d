// Bindings of nodes that change state: variables, random streams and other effects.
#include "bindings/graph_effects.h"

#include <optional>

#include "bindings/convert.h"
#include "bindings/errors.h"
#include "bindings/py_graph.h"
#include "bindings/py_tensor.h"
#include "bindings/py_variable.h"
#include "eager/variable.h"
#include "graph/equality.h"
#include "graph/mask_check.h"
#include "graph/random_streams.h"
#include "ops/compose.h"

namespace nb = nanobind;

namespace ef::py {
namespace {

using graph::Graph;

Tensor count_of(nb::handle blocks) { return to_tensor(blocks.ptr(), DType::kInt64); }

nb::list random_stream(nb::handle seeds, nb::handle blocks, bool for_all_rows) {
  std::optional<graph::Seeds> pair;
  if (!seeds.is_none()) {
    pair = {to_int(nb::object(seeds[nb::int_(0)]).ptr()),
            to_int(nb::object(seeds[nb::int_(1)]).ptr())};
  }
  return wrapped_list(
      graph::add_random_stream(graph_being_built(), pair, count_of(blocks), for_all_rows));
}

nb::object equality(nb::handle a, nb::handle b, bool equal) {
  return nb::steal(wrap(graph::equality(to_tensor(a.ptr()), to_tensor(b.ptr()), equal)));
}

nb::object mask_check(nb::handle mask, nb::handle sizes, int64_t axis) {
  return nb::steal(wrap(graph::add_mask_check(graph_being_built(), to_tensor(mask.ptr()),
                                              to_tensor(sizes.ptr(), DType::kInt64), axis)));
}

nb::list advance_state(nb::handle state, nb::handle blocks) {
  if (!is_variable(state.ptr())) fail(Code::kTypeError, "The state must be a Variable.");
  const VariableRef variable(variable_of(state.ptr()));
  if (variable->dtype() != DType::kInt64 || variable->shape() != Shape{3}) {
    invalid_argument("The state must be int64 [3], not ", variable->dtype(), " ", variable->shape(),
                     ".");
  }
  if (Graph* const graph = graph::building()) {
    return wrapped_list(graph::add_state_advance(*graph, *variable, count_of(blocks)));
  }
  const graph::StreamState before = graph::advance(*variable, to_int(blocks.ptr(), "blocks"));
  nb::list list;
  for (const int64_t word : {before.key, before.low, before.high}) list.append(word);
  return list;
}

}  // namespace

void add_graph_effects(nb::module_& m) {
  m.def("random_stream", random_stream, nb::arg("seeds").none(), nb::arg("blocks"),
        nb::arg("for_all_rows") = false,
        "Adds a node whose results are the key and counter of a random operation's stream, which "
        "advances by `blocks` with every run. `seeds` is a pair, or None for a random start. "
        "`for_all_rows`: one run draws for all rows that the graph runs for at once.");
  m.def("equality", equality, nb::arg("a"), nb::arg("b"), nb::arg("equal"),
        "Whether elements are equal, or else unequal: a scalar if the shapes do not broadcast.");
  m.def("mask_check", mask_check, nb::arg("mask"), nb::arg("sizes"), nb::arg("axis"),
        "Adds a node with the value of a mask, which raises an error where it has other sizes than "
        "the axes that it indexes, the first of which is `axis`.");
  m.def("restart_random_streams", graph::restart_random_streams,
        "Restarts the streams of all graphs.");
  m.def("advance_state", advance_state, nb::arg("state"), nb::arg("blocks"),
        "The key and counter in a variable, int64 [3], whose counter then advances by `blocks`. "
        "Tensors while a graph is built, else integers.");
}

}  // namespace ef::py
