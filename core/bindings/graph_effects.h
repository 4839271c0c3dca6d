// Bindings of nodes that change state: variables, random streams and other effects.
#pragma once

#include <nanobind/nanobind.h>

namespace ef::py {

void add_graph_effects(nanobind::module_& module);

}  // namespace ef::py
