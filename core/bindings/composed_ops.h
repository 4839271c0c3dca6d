// Operations that are composed in Python: their declarations.
#pragma once

#include <nanobind/nanobind.h>

namespace ef::py {

void add_composed_ops(nanobind::module_& module);

}  // namespace ef::py
