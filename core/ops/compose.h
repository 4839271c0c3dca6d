// Short spellings for calling operations from gradients and other C++ code.
#pragma once

#include "eager/dispatch.h"
#include "tensor/tensor.h"

namespace ef {

Tensor operator+(const Tensor& a, const Tensor& b);
Tensor operator-(const Tensor& a, const Tensor& b);
Tensor operator*(const Tensor& a, const Tensor& b);
Tensor operator/(const Tensor& a, const Tensor& b);
Tensor operator-(const Tensor& a);
// A number on either side converts to the tensor's dtype.
Tensor operator+(const Tensor& a, double b);
Tensor operator-(const Tensor& a, double b);
Tensor operator-(double a, const Tensor& b);
Tensor operator*(const Tensor& a, double b);
Tensor operator/(const Tensor& a, double b);
Tensor operator/(double a, const Tensor& b);

// A tensor of equal elements; tapes do not record `fill`.
Tensor fill(DType dtype, const Shape& shape, double value);
inline Tensor zeros(DType dtype, const Shape& shape) { return fill(dtype, shape, 0); }
inline Tensor ones(DType dtype, const Shape& shape) { return fill(dtype, shape, 1); }
// With the shape of a tensor, which may be symbolic.
Tensor zeros_like(const Tensor& t);
Tensor ones_like(const Tensor& t);

// The input itself if its shape or dtype already fits, else the operation's result.
Tensor reshape_to(const Tensor& t, const Shape& shape);
Tensor cast_to(const Tensor& t, DType dtype);
Tensor broadcast_to_shape(const Tensor& t, const Shape& shape);
// The complex conjugate; returns real tensors unchanged.
Tensor conjugate(const Tensor& t);

// Sums over given axes.
Tensor sum_over(const Tensor& t, std::span<const int64_t> axes, bool keepdims);
// Undoes a broadcast: sums `t` over the axes along which `shape` was stretched.
Tensor sum_to_shape(const Tensor& t, const Shape& shape);
Tensor permute(const Tensor& t, std::span<const int64_t> perm);
// where(condition, a, b) with broadcasting.
Tensor select(const Tensor& condition, const Tensor& a, const Tensor& b);

struct ExactSum {
  Tensor rounded;
  Tensor remainder;  // the rounding error
};

// sum + remainder + delta (or - delta), as operations, for devices and for graphs that become
// devices' programs. kernels/cpu/exact_sum.h computes the same in the host's memory.
ExactSum exact_sum(const Tensor& sum, const Tensor& remainder, const Tensor& delta, bool subtracts);

}  // namespace ef
