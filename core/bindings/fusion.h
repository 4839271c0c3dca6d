// Python's access to the log of fused operations.
#pragma once

#include <nanobind/nanobind.h>

namespace ef::py {

void add_fusion(nanobind::module_& module);

}  // namespace ef::py
