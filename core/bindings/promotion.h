// Promotion of dtypes, which `experimental_enable_numpy_behavior` enables for the process.
//
// A weak tensor is the result of converting Python numbers: if it meets another tensor, the dtype
// of that one decides. Weakness is a property of the Python object, shown by its type, and not of
// the tensor in it: kernels, tapes and graphs do not know of it, and their results are ordinary
// tensors. Operators call this code for operands other than two ordinary tensors of one dtype.
// Functions that promote have another vectorcall (`function_object.cpp`), so that calls are not
// slower before promotion is enabled.
#pragma once

#include <Python.h>

#include <optional>

#include "bindings/py_tensor.h"

namespace ef::py {

// Enables promotion. `promote(a, b)` returns two operands as tensors of the promoted dtype, and
// whether the result is weak; None leaves them unchanged. `makes_weak(value)` returns whether the
// constant of a value is weak. `assigned(dtype, value, method)` returns the tensor for a variable's
// method, or None for values that are not numbers.
void set_promotion(PyObject* promote, PyObject* makes_weak, PyObject* assigned);

// Whether the constant of a value is weak.
bool makes_weak(PyObject* value);

// Disables promotion during its lifetime: functions whose operands are promoted call other
// functions.
class NoPromotion {
 public:
  NoPromotion() { ++depth_; }
  ~NoPromotion() { --depth_; }
  NoPromotion(const NoPromotion&) = delete;
  NoPromotion& operator=(const NoPromotion&) = delete;
  static bool active() { return depth_ > 0; }

 private:
  static constinit thread_local int depth_;
};

inline bool promotes_now() { return promotes && !NoPromotion::active(); }

struct Promoted {
  Tensor a;
  Tensor b;
  bool weak;
};

// Two operands, promoted; nothing if they stay unchanged. Throws.
std::optional<Promoted> promote(PyObject* a, PyObject* b);

// The tensor that a variable of a dtype is assigned; empty for values that are not numbers. Throws.
Tensor assigned_value(DType dtype, PyObject* value, const char* method);

// A result as a weak tensor, if weak tensors may have its dtype. Steals the reference.
PyObject* weaken(PyObject* result);

// The result of an operation on one operand: weak if the operand is weak. Steals the reference.
inline PyObject* like(PyObject* operand, PyObject* result) {
  return result && is_weak(operand) ? weaken(result) : result;
}

}  // namespace ef::py
