// Derivatives in graphs, for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace ef::py {

void add_gradients(nanobind::module_& m);

}  // namespace ef::py
