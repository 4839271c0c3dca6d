// Observers that are Python functions.
#include "bindings/observers.h"

#include <algorithm>
#include <memory>

#include "bindings/errors.h"
#include "bindings/py_ref.h"
#include "bindings/py_tensor.h"
#include "eager/observer.h"
#include "graph/symbolic.h"
#include "kernels/cpu/finite.h"
#include "ops/op_facts.h"

namespace ef::py {
namespace {

// Whether an element of a floating or complex tensor is infinite or NaN.
bool has_nonfinite(const Tensor& tensor) {
  if (!kInexactTypes.contains(tensor.dtype()) || is_symbolic(tensor)) return false;
  tensor.impl()->settle();
  return cpu::has_nonfinite(tensor);
}

PyRef tuple_of(std::span<const Tensor> tensors) {
  PyRef tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(tensors.size())));
  for (size_t i = 0; i < tensors.size(); ++i) {
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i),
                     checked(wrap(Tensor(tensors[i]))).release());
  }
  return tuple;
}

class PythonObserver final : public Observer {
 public:
  PythonObserver(PyObject* function, bool bad_only)
      : function_(PyRef::share(function)), bad_only_(bad_only) {}

  void ran(const Op& op, std::span<const Tensor> inputs, AttrsRef,
           std::span<const Tensor> outputs) override {
    if (bad_only_ && std::ranges::none_of(outputs, has_nonfinite)) return;
    tell(tf_name(op), tuple_of(inputs).get(), tuple_of(outputs).get());
  }

  void tell(const char* name, PyObject* inputs, PyObject* outputs) {
    if (busy_) return;                 // the function itself runs operations
    const PyRef function = function_;  // it may remove itself
    busy_ = true;
    PyObject* result = PyObject_CallFunction(function.get(), "sOO", name, inputs, outputs);
    busy_ = false;
    if (!result) throw PythonError();
    Py_DECREF(result);
  }

  // Bound methods of one object are equal, but a new object at each access.
  bool is(PyObject* function) const {
    const int equal = PyObject_RichCompareBool(function_, function, Py_EQ);
    if (equal < 0) throw PythonError();
    return equal == 1;
  }
  bool bad_only() const { return bad_only_; }

 private:
  PyRef function_;
  bool bad_only_;
  bool busy_ = false;
};

}  // namespace

void add_observer(PyObject* function, bool bad_only) {
  observers.push_back(new PythonObserver(function, bad_only));
}

bool remove_observer(PyObject* function) {
  const std::vector<Observer*> list =
      observers;  // comparisons may run Python code, which may change the list
  for (Observer* observer : list) {
    const auto* python = dynamic_cast<PythonObserver*>(observer);
    // Not deleted: it may be running. There are few in a process.
    if (python && python->is(function)) return std::erase(observers, observer) > 0;
  }
  return false;
}

void observe_custom(const char* name, PyObject* inputs, PyObject* outputs) {
  const std::vector<Observer*> list = observers;
  for (Observer* observer : list) {
    auto* python = dynamic_cast<PythonObserver*>(observer);
    if (python && !python->bad_only()) python->tell(name, inputs, outputs);
  }
}

}  // namespace ef::py
