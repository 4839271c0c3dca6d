// Devices for Python, as rows of a table.
#include "bindings/py_devices.h"

#include <nanobind/stl/string.h>

#include <atomic>

#include "bindings/errors.h"
#include "bindings/gil.h"
#include "bindings/py_tensor.h"
#include "bindings/py_variable.h"
#include "device/allocator.h"
#include "eager/device_backend.h"
#include "eager/variable.h"
#include "platform/memory.h"

namespace nb = nanobind;

namespace ef::py {
namespace {

const Device& checked_device(int id) {
  if (id < 0 || id >= device_count()) invalid_argument("There is no device ", id, ".");
  return device_at(static_cast<DeviceId>(id));
}

nb::list device_table() {
  nb::list rows;
  for (int id = 0; id < device_count(); ++id) {
    const Device& device = device_at(static_cast<DeviceId>(id));
    rows.append(nb::make_tuple(device.type, device.index, device.name));
  }
  return rows;
}

// The host's memory is counted as a whole.
nb::dict device_memory(int id) {
  nb::dict result;
  if (DeviceBackend* const backend = checked_device(id).backend) {
    const DeviceMemory memory = backend->memory(static_cast<DeviceId>(id));
    result["current"] = memory.in_use;
    result["peak"] = memory.peak;
    result["limit"] = memory.limit;
    return result;
  }
  const AllocatorStats stats = allocator_stats();
  result["current"] = stats.large_in_use;
  result["peak"] = stats.large_peak;
  result["limit"] = 0;
  return result;
}

void require_memory(double bytes) {
  if (bytes <= static_cast<double>(platform::physical_memory())) return;
  fail(Code::kResourceExhausted, "Out of memory: a result of ", static_cast<int64_t>(bytes / 1e9),
       " GB is larger than the memory of this machine.");
}

PyObject* finder = nullptr;  // lives as long as the process

// Calls Python's function that adds devices, on any thread.
void run_finder() {
  const Locked locked;
  nb::object result = nb::steal(PyObject_CallNoArgs(finder));
  if (!result.is_valid()) throw PythonError();
}

void reset_peak(int id) {
  if (DeviceBackend* const backend = checked_device(id).backend) {
    backend->reset_peak(static_cast<DeviceId>(id));
  } else {
    reset_allocator_peak();
  }
}

// Joins variables on several devices that a strategy keeps as one variable.
void join_copies(const nb::list& variables, bool equal) {
  static std::atomic<uint32_t> last = 0;
  const uint32_t group = last += 2;
  for (const nb::handle one : variables) {
    if (!is_variable(one.ptr())) fail(Code::kTypeError, "join_copies() takes Variables.");
    variable_of(one.ptr()).make_copy(group, equal);
  }
}

}  // namespace

void add_device_functions(nb::module_& m) {
  m.def("join_copies", join_copies, nb::arg("variables"), nb::arg("equal"),
        "Marks variables as the copies of one variable; `equal` if they always have equal values.");
  m.def("device_table", device_table, "The type, index and name of each device.");
  m.def(
      "add_cpu_device", [] { return static_cast<int>(add_device("CPU")); },
      "Adds a device that computes in the host's memory; returns its row.");
  m.def(
      "current_device", [] { return static_cast<int>(current_device()); },
      "The row of the device on which operations of this thread run.");
  m.def(
      "enter_device",
      [](int id) {
        if (id >= 0) checked_device(id);
        return enter_device(id);
      },
      nb::arg("id"),
      "Sets the device on which this thread's operations run; -1 is the default. Returns the "
      "previous setting.");
  m.def(
      "device_of",
      [](nb::handle tensor) {
        return static_cast<int>(checked_tensor(tensor.ptr()).impl()->device());
      },
      nb::arg("tensor"), "The row of a tensor's device.");
  m.def(
      "copy_to_device",
      [](nb::handle tensor, int id) {
        checked_device(id);
        Tensor copy = on_device(checked_tensor(tensor.ptr()), static_cast<DeviceId>(id));
        copy.impl()->share_id(*checked_tensor(tensor.ptr()).impl());
        return nb::steal(wrap(std::move(copy)));
      },
      nb::arg("tensor"), nb::arg("id"),
      "A copy of a tensor on a device; tapes treat it as the same tensor.");
  m.def(
      "find_devices_later",
      [](nb::object function) {
        if (function.is_none()) return find_devices_later(nullptr);
        finder = function.release().ptr();
        find_devices_later(run_finder);
      },
      nb::arg("function").none(),
      "Sets a function that adds devices before the first operation; None if they are already "
      "added.");
  m.def("find_devices", find_devices);
  m.def(
      "set_default_device",
      [](int id) {
        checked_device(id);
        set_default_device(static_cast<DeviceId>(id));
      },
      nb::arg("id"), "Sets the device of operations outside all scopes.");
  m.def("device_memory", device_memory, nb::arg("id"),
        "The bytes in use, their peak, and the limit.");
  m.def("require_memory", require_memory, nb::arg("bytes"),
        "Refuses a result that is larger than the machine's memory.");
  m.def("reset_device_peak", reset_peak, nb::arg("id"));
  m.def("log_placement", log_placement, nb::arg("enabled"),
        "Writes the name and device of operations that run to standard error.");
  m.def("logs_placement", logs_placement);
  m.def("has_allocated", has_allocated, "Whether memory for a tensor has been allocated yet.");
}

}  // namespace ef::py
