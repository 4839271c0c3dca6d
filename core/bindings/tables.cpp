// The class Table of eagerflow._core.
#include "bindings/tables.h"

#include <span>

#include "bindings/convert.h"
#include "bindings/errors.h"
#include "bindings/py_graph.h"
#include "data/table.h"

namespace nb = nanobind;

namespace ef::py {
namespace {}  // namespace

void add_tables(nb::module_& module) {
  nb::class_<data::Table>(module, "Table", "A hash table of keys and values.")
      .def("__init__",
           [](data::Table* self, nb::handle key, nb::handle value, nb::handle shape) {
             const Ints sizes = to_ints(shape.ptr(), "shape");
             new (self) data::Table(to_dtype(key.ptr()), to_dtype(value.ptr()),
                                    Shape(std::span<const int64_t>(sizes.begin(), sizes.size())));
           })
      .def("__len__", &data::Table::size)
      .def("find",
           [](const data::Table& self, nb::handle keys, nb::handle defaults) {
             return wrapped(self.find(to_tensor(keys.ptr()), to_tensor(defaults.ptr())));
           })
      .def("contains",
           [](const data::Table& self, nb::handle keys) {
             return wrapped(self.contains(to_tensor(keys.ptr())));
           })
      .def(
          "insert",
          [](data::Table& self, nb::handle keys, nb::handle values, bool same) {
            return self.insert(to_tensor(keys.ptr()), to_tensor(values.ptr()), same);
          },
          nb::arg("keys"), nb::arg("values"), nb::arg("same") = false)
      .def("remove", [](data::Table& self, nb::handle keys) { self.remove(to_tensor(keys.ptr())); })
      .def("items", [](const data::Table& self) {
        // Both are exported before Python objects are created, which may run Python code.
        Tensor keys = self.keys(), values = self.values();
        return nb::make_tuple(wrapped(keys), wrapped(values));
      });
}

}  // namespace ef::py
