// Plugins of accelerators for Python: clients, their devices and programs.
#pragma once

#include <nanobind/nanobind.h>

namespace ef::py {

void add_pjrt(nanobind::module_& m);

}  // namespace ef::py
