// Tensors that stand for objects of Python: datasets and iterators in graphs.
#pragma once

#include <nanobind/nanobind.h>

namespace ef::py {

void add_handles(nanobind::module_& m);

}  // namespace ef::py
