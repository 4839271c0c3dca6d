// Reductions over processes, for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace ef::py {

// Adds the class Channel to the module.
void add_channels(nanobind::module_& module);

}  // namespace ef::py
