// Tables of keys and values, for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace ef::py {

// Adds the class Table to the module.
void add_tables(nanobind::module_& module);

}  // namespace ef::py
