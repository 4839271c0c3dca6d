// Shapes and attributes that are partly unknown.
#include "ops/partial.h"

#include <algorithm>

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

Shape shape_of(const Ints& sizes, const char* op) {
  if (sizes.is_unknown()) return Shape::unranked();
  Shape shape(sizes);
  bool known = true;
  for (int64_t& size : std::span(shape.data(), sizes.size())) {
    if (size != kUnknownInt) continue;
    size = kUnknownSize;
    known = false;
  }
  if (known) {
    checked_num_elements(sizes, op);
  } else {
    for (int64_t size : sizes) {
      if (size != kUnknownInt) checked_num_elements({&size, 1}, op);
    }
  }
  return shape;
}

void check_size(const Shape& shape, const char* op) {
  if (shape.fully_known()) checked_num_elements(shape.dims(), op);
}

Shape followed_by(Shape leading, const Shape& shape, int count) {
  if (!leading.ranked() || !shape.ranked()) return Shape::unranked();
  for (int i = count; i < shape.rank(); ++i) leading.push_back(shape[i]);
  return leading;
}

}  // namespace ef
