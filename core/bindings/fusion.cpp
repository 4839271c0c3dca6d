// Functions that switch fusion on and off, and report fused operations and profiles.
#include "bindings/fusion.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/convert.h"
#include "bindings/py_tensor.h"
#include "eager/fusion_log.h"
#include "eager/lazy.h"
#include "eager/profile.h"
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

nb::object line_object(const profile::Line& line) {
  return line ? nb::borrow(static_cast<PyObject*>(line.get())) : nb::none();
}

nb::tuple end_profile() {
  const profile::Result result = profile::end();
  nb::list events, holders;
  for (const profile::Event& event : result.events) {
    events.append(nb::make_tuple(event.name, line_object(event.line), event.gradient, event.thread,
                                 event.begin, event.end, event.inner, event.bytes));
  }
  for (const profile::Holder& holder : result.at_peak) {
    holders.append(nb::make_tuple(holder.name, line_object(holder.line), holder.bytes));
  }
  return nb::make_tuple(events, holders);
}

// Parts of the program, as events of this thread, outermost first.
thread_local std::vector<std::unique_ptr<profile::Scope>> parts;

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
  module.def("begin_profile", profile::begin, "From now on, operations are events of a profile.");
  module.def("end_profile", end_profile,
             "Ends the profile. Returns its events: name, line, whether it is the gradient of that "
             "line, thread, begin, end, and time of events inside in nanoseconds, and bytes "
             "allocated; and who held memory at the peak: operation, line, bytes. A line has a "
             "file, number and function, followed by the forward line if it is a gradient's.");
  module.def("profiling", [] { return profile::active(); }, "Whether a profile runs.");
  module.def(
      "begin_part",
      [](std::string name) { parts.push_back(std::make_unique<profile::Scope>(std::move(name))); },
      "name"_a, "A part of the program begins on this thread.");
  module.def(
      "end_part",
      [](std::optional<std::string> name) {
        if (parts.empty()) return;
        if (name) parts.back()->rename(std::move(*name));
        parts.pop_back();
      },
      "name"_a.none() = nb::none(), "The part that began last ends, under another name if given.");
}

}  // namespace ef::py
