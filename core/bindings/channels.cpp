// The class Channel of eagerflow._core.
#include "bindings/channels.h"

#include <nanobind/stl/string.h>

#include <string>

#include "bindings/convert.h"
#include "bindings/errors.h"
#include "bindings/gil.h"
#include "bindings/py_graph.h"
#include "bindings/py_tensor.h"
#include "distribute/channel.h"

namespace nb = nanobind;

namespace ef::py {
namespace {

using distribute::Channel;
using distribute::Entry;

template <class Function>
Function function_at(nb::handle address) {
  return reinterpret_cast<Function>(nb::cast<uintptr_t>(address));
}

distribute::Functions functions_of(nb::dict addresses) {
  using distribute::Functions;
  return {
      .all_reduce = function_at<decltype(Functions::all_reduce)>(addresses["MPI_Allreduce"]),
      .all_to_all = function_at<decltype(Functions::all_to_all)>(addresses["MPI_Alltoall"]),
      .all_gather = function_at<decltype(Functions::all_gather)>(addresses["MPI_Allgather"]),
      .all_gather_v = function_at<decltype(Functions::all_gather_v)>(addresses["MPI_Allgatherv"]),
      .begin_barrier = function_at<decltype(Functions::begin_barrier)>(addresses["MPI_Ibarrier"]),
      .test = function_at<decltype(Functions::test)>(addresses["MPI_Test"]),
      .error_string = function_at<decltype(Functions::error_string)>(addresses["MPI_Error_string"]),
  };
}

distribute::Names names_of(nb::dict types, nb::dict operations) {
  distribute::Names names;
  for (const auto& [name, handle] : types) {
    if (nb::cast<std::string>(name) == "byte") {
      names.byte = static_cast<intptr_t>(nb::cast<uintptr_t>(handle));
    } else {
      names.types[to_dtype(name.ptr())] = static_cast<intptr_t>(nb::cast<uintptr_t>(handle));
    }
  }
  for (const auto& [name, handle] : operations) {
    names.operations[nb::cast<std::string>(name)] =
        static_cast<intptr_t>(nb::cast<uintptr_t>(handle));
  }
  return names;
}

// The sums; None if the processes have not agreed on these tensors yet.
nb::object reduce(Channel& self, nb::handle values, const std::string& operation) {
  const TensorList tensors = to_tensors(values);
  const uint64_t signature = Channel::signature_of(tensors, operation);
  if (!self.agreed(signature)) return nb::none();
  TensorList sums;
  {
    const Unlocked unlocked;
    sums = self.reduce(tensors, operation, signature);
  }
  return wrapped_list(sums);
}

nb::object start(Channel& self, nb::handle values) {
  TensorList tensors = to_tensors(values);
  const uint64_t signature = Channel::signature_of(tensors, "SUM");
  if (!self.agreed(signature)) return nb::none();
  const Unlocked unlocked;
  const uint64_t ticket = self.start(std::move(tensors), signature);
  return nb::cast(ticket);
}

// The rows of all processes; None if the processes have not agreed on these tensors yet.
nb::object gather(Channel& self, nb::handle values) {
  const TensorList tensors = to_tensors(values);
  const uint64_t signature = Channel::signature_of_rows(tensors);
  if (!self.agreed(signature)) return nb::none();
  TensorList all;
  {
    const Unlocked unlocked;
    all = self.gather(tensors, signature);
  }
  return wrapped_list(all);
}

uint64_t agree_on_rows(Channel& self, nb::handle values) {
  const uint64_t signature = Channel::signature_of_rows(to_tensors(values));
  self.agree(signature);
  return signature;
}

nb::list wait(Channel& self, uint64_t ticket) {
  TensorList sums;
  {
    const Unlocked unlocked;
    sums = self.wait(ticket);
  }
  return wrapped_list(sums);
}

uint64_t agree(Channel& self, nb::handle values, const std::string& operation) {
  const uint64_t signature = Channel::signature_of(to_tensors(values), operation);
  self.agree(signature);
  return signature;
}

nb::tuple shown(const Entry& entry) {
  return nb::make_tuple(entry.number, entry.history, entry.signature, entry.bytes,
                        static_cast<double>(entry.begin) * 1e-9,
                        static_cast<double>(entry.end) * 1e-9);
}

nb::object find(const Channel& self, uint64_t number) {
  Entry entry;
  if (!self.find(number, entry)) return nb::none();
  return shown(entry);
}

}  // namespace

void add_channels(nb::module_& module) {
  nb::class_<Channel>(module, "Channel", "The reductions of one MPI communicator.")
      .def("__init__",
           [](Channel* self, nb::dict functions, nb::dict types, nb::dict operations,
              uintptr_t comm, int size) {
             new (self) Channel(functions_of(functions), names_of(types, operations),
                                static_cast<intptr_t>(comm), size);
           })
      .def("reduce", reduce, nb::arg("tensors"), nb::arg("operation"))
      .def("gather", gather, nb::arg("tensors"))
      .def("start", start, nb::arg("tensors"))
      .def("wait", wait, nb::arg("ticket"))
      .def("agree", agree, nb::arg("tensors"), nb::arg("operation"))
      .def("agree_on_rows", agree_on_rows, nb::arg("tensors"))
      .def("enter", &Channel::enter, nb::arg("signature"), nb::arg("bytes"))
      .def("leave", &Channel::leave)
      .def("last", [](const Channel& self) { return shown(self.last()); })
      .def("find", find, nb::arg("number"))
      .def("close", [](Channel& self) {
        const Unlocked unlocked;
        self.close();
      });
}

}  // namespace ef::py
