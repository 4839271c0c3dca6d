// Lists of integers: axes, sizes, strides.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

#include "tensor/inline_vector.h"
#include "tensor/shape.h"

namespace ef {

// Few lists are longer than six: the paddings of four axes are.
class Ints : public InlineVector<int64_t, 6> {
 public:
  constexpr Ints() {}
  Ints(std::initializer_list<int64_t> values) : InlineVector(values) {}
  Ints(std::span<const int64_t> values) : InlineVector(values) {}
  Ints(const Shape& shape) : InlineVector(shape.dims()) {}
};

}  // namespace ef
