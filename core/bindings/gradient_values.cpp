// Gradients as Python objects, and backward steps written in Python.
#include "bindings/gradient_values.h"

#include <span>
#include <utility>
#include <vector>

#include "bindings/convert.h"
#include "bindings/errors.h"
#include "bindings/gil.h"
#include "bindings/items.h"
#include "bindings/py_tensor.h"

namespace ef::py {
namespace {

PyObject* indexed_slices_class = nullptr;

// A tensor, an IndexedSlices, or None, as a gradient.
Gradient unwrap_gradient(PyObject* object) {
  Gradient gradient;
  if (object == Py_None) return gradient;
  if (indexed_slices_class && PyObject_IsInstance(object, indexed_slices_class) == 1) {
    const PyRef values = checked(PyObject_GetAttrString(object, "values"));
    const PyRef indices = checked(PyObject_GetAttrString(object, "indices"));
    const PyRef shape = checked(PyObject_GetAttrString(object, "dense_shape"));
    gradient.values = to_tensor(values.get());
    gradient.indices = to_tensor(indices.get());
    for (int64_t dim : to_ints(shape.get(), "dense_shape")) gradient.dense_shape.push_back(dim);
    if (gradient.dense_shape.rank() == 0) {
      invalid_argument("The IndexedSlices that a backward step returned are of a scalar's shape.");
    }
    return gradient;
  }
  gradient.values = to_tensor(object);
  return gradient;
}

// A backward step written in Python.
class PythonBackward final : public BackwardFunction {
 public:
  explicit PythonBackward(PyObject* function) : function_(PyRef::share(function)) {}
  ~PythonBackward() override {
    // The last tapes may be destroyed after Python has shut down.
    if (!Py_IsInitialized()) {
      function_.release();
      return;
    }
    const Locked locked;
    function_ = PyRef();
  }

  std::vector<Gradient> run(std::span<const Tensor> dy, std::span<const char>) override {
    const PyRef list = checked(PyList_New(static_cast<Py_ssize_t>(dy.size())));
    for (size_t i = 0; i < dy.size(); ++i) {
      PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i),
                      checked(wrap(Tensor(dy[i]))).release());
    }
    const PyRef result = checked(PyObject_CallOneArg(function_.get(), list.get()));
    const PyRef items = checked(PySequence_Fast(result.get(), "a backward step returns a list"));
    std::vector<Gradient> gradients;
    for (PyObject* item : Items(items)) gradients.push_back(unwrap_gradient(item));
    return gradients;
  }

 private:
  PyRef function_;
};

}  // namespace

void register_indexed_slices(PyObject* cls) {
  Py_INCREF(cls);
  Py_XSETREF(indexed_slices_class, cls);
}

PyRef wrap_gradient(Gradient&& gradient) {
  if (!gradient) return PyRef::share(Py_None);
  if (!gradient.sparse()) return checked(wrap(std::move(gradient.values)));
  if (!indexed_slices_class) fail(Code::kRuntimeError, "eagerflow is not fully imported.");
  Tensor shape = Tensor::empty(DType::kInt32, {gradient.dense_shape.rank()});
  for (int i = 0; i < gradient.dense_shape.rank(); ++i) {
    shape.mutable_data<int32_t>()[i] = static_cast<int32_t>(gradient.dense_shape[i]);
  }
  const PyRef values = checked(wrap(std::move(gradient.values)));
  const PyRef indices = checked(wrap(std::move(gradient.indices)));
  const PyRef dense_shape = checked(wrap(std::move(shape)));
  return checked(PyObject_CallFunctionObjArgs(indexed_slices_class, values.get(), indices.get(),
                                              dense_shape.get(), nullptr));
}

std::shared_ptr<BackwardFunction> python_backward(PyObject* function) {
  return std::make_shared<PythonBackward>(function);
}

}  // namespace ef::py
