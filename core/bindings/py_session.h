// Graphs, their plans and their runs as Python objects.
#pragma once

#include <nanobind/nanobind.h>

namespace ef::py {

void add_sessions(nanobind::module_& m);

}  // namespace ef::py
