// Handles: scalars of dtype resource. Their value is a number, and their memory keeps a Python
// object alive. Graphs pass them on like other tensors; nodes that call Python look up the object.
#include "bindings/handles.h"

#include <cstdint>
#include <unordered_map>

#include "bindings/convert.h"
#include "bindings/errors.h"
#include "bindings/gil.h"
#include "bindings/py_ref.h"
#include "bindings/py_tensor.h"

namespace nb = nanobind;

namespace ef::py {
namespace {

struct Handle {
  int64_t number;
  PyObject* object;
};

// The objects by number while a tensor keeps them alive. Python's lock guards it.
std::unordered_map<int64_t, PyObject*>& objects() {
  static auto* const map = new std::unordered_map<int64_t, PyObject*>;  // outlives Python
  return *map;
}

void drop_handle(void* context) {
  auto* const handle = static_cast<Handle*>(context);
  // The last tensors may be destroyed after Python has shut down.
  if (Py_IsInitialized()) {
    const Locked locked;
    objects().erase(handle->number);
    Py_DECREF(handle->object);
  }
  delete handle;
}

nb::object object_of(nb::handle tensor) {
  const Tensor& handle = checked_tensor(tensor.ptr());
  if (handle.dtype() != DType::kResource || Py_TYPE(tensor.ptr()) == symbolic_type) {
    fail(Code::kTypeError, "A handle of an object is needed.");
  }
  const auto found = objects().find(*static_cast<const int64_t*>(handle.raw_data()));
  if (found == objects().end())
    fail(Code::kRuntimeError, "The object of this handle has been freed.");
  return nb::borrow(found->second);
}

}  // namespace

Tensor handle_of(PyObject* object) {
  static int64_t last = 0;
  auto* const handle = new Handle{++last, Py_NewRef(object)};
  objects()[handle->number] = handle->object;
  Buffer* const buffer =
      Buffer::adopt(&handle->number, sizeof(handle->number), drop_handle, handle);
  return Tensor(TensorImpl::create(DType::kResource, Shape{}, buffer, buffer->data()));
}

void add_handles(nb::module_& m) {
  const auto wrapped = [](nb::handle object) { return nb::steal(wrap(handle_of(object.ptr()))); };
  m.def("handle_of", wrapped, "A scalar that keeps an object alive and represents it in graphs.");
  m.def("object_of", object_of, "The object that a handle represents.");
}

}  // namespace ef::py
