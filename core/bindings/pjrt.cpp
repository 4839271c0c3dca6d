// Plugins of accelerators for Python: clients, their devices and programs.
#include "bindings/pjrt.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>
#include <vector>

#include "bindings/convert.h"
#include "bindings/errors.h"
#include "bindings/py_graph.h"
#include "bindings/py_tensor.h"
#include "device/pjrt/client.h"
#include "lower/plugin_device.h"
#include "lower/rule.h"
#include "ops/op_facts.h"
#include "tensor/error.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace ef::py {
namespace {

using pjrt::Client;

std::vector<pjrt::Option> to_options(nb::dict options) {
  std::vector<pjrt::Option> result;
  for (const auto [key, value] : options) {
    pjrt::Option& option = result.emplace_back();
    option.first = nb::cast<std::string>(key);
    if (nb::isinstance<nb::bool_>(value)) {
      option.second = nb::cast<bool>(value);
    } else if (nb::isinstance<nb::int_>(value)) {
      option.second = nb::cast<int64_t>(value);
    } else if (nb::isinstance<nb::float_>(value)) {
      option.second = nb::cast<double>(value);
    } else {
      option.second = str_of(value.ptr());
    }
  }
  return result;
}

int checked_device(const Client& client, int device) {
  if (device < 0 || device >= static_cast<int>(client.devices().size())) {
    invalid_argument("The plugin ", client.path(), " has devices 0 to ",
                     client.devices().size() - 1, ", there is no device ", device, ".");
  }
  return device;
}

struct Program {
  Client* client;
  pjrt::ExecutablePtr executable;
};

nb::list run_program(const Program& self, nb::handle arguments, int device,
                     const std::vector<bool>& given) {
  const TensorList inputs = to_tensors(arguments);
  TensorList results;
  const std::vector<char> donated(given.begin(), given.end());
  self.executable->run(inputs, donated, checked_device(*self.client, device), results);
  return wrapped_list(results);
}

}  // namespace

void add_pjrt(nb::module_& m) {
  nb::module_ pjrt = m.def_submodule("pjrt", "Accelerators behind the PJRT interface.");
  pjrt.def(
      "lowered",
      [] {
        nb::list names;
        for (const Op* op : lower::operations()) names.append(name(*op));
        return names;
      },
      "The operations that programs have.");
  pjrt.def("built_in", &Client::built_in, "Whether this build supports PJRT.");
  nb::class_<Client>(pjrt, "Client")
      .def_prop_ro("path", &Client::path)
      .def_prop_ro("platform", &Client::platform)
      .def_prop_ro("platform_version", &Client::platform_version)
      .def_prop_ro("version", &Client::version)
      .def_prop_ro("devices",
                   [](const Client& self) {
                     nb::list list;
                     for (const pjrt::DeviceInfo& device : self.devices()) {
                       list.append(nb::make_tuple(device.id, device.kind, device.description));
                     }
                     return list;
                   })
      .def("memory",
           [](const Client& self, int device) {
             const pjrt::MemoryStats stats = self.memory(checked_device(self, device));
             return nb::make_tuple(stats.in_use, stats.peak, stats.limit);
           })
      .def("to_device",
           [](Client& self, nb::handle tensor, int device) {
             return nb::steal(
                 wrap(self.to_device(to_tensor(tensor.ptr()), checked_device(self, device))));
           })
      .def(
          "add_to_table",
          [](Client& self, int device, const std::string& type, int64_t memory_limit) {
            return static_cast<int>(
                lower::PluginDevice::add(self, checked_device(self, device), type, memory_limit));
          },
          "device"_a, "type"_a, "memory_limit"_a = 0,
          "Adds a device to the table of devices; returns its row.")
      .def("compile", [](Client& self, const std::string& program, nb::handle specs) {
        return Program{&self, self.compile(program, to_specs(specs))};
      });
  nb::class_<Program>(pjrt, "Program")
      .def("run", run_program, "arguments"_a, "device"_a = 0, "donated"_a = std::vector<bool>())
      .def("serialized", [](const Program& self) {
        const std::string bytes = self.executable->serialized();
        return nb::bytes(bytes.data(), bytes.size());
      });
  pjrt.def(
      "load",
      [](const std::string& path, nb::dict options) -> Client& {
        return Client::load(path, to_options(options));
      },
      "path"_a, "options"_a = nb::dict(), nb::rv_policy::reference,
      "The client of a plugin, which the first call loads.");
}

}  // namespace ef::py
