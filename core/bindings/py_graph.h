// Graphs of traced functions as Python objects.
#pragma once

#include <nanobind/nanobind.h>

namespace ef::py {

void add_graphs(nanobind::module_& m);

}  // namespace ef::py
