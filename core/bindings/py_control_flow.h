// Nodes of conditionals and loops, for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace ef::py {

void add_control_flow(nanobind::module_& m);

}  // namespace ef::py
