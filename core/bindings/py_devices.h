// Devices for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace ef::py {

void add_device_functions(nanobind::module_& m);

}  // namespace ef::py
