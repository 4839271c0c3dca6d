// Messages of protocol buffers that are read and never changed, for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace ef::py {

// Adds MessageTypes and Message to the module.
void add_messages(nanobind::module_& module);

}  // namespace ef::py
