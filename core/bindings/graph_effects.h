// What programs do to state while graphs are built: the bindings of such nodes.
#pragma once

#include <nanobind/nanobind.h>

namespace ef::py {

void add_graph_effects(nanobind::module_& module);

}  // namespace ef::py
