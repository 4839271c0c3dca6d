// What `infer` functions say of shapes and attributes that are partly unknown.
//
// Where all is known, each of these costs a comparison.
#pragma once

#include "tensor/ints.h"
#include "tensor/shape.h"

namespace ef {

// The size that an attribute gives.
inline int64_t size_of(int64_t attribute) {
  return attribute == kUnknownInt ? kUnknownSize : attribute;
}

// The sum of sizes, either of which may be unknown.
inline int64_t size_sum(int64_t a, int64_t b) { return a < 0 || b < 0 ? kUnknownSize : a + b; }

inline bool may_have_rank(const Shape& shape, int rank) {
  return shape.rank() == rank || !shape.ranked();
}
inline bool may_have_rank_from(const Shape& shape, int least) {
  return shape.rank() >= least || !shape.ranked();
}
// Whether the shape may begin with the sizes of `prefix`.
bool may_start_with(const Shape& shape, const Shape& prefix);

// Whether two sizes are known and differ.
inline bool differ(int64_t a, int64_t b) { return a != b && a >= 0 && b >= 0; }

// An axis in [-rank, rank) as one in [0, rank), or -1 if it is unknown or counts from the end of a
// shape of unknown rank. `more` is how many axes the shape gets before the axis is chosen. Throws
// InvalidArgument, naming `op`.
int known_axis(int64_t axis, const Shape& shape, const char* op, int more = 0);

// The shape that a list gives, which may be unknown, or in parts. Negative sizes and products that
// overflow are errors.
Shape shape_of(const Ints& sizes, const char* op);

// Refuses a shape of too many elements.
void check_size(const Shape& shape, const char* op);

// What is known of the parameter's shape without its first `count` axes, behind `leading`.
Shape followed_by(Shape leading, const Shape& shape, int count);

}  // namespace ef
