// Reads or writes bytes and computes their checksum in one pass without the GIL, for checkpoints.
#include "bindings/files.h"

#include <cerrno>
#include <span>
#include <system_error>
#include <utility>

#include "bindings/convert.h"
#include "bindings/errors.h"
#include "bindings/gil.h"
#include "bindings/py_tensor.h"
#include "files/checked_io.h"
#include "tensor/error.h"
#include "tensor/tensor_spec.h"

namespace nb = nanobind;

namespace ef::py {
namespace {

// Calls `body` without the GIL; errors of the system become OSError.
template <class Body>
auto unlocked(const Body& body) {
  try {
    const Unlocked unlocked;
    return body();
  } catch (const std::system_error& error) {
    errno = error.code().value();
    PyErr_SetFromErrno(PyExc_OSError);
  }
  throw PythonError();
}

uint32_t write_checked(int file, int64_t offset, nb::handle data) {
  Py_buffer view;
  if (PyObject_GetBuffer(data.ptr(), &view, PyBUF_SIMPLE) < 0) throw nb::python_error();
  struct Release {
    Py_buffer* view;
    ~Release() { PyBuffer_Release(view); }
  } const release{&view};
  return unlocked(
      [&] { return ef::write_checked(file, offset, view.buf, static_cast<size_t>(view.len)); });
}

TensorSpec spec_of(nb::handle dtype, nb::handle shape) {
  TensorSpec spec;
  spec.dtype = to_dtype(dtype.ptr());
  const Ints sizes = to_ints(shape.ptr(), "shape");
  spec.shape = Shape(std::span<const int64_t>(sizes.begin(), sizes.size()));
  if (spec.dtype == DType::kString) fail(Code::kInvalidArgument, "Strings have no fixed size.");
  return spec;
}

nb::tuple result(Tensor&& tensor, uint32_t sum) {
  return nb::make_tuple(nb::steal(wrap(std::move(tensor))), sum);
}

nb::tuple read_checked(int file, int64_t offset, nb::handle dtype, nb::handle shape) {
  const TensorSpec spec = spec_of(dtype, shape);
  uint32_t sum = 0;
  Tensor tensor = unlocked([&] {
    Tensor fresh = Tensor::empty(spec.dtype, spec.shape);
    sum = ef::read_checked(file, offset, fresh.mutable_raw_data(),
                           static_cast<size_t>(fresh.bytes()));
    return fresh;
  });
  return result(std::move(tensor), sum);
}

}  // namespace

void add_files(nb::module_& module) {
  module.def("write_checked", write_checked, nb::arg("file"), nb::arg("offset"), nb::arg("data"),
             "Writes bytes at a position of an open file; returns their CRC-32C.");
  module.def("read_checked", read_checked, nb::arg("file"), nb::arg("offset"), nb::arg("dtype"),
             nb::arg("shape"),
             "A tensor from a position of an open file, and the CRC-32C of its bytes.");
}

}  // namespace ef::py
