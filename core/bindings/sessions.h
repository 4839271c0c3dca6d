// Runs of programs' graphs, for version 1's sessions.
#pragma once

#include <nanobind/nanobind.h>

namespace ef::py {

void add_sessions(nanobind::module_& m);

}  // namespace ef::py
