// Arithmetic of shapes that may be partial.
#include "ops/partial_shapes.h"

#include <algorithm>

#include "tensor/error.h"

namespace ef {

bool may_start_with(const Shape& shape, const Shape& prefix) {
  if (!shape.ranked() || !prefix.ranked()) return true;
  if (prefix.rank() > shape.rank()) return false;
  for (int i = 0; i < prefix.rank(); ++i) {
    if (!compatible(prefix[i], shape[i])) return false;
  }
  return true;
}

int known_axis(int64_t axis, const Shape& shape, const char* op, int more) {
  if (axis == kUnknownInt) return -1;
  if (!shape.ranked()) return axis < 0 ? -1 : static_cast<int>(std::min<int64_t>(axis, kMaxRank));
  return normalize_axis(axis, shape.rank() + more, op);
}

Shape without_last(const Shape& shape, int dropped) {
  if (!shape.ranked()) return shape;
  return Shape(shape.dims().first(static_cast<size_t>(shape.rank() - dropped)));
}

Shape without_first(const Shape& shape, int dropped) {
  if (!shape.ranked()) return shape;
  return Shape(shape.dims().subspan(static_cast<size_t>(dropped)));
}

Shape joined(const Shape& a, const Shape& b) {
  if (!a.ranked() || !b.ranked()) return Shape::unranked();
  Shape shape = a;
  for (int64_t size : b) shape.push_back(size);
  return shape;
}

Shape square_matrices(const Shape& shape, const char* op) {
  if (!shape.ranked()) return shape;
  const int rank = shape.rank();
  if (rank < 2) {
    invalid_argument("Input tensor 0 must have rank >= 2, got ", rank, " [Op:", op, "]");
  }
  if (!compatible(shape.back(), shape.back(1))) {
    invalid_argument("Input matrix must be square, got shape ", shape, " [Op:", op, "]");
  }
  Shape square = shape;
  square[rank - 1] = square[rank - 2] = merged(shape.back(), shape.back(1));
  return square;
}

int64_t rows_of_splits(const Shape& splits, const char* op) {
  const bool vector = may_have_rank(splits, 1);
  const int64_t count = vector ? size_of(splits, 0) : 0;
  if (count == 0) {
    invalid_argument("row splits must be a vector of one number or more, got shape ", splits,
                     " [Op:", op, "]");
  }
  return count < 0 ? kUnknownSize : count - 1;
}

void check_elements(const Shape& shape, const char* op) {
  if (shape.fully_known()) checked_num_elements(shape.dims(), op);
}

Shape shape_of_sizes(const Ints& sizes, const char* op) {
  if (sizes.fully_known()) [[likely]] {
    checked_num_elements(sizes, op);
    return Shape(sizes);
  }
  if (sizes.is_unknown()) return Shape::unranked();
  Shape shape;
  for (int64_t size : sizes) {
    if (size != kUnknownInt) checked_num_elements({&size, 1}, op);
    shape.push_back(size_or_unknown(size));
  }
  return shape;
}

}  // namespace ef
