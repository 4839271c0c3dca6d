// Kernels in Python.
#pragma once

#include <nanobind/nanobind.h>

namespace ef::py {

void add_host_kernels(nanobind::module_& m);

}  // namespace ef::py
