// Calculations with sizes and attributes that may be symbolic integers (graph/symbolic_ints.h), as
// gradients see them that are recorded for unknown sizes. Usual integers cost a comparison.
#pragma once

#include <algorithm>
#include <optional>

#include "tensor/ints.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

namespace ef {

// Whether there is an integer for each element. Otherwise a single one represents all of them.
bool has_elements(std::span<const int64_t> list);
// The sizes of a tensor: symbolic ones if they are unknown.
Shape sizes_of(const Tensor& tensor);

int64_t sum_of(int64_t a, int64_t b);
int64_t product_of(int64_t a, int64_t b);
int64_t quotient_of(int64_t a, int64_t b);  // rounded down
int64_t largest_of(int64_t a, int64_t b);
int64_t element_count(const Shape& shape);
// A number or size by its index; negative indices count from the end.
int64_t element_of(std::span<const int64_t> list, int64_t index);

Ints sums_of(const Ints& a, const Ints& b);
// As many ones as another list has elements.
Ints ones_for(const Ints& list);
Ints first_of(const Ints& list, int64_t count);
// The elements at even indices.
Ints every_second(const Ints& list);
Ints inverse_permutation(const Ints& perm);

// The shape after a reduction along known axes, which `keep` keeps with size 1; all by default.
Shape reduced_shape(const Shape& shape, const std::optional<Ints>& axis, bool keep, const char* op);
// The same with kept axes, where sizes and axes may be symbolic.
Shape kept_shape(const Shape& shape, const std::optional<Ints>& axis, const char* op);
// The order of axes in which those that a reduction removes come last.
Ints reduced_last(const Shape& shape, const std::optional<Ints>& axis, const char* op);

// A scalar with the value of an integer.
Tensor scalar_of(DType dtype, int64_t number);
Tensor ratio_of(DType dtype, int64_t a, int64_t b);

}  // namespace ef
