// eagerflow.Tensor as a Python type, with one class for tensors that have values and one for
// tensors of graphs.
#pragma once

#include <Python.h>

#include <span>
#include <vector>

#include "ops/attrs.h"
#include "tensor/tensor.h"

namespace ef::py {

struct PyTensor {
  PyObject_HEAD Tensor tensor;
  PyObject* dict;
  PyObject* weakrefs;
};

extern PyTypeObject* eager_type;
extern PyTypeObject* symbolic_type;
// The class of weak tensors (bindings/promotion.h).
extern PyTypeObject* weak_eager_type;
extern PyTypeObject* weak_symbolic_type;
// Whether operations promote dtypes. Otherwise there are no weak tensors.
extern bool promotes;

// Whether it is one of the types of nearly all tensors; weak tensors have other types.
inline bool is_tensor_type(const PyTypeObject* type) {
  return type == eager_type || type == symbolic_type;
}
inline bool is_weak_type(const PyTypeObject* type) {
  return promotes && (type == weak_eager_type || type == weak_symbolic_type);
}
inline bool is_weak(PyObject* object) { return is_weak_type(Py_TYPE(object)); }
inline bool is_tensor(PyObject* object) {
  return is_tensor_type(Py_TYPE(object)) || is_weak(object);
}
inline const Tensor& tensor_of(PyObject* object) {
  return reinterpret_cast<PyTensor*>(object)->tensor;
}

// The tensor of an object; raises a TypeError for other objects.
const Tensor& checked_tensor(PyObject* object);

// A new Python object for `tensor`, or null with an exception set.
PyObject* wrap(Tensor&& tensor);

// The same for a weak tensor.
PyObject* wrap_weak(Tensor&& tensor);

// Handles without reference counting, for arguments that the caller's frame keeps alive.
class Borrowed {
 public:
  static constexpr int kMax = 10;
  void push(TensorImpl* impl) { impls_[count_++] = impl; }
  std::span<const Tensor> tensors() const {
    static_assert(sizeof(Tensor) == sizeof(TensorImpl*));
    return {reinterpret_cast<const Tensor*>(impls_), static_cast<size_t>(count_)};
  }

 private:
  int count_ = 0;
  TensorImpl* impls_[kMax];
};

// Runs an op with one result on tensors that the caller keeps alive. Throws.
PyObject* run_op(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs);

// Fills the number, comparison and mapping slots shared by tensors and variables.
extern PyNumberMethods operator_slots;
PyObject* rich_compare(PyObject* a, PyObject* b, int op);
// The hash of tensors that are compared by identity; others have none.
Py_hash_t hash_of_identity(PyObject* object);
// Whether all tensors and variables are, also those that have values.
void compare_by_identity(bool always);
bool all_compare_by_identity();
PyObject* subscript(PyObject* self, PyObject* key);
PyObject* item_at(PyObject* self, Py_ssize_t index);

// Classes that Python registers.
void register_shape_class(PyObject* cls);
PyObject* shape_object(const Shape& shape);  // a TensorShape; new reference

bool init_tensor_type(PyObject* module);

}  // namespace ef::py
