// Short spellings for calling operations from C++.
#include "ops/compose.h"

#include "graph/graph.h"
#include "graph/symbolic_ints.h"
#include "kernels/cpu/fill.h"
#include "ops/array.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/reduction.h"

namespace ef {

Tensor operator+(const Tensor& a, const Tensor& b) { return call(ops::add, {a, b}); }
Tensor operator-(const Tensor& a, const Tensor& b) { return call(ops::subtract, {a, b}); }
Tensor operator*(const Tensor& a, const Tensor& b) { return call(ops::multiply, {a, b}); }
Tensor operator/(const Tensor& a, const Tensor& b) { return call(ops::real_divide, {a, b}); }
Tensor operator-(const Tensor& a) { return call(ops::negative, {a}); }
Tensor operator+(const Tensor& a, double b) { return a + Tensor::scalar(a.dtype(), b); }
Tensor operator-(const Tensor& a, double b) { return a - Tensor::scalar(a.dtype(), b); }
Tensor operator-(double a, const Tensor& b) { return Tensor::scalar(b.dtype(), a) - b; }
Tensor operator*(const Tensor& a, double b) { return a * Tensor::scalar(a.dtype(), b); }
Tensor operator/(const Tensor& a, double b) { return a / Tensor::scalar(a.dtype(), b); }
Tensor operator/(double a, const Tensor& b) { return Tensor::scalar(b.dtype(), a) / b; }

Tensor fill(DType dtype, const Shape& shape, double value) {
  if (dtype == DType::kVariant)
    return Tensor::empty(dtype, shape);  // an empty variant counts as zero
  if (graph::building()) {
    return call(ops::fill, {Tensor::scalar(dtype, value)}, ops::FillAttrs{.dims = Ints(shape)});
  }
  const Tensor result = Tensor::empty(dtype, shape);
  cpu::fill_constant(result, value);
  return result;
}

Tensor zeros_like(const Tensor& t) {
  return t.shape().fully_known() ? zeros(t.dtype(), t.shape())
                                 : call(ops::zeros_like, {t}, ops::LikeAttrs{});
}

Tensor ones_like(const Tensor& t) {
  return t.shape().fully_known() ? ones(t.dtype(), t.shape())
                                 : call(ops::ones_like, {t}, ops::LikeAttrs{});
}

Tensor reshape_to(const Tensor& t, const Shape& shape) {
  return t.shape() == shape ? t : call(ops::reshape, {t}, ops::ReshapeAttrs{.shape = shape});
}

Tensor cast_to(const Tensor& t, DType dtype) {
  return t.dtype() == dtype ? t : call(ops::cast, {t}, ops::CastAttrs{.dtype = dtype});
}

Tensor broadcast_to_shape(const Tensor& t, const Shape& shape) {
  return t.shape() == shape ? t
                            : call(ops::broadcast_to, {t}, ops::BroadcastToAttrs{.shape = shape});
}

Tensor conjugate(const Tensor& t) { return is_complex(t.dtype()) ? call(ops::conj, {t}) : t; }

Tensor sum_over(const Tensor& t, std::span<const int64_t> axes, bool keepdims) {
  return call(ops::reduce_sum, {t}, ops::ReduceAttrs{.axis = Ints(axes), .keepdims = keepdims});
}

Tensor sum_to_shape(const Tensor& t, const Shape& shape) {
  if (t.shape() == shape) return t;
  if (!t.shape().ranked() || !shape.fully_known()) {
    if (graph::SymbolicInts* const ints = graph::SymbolicInts::current()) {
      ints->defer_sum();
      return t;
    }
  }
  Ints added, stretched;
  const int extra = t.rank() - shape.rank();
  for (int i = 0; i < t.rank(); ++i) {
    if (i < extra) added.push_back(i);
    if (i >= extra && shape[i - extra] == 1 && t.dim(i) != 1) stretched.push_back(i);
  }
  if (!shape.fully_known()) {  // then it is known which axes were stretched
    const Tensor wide = stretched.empty() ? t : sum_over(t, stretched, true);
    return added.empty() ? wide : sum_over(wide, added, false);
  }
  for (const int64_t axis : stretched) added.push_back(axis);
  if (added.empty()) return reshape_to(t, shape);
  const Tensor sum = sum_over(t, added, false);
  // Programs look for the operation behind the sum as TensorFlow's graphs have it.
  const graph::Graph* const building = graph::building();
  const bool program = building && building->kind() == graph::Graph::Kind::kProgram;
  return program ? call(ops::reshape, {sum}, ops::ReshapeAttrs{.shape = shape})
                 : reshape_to(sum, shape);
}

Tensor permute(const Tensor& t, std::span<const int64_t> perm) {
  return call(ops::transpose, {t}, ops::TransposeAttrs{.perm = Ints(perm)});
}

Tensor select(const Tensor& condition, const Tensor& a, const Tensor& b) {
  return call(ops::select, {condition, a, b});
}

// The formula of kernels/cpu/exact_sum.simd.cpp as operations.
ExactSum exact_sum(const Tensor& sum, const Tensor& remainder, const Tensor& delta,
                   bool subtracts) {
  const Tensor change = subtracts ? -delta : delta;
  const Tensor total = sum + change;
  const Tensor added = total - sum;
  const Tensor lost = ((sum - (total - added)) + (change - added)) + remainder;
  const Tensor rounded = select(call(ops::is_finite, {total}), total + lost, total);
  const Tensor left = lost - (rounded - total);
  return {rounded, select(call(ops::is_finite, {rounded}), left, zeros_like(left))};
}

}  // namespace ef
