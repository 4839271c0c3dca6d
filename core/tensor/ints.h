// Lists of integers: axes, sizes, strides.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

#include "tensor/inline_vector.h"
#include "tensor/shape.h"

namespace ef {

// A number that is not known before a graph runs: a tensor of the graph gives it. Attributes of
// symbolic calls hold it.
inline constexpr int64_t kUnknownInt = INT64_MIN;

// A number that a program gives, apart from those that stand for unknown ones: no axis, size or
// index is so small.
inline int64_t as_known(int64_t number) { return number < INT64_MIN + 2 ? INT64_MIN + 2 : number; }

// Few lists are longer than six: the paddings of four axes are.
class Ints : public InlineVector<int64_t, 6> {
 public:
  constexpr Ints() {}
  Ints(std::initializer_list<int64_t> values) : InlineVector(values) {}
  Ints(std::span<const int64_t> values) : InlineVector(values) {}
  Ints(const Shape& shape) : InlineVector(shape.dims()) {}

  // A list of which not even the length is known.
  static Ints unknown() { return {kUnknownList}; }
  bool is_unknown() const { return size() == 1 && (*this)[0] == kUnknownList; }
  // Whether all numbers are known.
  bool fully_known() const {
    for (int64_t value : *this) {
      if (value <= kUnknownList) return false;
    }
    return true;
  }

 private:
  static constexpr int64_t kUnknownList = INT64_MIN + 1;
};

}  // namespace ef
