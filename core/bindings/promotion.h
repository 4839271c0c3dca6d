// Promotion of dtypes: what `experimental_enable_numpy_behavior` switches on for the process.
//
// A weak tensor is one that Python numbers were made into: where it meets another tensor, the
// other's dtype decides. Weakness belongs to the Python object, whose type says so, and not to the
// tensor in it: kernels, tapes and graphs know nothing of it, and what does not pass it on gives
// ordinary tensors. Operators come here for operands that are not two ordinary tensors of one
// dtype, and functions that promote are entered by another address (`function_object.cpp`), so that
// calls pay nothing before promotion is on.
#pragma once

#include <Python.h>

#include <optional>

#include "bindings/py_tensor.h"

namespace ef::py {

// Switches promotion on. `promote(a, b)` gives two operands as tensors of the dtype that they are
// promoted to, and whether the result is weak; None leaves them as they are. `makes_weak(value)`
// says whether the constant of a value is weak, and `assigned(dtype, value, method)` gives the
// tensor that a variable's method takes, or None for what is no number.
void set_promotion(PyObject* promote, PyObject* makes_weak, PyObject* assigned);

// Whether the constant of a value is weak.
bool makes_weak(PyObject* value);

// Functions whose operands have been promoted call others as they always do.
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

// Two operands, promoted; nothing if they are left as they are. Throws.
std::optional<Promoted> promote(PyObject* a, PyObject* b);

// What a variable of a dtype gets of a value; empty for what is no number. Throws.
Tensor assigned_value(DType dtype, PyObject* value, const char* method);

// A result as a weak tensor, if its dtype is one that weak tensors have. Takes over the reference.
PyObject* weaken(PyObject* result);

// The result of an operation on one operand: weak if that is weak. Takes over the reference.
inline PyObject* like(PyObject* operand, PyObject* result) {
  return result && is_weak(operand) ? weaken(result) : result;
}

}  // namespace ef::py
