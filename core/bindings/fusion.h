// What Python knows of operations that run as one.
#pragma once

#include <nanobind/nanobind.h>

namespace ef::py {

void add_fusion(nanobind::module_& module);

}  // namespace ef::py
