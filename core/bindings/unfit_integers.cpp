// Calls with integers that do not fit a dtype. They are rare, so NumPy compares the integers.
#include "bindings/unfit_integers.h"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include "bindings/convert.h"
#include "bindings/errors.h"
#include "bindings/numpy_interop.h"
#include "bindings/py_ref.h"
#include "bindings/py_tensor.h"
#include "bindings/py_variable.h"
#include "eager/dispatch.h"
#include "kernels/cpu/typed.h"
#include "ops/compose.h"
#include "ops/elementwise.h"

namespace ef::py {
namespace {

PyRef call_python(const char* function, PyObject* value, DType dtype) {
  const PyRef module = checked(PyImport_ImportModule("eagerflow.framework.unfit_integers"));
  const PyRef type = checked(dtype_object(dtype));
  return checked(PyObject_CallMethod(module, function, "OO", value, type.get()));
}

template <class Body>
void on_integer_type(DType dtype, const Body& body) {
  cpu::on_real_type(dtype, [&]<class T>(T) {
    if constexpr (std::is_integral_v<T>) body(T{});
  });
}

bool is_tensor_like(PyObject* value) { return is_tensor(value) || is_variable(value); }

// The dtype of the inputs of a call.
DType common_dtype(PyObject* const* values, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (is_tensor(values[i])) return tensor_of(values[i]).dtype();
    if (is_variable(values[i])) return variable_dtype(values[i]);
  }
  return to_tensor(values[0]).dtype();
}

bool is_comparison(const Op& op) {
  return &op == &ops::equal || &op == &ops::not_equal || &op == &ops::less ||
         &op == &ops::less_equal || &op == &ops::greater || &op == &ops::greater_equal;
}

bool is_extreme(const Op& op) { return &op == &ops::maximum || &op == &ops::minimum; }

Tensor either(const Tensor& a, const Tensor& b) { return call(ops::logical_or, {a, b}); }

// An integer out of range is replaced by a limit of the dtype if it then has no effect. Otherwise
// it would be the result, and wraps.
Tensor limit_of(const Op& op, PyObject* value, DType dtype) {
  const Saturated limit = saturated(value, dtype);
  if (&op == &ops::clip_by_value) return limit.values;
  const Tensor& lost = &op == &ops::maximum ? limit.above : limit.below;
  const auto* const first = lost.data<bool>();
  if (std::none_of(first, first + lost.size(), [](bool is) { return is; })) return limit.values;
  return ef::select(lost, to_tensor(value, dtype), limit.values);
}

}  // namespace

bool fits(PyObject* array, DType own, DType dtype) {
  bool result = true;
  on_integer_type(dtype, [&]<class To>(To) {
    on_integer_type(own, [&]<class From>(From) {
      using To_ = std::numeric_limits<To>;
      using From_ = std::numeric_limits<From>;
      if (std::in_range<To>(From_::min()) && std::in_range<To>(From_::max())) return;
      const From low =
          std::in_range<From>(To_::min()) ? static_cast<From>(To_::min()) : From_::min();
      const From high =
          std::in_range<From>(To_::max()) ? static_cast<From>(To_::max()) : From_::max();
      const Tensor integers = from_numpy(array, own);
      const From* const x = integers.data<From>();
      bool fit = true;
      for (int64_t i = 0; i < integers.size(); ++i) fit &= x[i] >= low && x[i] <= high;
      result = fit;
    });
  });
  return result;
}

void warn_of_wrapping(PyObject* value, DType dtype) { call_python("warn", value, dtype); }

Saturated saturated(PyObject* value, DType dtype) {
  const PyRef parts = call_python("saturated", value, dtype);
  const auto part = [&](Py_ssize_t i) { return to_tensor(PyTuple_GET_ITEM(parts.get(), i)); };
  return {part(0), part(1), part(2)};
}

Tensor compared(const Op& op, const Tensor& result, const Saturated& integers, bool swapped) {
  const auto& [values, below, above] = integers;
  const Tensor unfit = either(below, above);
  const Tensor fitting = call(ops::logical_and, {result, call(ops::logical_not, {unfit})});
  if (&op == &ops::equal) return fitting;
  if (&op == &ops::not_equal) return either(fitting, unfit);
  const bool is_less = &op == &ops::less || &op == &ops::less_equal;
  return either(fitting, is_less != swapped ? above : below);
}

bool sees_values(const Op& op) {
  return is_comparison(op) || is_extreme(op) || &op == &ops::clip_by_value;
}

Tensor call_with_values(const Op& op, PyObject* const* values, size_t count) {
  const DType dtype = common_dtype(values, count);
  TensorList inputs;
  if (is_comparison(op)) {
    const bool swapped = is_tensor_like(values[1]);
    const Saturated integers = saturated(values[swapped ? 0 : 1], dtype);
    const Tensor other = to_tensor(values[swapped ? 1 : 0]);
    const Tensor result =
        swapped ? call(op, {integers.values, other}) : call(op, {other, integers.values});
    return compared(op, result, integers, swapped);
  }
  for (size_t i = 0; i < count; ++i) {
    PyObject* const value = values[i];
    inputs.push_back(is_tensor_like(value) ? to_tensor(value) : limit_of(op, value, dtype));
  }
  return call(op, inputs);
}

}  // namespace ef::py
