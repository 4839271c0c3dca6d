// Calculations with sizes and attributes that may be symbolic integers.
#include "ops/sizes.h"

#include "graph/symbolic_ints.h"
#include "kernels/cpu/reduction.h"
#include "ops/array.h"
#include "ops/compose.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/indexing.h"
#include "ops/partition.h"
#include "ops/reduction.h"

namespace ef {
namespace {

using graph::SymbolicInts;

bool any_symbolic(std::span<const int64_t> list) {
  return std::ranges::any_of(list, SymbolicInts::is_symbolic);
}

SymbolicInts& ints() { return *SymbolicInts::current(); }

Ints list_of(const Tensor& vector) { return {ints().add_list(vector)}; }

int64_t calculated(const Op& op, int64_t a, int64_t b) {
  return ints().add_scalar(call(op, {ints().scalar(a), ints().scalar(b)}));
}

Tensor part_of(const Ints& list, ops::StridedSliceAttrs slice) {
  return call(ops::strided_slice, {ints().vector(list)}, slice);
}

Tensor ones_like_vector(const Tensor& vector) {
  return call(ops::ones_like, {vector}, ops::LikeAttrs{});
}

// For each axis, 1 if a reduction removes it, else 0.
Tensor reduced_flags(const Tensor& sizes, const std::optional<Ints>& axis) {
  const Tensor ones = ones_like_vector(sizes);
  if (!axis) return ones;
  const Tensor rank = call(ops::reduce_sum, {ones}, ops::ReduceAttrs{});
  const Tensor axes = call(ops::floor_mod, {ints().vector(*axis), rank});
  return call(ops::tensor_scatter_nd_update, {call(ops::zeros_like, {sizes}, ops::LikeAttrs{}),
                                              reshape_to(axes, {-1, 1}), ones_like_vector(axes)});
}

bool reduces_unknown(const Shape& shape, const std::optional<Ints>& axis) {
  return !has_elements(shape.dims()) || (axis && any_symbolic(*axis));
}

}  // namespace

bool has_elements(std::span<const int64_t> list) {
  return list.size() != 1 || !SymbolicInts::is_symbolic(list[0]) || !ints().is_list(list[0]);
}

Shape sizes_of(const Tensor& tensor) {
  const Shape& shape = tensor.shape();
  SymbolicInts* const symbolic = shape.fully_known() ? nullptr : SymbolicInts::current();
  return symbolic ? symbolic->shape_of(tensor) : shape;
}

int64_t sum_of(int64_t a, int64_t b) {
  if (SymbolicInts::is_symbolic(a) || SymbolicInts::is_symbolic(b)) [[unlikely]]
    return calculated(ops::add, a, b);
  return a + b;
}

int64_t product_of(int64_t a, int64_t b) {
  if (a == 1) return b;
  if (b == 1) return a;
  if (SymbolicInts::is_symbolic(a) || SymbolicInts::is_symbolic(b)) [[unlikely]]
    return calculated(ops::multiply, a, b);
  return a * b;
}

int64_t quotient_of(int64_t a, int64_t b) {
  if (SymbolicInts::is_symbolic(a) || SymbolicInts::is_symbolic(b)) [[unlikely]]
    return calculated(ops::floor_div, a, b);
  return a / b;
}

int64_t largest_of(int64_t a, int64_t b) {
  if (SymbolicInts::is_symbolic(a) || SymbolicInts::is_symbolic(b)) [[unlikely]]
    return calculated(ops::maximum, a, b);
  return std::max(a, b);
}

int64_t element_count(const Shape& shape) {
  if (!any_symbolic(shape.dims())) [[likely]]
    return shape.num_elements();
  return ints().add_scalar(
      call(ops::reduce_prod, {ints().vector(shape.dims())}, ops::ReduceAttrs{}));
}

int64_t element_of(std::span<const int64_t> list, int64_t index) {
  if (SymbolicInts::is_symbolic(index)) [[unlikely]]
    return ints().add_scalar(
        call(ops::gather, {ints().vector(list), ints().scalar(index)}, ops::GatherAttrs{}));
  if (has_elements(list))
    return list[static_cast<size_t>(index < 0 ? index + static_cast<int64_t>(list.size()) : index)];
  return ints().add_scalar(part_of(list, {.begin = {index},
                                          .end = {index + 1},
                                          .strides = {1},
                                          .end_mask = index == -1,
                                          .shrink_axis_mask = 1}));
}

Ints sums_of(const Ints& a, const Ints& b) {
  if (!has_elements(a) || !has_elements(b)) {
    return list_of(call(ops::add, {ints().vector(a), ints().vector(b)}));
  }
  Ints sums = a;
  for (size_t i = 0; i < b.size(); ++i) sums[i] = sum_of(a[i], b[i]);
  return sums;
}

Ints ones_for(const Ints& list) {
  if (!has_elements(list)) return list_of(ones_like_vector(ints().vector(list)));
  Ints ones = list;
  for (int64_t& number : ones) number = 1;
  return ones;
}

Ints first_of(const Ints& list, int64_t count) {
  if (!has_elements(list) || SymbolicInts::is_symbolic(count)) {
    return list_of(part_of(list, {.begin = {0}, .end = {count}, .strides = {1}}));
  }
  Ints first = list;
  first.resize(static_cast<size_t>(count));
  return first;
}

Ints every_second(const Ints& list) {
  if (!has_elements(list)) {
    return list_of(part_of(list, {.begin = {0}, .end = {0}, .strides = {2}, .end_mask = 1}));
  }
  Ints second;
  for (size_t i = 0; i < list.size(); i += 2) second.push_back(list[i]);
  return second;
}

Ints inverse_permutation(const Ints& perm) {
  if (any_symbolic(perm)) return list_of(call(ops::invert_permutation, {ints().vector(perm)}));
  Ints inverse = perm;
  const auto rank = static_cast<int64_t>(perm.size());
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t axis = perm[static_cast<size_t>(i)];
    inverse[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = i;
  }
  return inverse;
}

Shape reduced_shape(const Shape& shape, const std::optional<Ints>& axis, bool keep,
                    const char* op) {
  bool reduced[kMaxRank];
  cpu::reduced_axes(axis, shape.rank(), reduced, op);
  Shape result;
  for (int i = 0; i < shape.rank(); ++i) {
    if (!reduced[i]) {
      result.push_back(shape[i]);
    } else if (keep) {
      result.push_back(1);
    }
  }
  return result;
}

Shape kept_shape(const Shape& shape, const std::optional<Ints>& axis, const char* op) {
  if (reduces_unknown(shape, axis)) [[unlikely]] {
    const Tensor sizes = ints().vector(shape.dims());
    const Tensor flags = reduced_flags(sizes, axis);
    return Shape(std::span<const int64_t>(
        list_of(call(ops::select, {cast_to(flags, DType::kBool), flags, sizes}))));
  }
  return reduced_shape(shape, axis, true, op);
}

Ints reduced_last(const Shape& shape, const std::optional<Ints>& axis, const char* op) {
  if (reduces_unknown(shape, axis)) {
    const Tensor flags = reduced_flags(ints().vector(shape.dims()), axis);
    return list_of(call(ops::argsort, {flags}, ops::SortAttrs{}));
  }
  bool reduced[kMaxRank];
  cpu::reduced_axes(axis, shape.rank(), reduced, op);
  Ints order;
  for (const bool last : {false, true}) {
    for (int i = 0; i < shape.rank(); ++i) {
      if (reduced[i] == last) order.push_back(i);
    }
  }
  return order;
}

Tensor scalar_of(DType dtype, int64_t number) {
  if (SymbolicInts::is_symbolic(number)) return cast_to(ints().scalar(number), dtype);
  return Tensor::scalar(dtype, static_cast<double>(number));
}

Tensor ratio_of(DType dtype, int64_t a, int64_t b) {
  if (!SymbolicInts::is_symbolic(a) && !SymbolicInts::is_symbolic(b)) {
    return Tensor::scalar(dtype, static_cast<double>(a) / static_cast<double>(b));
  }
  return cast_to(scalar_of(DType::kFloat64, a) / scalar_of(DType::kFloat64, b), dtype);
}

}  // namespace ef
