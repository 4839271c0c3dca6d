// The optimizers' update rules for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace ef::py {

// Adds adam_update and the functions of all other rules to the module.
void add_optimizers(nanobind::module_& module);

}  // namespace ef::py
