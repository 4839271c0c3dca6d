// Reads tensors from files and writes memory to files, for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace ef::py {

// Adds write_checked, read_checked and map_checked to the module.
void add_files(nanobind::module_& module);

}  // namespace ef::py
