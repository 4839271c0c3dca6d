// Promotion of dtypes, by Python functions.
#include "bindings/promotion.h"

#include "bindings/convert.h"
#include "bindings/errors.h"
#include "bindings/py_ref.h"

namespace ef::py {
namespace {

PyObject* promoter = nullptr;
PyObject* weak_predicate = nullptr;
PyObject* assigner = nullptr;

constexpr DTypeSet kWeakTypes = {DType::kInt32, DType::kInt64, DType::kFloat32, DType::kFloat64,
                                 DType::kComplex128};

}  // namespace

constinit thread_local int NoPromotion::depth_ = 0;

void set_promotion(PyObject* promote, PyObject* makes_weak, PyObject* assigned) {
  Py_XSETREF(promoter, Py_NewRef(promote));
  Py_XSETREF(weak_predicate, Py_NewRef(makes_weak));
  Py_XSETREF(assigner, Py_NewRef(assigned));
  promotes = true;
}

bool makes_weak(PyObject* value) {
  return checked(PyObject_CallOneArg(weak_predicate, value)) == Py_True;
}

std::optional<Promoted> promote(PyObject* a, PyObject* b) {
  const PyRef found = checked(PyObject_CallFunctionObjArgs(promoter, a, b, nullptr));
  if (found == Py_None) return std::nullopt;
  if (!PyTuple_Check(found.get()) || PyTuple_GET_SIZE(found.get()) != 3) {
    fail(Code::kTypeError, "A promoter returns two tensors, and whether the result is weak.");
  }
  return Promoted{checked_tensor(PyTuple_GET_ITEM(found.get(), 0)),
                  checked_tensor(PyTuple_GET_ITEM(found.get(), 1)),
                  PyTuple_GET_ITEM(found.get(), 2) == Py_True};
}

Tensor assigned_value(DType dtype, PyObject* value, const char* method) {
  const PyRef type = checked(dtype_object(dtype)), name = checked(PyUnicode_FromString(method));
  const PyRef found =
      checked(PyObject_CallFunctionObjArgs(assigner, type.get(), value, name.get(), nullptr));
  return found == Py_None ? Tensor() : checked_tensor(found);
}

PyObject* weaken(PyObject* result) {
  if (!is_tensor_type(Py_TYPE(result)) || !kWeakTypes.contains(tensor_of(result).dtype())) {
    return result;
  }
  PyObject* const weak = wrap_weak(Tensor(tensor_of(result)));
  Py_DECREF(result);
  return weak;
}

}  // namespace ef::py
