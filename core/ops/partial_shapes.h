// Functions of inference on shapes that may be partial. A check rejects only shapes that are wrong
// for all values of the unknown sizes.
#pragma once

#include "tensor/ints.h"
#include "tensor/shape.h"

namespace ef {

inline bool may_have_rank(const Shape& shape, int rank) {
  return shape.rank() == rank || !shape.ranked();
}
inline bool may_have_rank_from(const Shape& shape, int rank) {
  return shape.rank() >= rank || !shape.ranked();
}
// Whether it is known to be a scalar; `rank() == 0` also holds for an unknown rank.
inline bool is_scalar(const Shape& shape) { return shape.rank() == 0 && shape.ranked(); }

// Whether the shape may begin with the sizes of `prefix`.
bool may_start_with(const Shape& shape, const Shape& prefix);

// Whether they may be equal. Equal shapes cost only one comparison.
inline bool may_equal(const Shape& a, const Shape& b) { return a == b || compatible(a, b); }

// The shape; if its rank is unknown, a shape of this rank with unknown sizes.
inline Shape ranked_as(const Shape& shape, int rank) {
  return shape.ranked() ? shape : Shape::of_rank(rank);
}

// One size; kUnknownSize if there is no such axis, as in shapes of unknown rank.
inline int64_t size_of(const Shape& shape, int axis) {
  return axis < shape.rank() ? shape[axis] : kUnknownSize;
}
inline int64_t size_from_end(const Shape& shape, int from_end = 0) {
  return from_end < shape.rank() ? shape.back(from_end) : kUnknownSize;
}

// All axes but the last `dropped`; of unknown rank if the shape is.
Shape without_last(const Shape& shape, int dropped);
// The axes behind the first `dropped`; of unknown rank if the shape is.
Shape without_first(const Shape& shape, int dropped);
// The concatenation of shapes; of unknown rank if one is.
Shape joined(const Shape& a, const Shape& b);

// The shape of matrices that must be square: a known side makes both known. Throws
// InvalidArgument if they are not square.
Shape square_matrices(const Shape& shape, const char* op);

// The number of rows that a vector of row splits describes. Throws InvalidArgument for other
// shapes.
int64_t rows_of_splits(const Shape& splits, const char* op);

// An axis in [-rank, rank) as one in [0, rank), or -1 if it is unknown, or counts from the end of a
// shape of unknown rank. `more` axes are added to the shape first. Throws InvalidArgument, naming
// `op`.
int known_axis(int64_t axis, const Shape& shape, const char* op, int more = 0);

// The size from an attribute: kUnknownSize if the attribute is unknown.
inline int64_t size_or_unknown(int64_t size) { return size == kUnknownInt ? kUnknownSize : size; }
// The shape from a list of sizes, with unknown sizes for unknown entries. Throws InvalidArgument
// for negative sizes and for too many elements.
Shape shape_of_sizes(const Ints& sizes, const char* op);
// Throws InvalidArgument for a shape of too many elements.
void check_elements(const Shape& shape, const char* op);

// Sums and products of sizes, unknown if one is.
inline int64_t size_sum(int64_t a, int64_t b) { return a < 0 || b < 0 ? kUnknownSize : a + b; }
inline int64_t size_product(int64_t a, int64_t b) { return a < 0 || b < 0 ? kUnknownSize : a * b; }

}  // namespace ef
