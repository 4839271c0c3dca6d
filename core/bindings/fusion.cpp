// Functions that switch fusion on and off, and report fused operations.
#include "bindings/fusion.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>
#include <vector>

#include "bindings/convert.h"
#include "bindings/py_tensor.h"
#include "eager/fusion_log.h"
#include "eager/lazy.h"
#include "ops/op_facts.h"

namespace ef::py {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

thread_local std::vector<Fusion> noted;

nb::list take_fusions() {
  fusion_log = nullptr;
  nb::list result;
  for (const Fusion& fusion : std::exchange(noted, {})) {
    nb::list names, sizes;
    for (const Op* const op : fusion.ops) names.append(tf_name(*op));
    for (const int64_t size : fusion.shape) sizes.append(size);
    result.append(nb::make_tuple(nb::tuple(names), fusion.by, std::string(dtype_name(fusion.dtype)),
                                 nb::tuple(sizes), fusion.inputs, fusion.results));
  }
  return result;
}

}  // namespace

void add_fusion(nb::module_& module) {
  module.def("fuses", fuses, "Whether elementwise operations run together with others.");
  module.def("set_fuses", set_fuses, "fuses"_a,
             "Switches it on or off; returns the previous setting.");
  module.def(
      "note_fusions",
      [] {
        noted.clear();
        fusion_log = &noted;
      },
      "Begins a log of the fused operations of this thread.");
  module.def("take_fusions", take_fusions,
             "Ends the log and returns its entries: names of operations, what ran them, dtype, "
             "shape, and the numbers of tensors read and written.");
}

}  // namespace ef::py
