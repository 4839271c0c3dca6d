// Shape arithmetic: broadcasting, strides, checks of sizes and axes.
#include "tensor/shape.h"

#include <algorithm>
#include <ostream>

#include "tensor/error.h"

namespace ef {

void Shape::refuse_rank(int64_t rank) {
  invalid_argument("Tensors have at most ", kMaxRank, " dimensions, but ", rank,
                   " were asked for.");
}

void Shape::relocate(int rank) {
  if (rank > kInlineRank) {
    auto* const heap = new int64_t[kMaxRank];
    std::copy_n(inline_, rank_, heap);
    heap_ = heap;
  } else {
    int64_t* const heap = heap_;
    std::copy_n(heap, rank, inline_);
    delete[] heap;
  }
}

void Shape::insert(int axis, int64_t dim) {
  push_back(dim);
  int64_t* const dims = data();
  std::rotate(dims + axis, dims + rank_ - 1, dims + rank_);
}

void Shape::erase(int axis) {
  int64_t* const dims = data();
  std::copy(dims + axis + 1, dims + rank_, dims + axis);
  set_rank(rank_ - 1);
}

std::string Shape::to_string() const {
  if (unranked_) return "<unknown>";
  std::string text = "[";
  for (int i = 0; i < rank_; ++i) {
    const int64_t dim = (*this)[i];
    if (i) text += ",";
    text += dim < 0 ? "?" : std::to_string(dim);
  }
  return text + "]";
}

std::ostream& operator<<(std::ostream& stream, const Shape& shape) {
  return stream << shape.to_string();
}

Shape strides_of(const Shape& shape) {
  Shape strides = shape;
  uint64_t stride = 1;  // which may overflow if there are no elements
  for (int i = shape.rank() - 1; i >= 0; --i) {
    strides[i] = static_cast<int64_t>(stride);
    stride *= static_cast<uint64_t>(shape[i]);
  }
  return strides;
}

bool compatible(const Shape& a, const Shape& b) {
  if (!a.ranked() || !b.ranked()) return true;
  if (a.rank() != b.rank()) return false;
  for (int i = 0; i < a.rank(); ++i) {
    if (!compatible(a[i], b[i])) return false;
  }
  return true;
}

Shape merged(const Shape& a, const Shape& b) {
  if (!a.ranked()) return b;
  Shape result = a;
  for (int i = 0; b.ranked() && i < a.rank(); ++i) result[i] = merged(a[i], b[i]);
  return result;
}

Shape common(const Shape& a, const Shape& b) {
  if (!a.ranked() || !b.ranked() || a.rank() != b.rank()) return Shape::unranked();
  Shape result = a;
  for (int i = 0; i < a.rank(); ++i) {
    if (a[i] != b[i]) result[i] = kUnknownSize;
  }
  return result;
}

int64_t known_elements(const Shape& shape) {
  return shape.fully_known() ? shape.num_elements() : kUnknownSize;
}

bool broadcast_shapes(const Shape& a, const Shape& b, Shape* out) {
  if (!a.ranked() || !b.ranked()) [[unlikely]] {
    *out = Shape::unranked();
    return true;
  }
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  Shape result = longer;
  const int offset = longer.rank() - shorter.rank();
  for (int i = 0; i < shorter.rank(); ++i) {
    const int64_t dim = longer[offset + i];
    const int64_t other = shorter[i];
    if (dim == other || other == 1) continue;
    if (dim < 0 || other < 0) {
      const int64_t known = std::max(dim, other);
      result[offset + i] = known > 1 ? known : kUnknownSize;
      continue;
    }
    if (dim != 1) return false;
    result[offset + i] = other;
  }
  *out = result;
  return true;
}

[[gnu::hot]] int64_t checked_num_elements(std::span<const int64_t> dims, const char* op) {
  int64_t count = 1;
  bool empty = false;
  for (int64_t dim : dims) {
    if (dim < 0) {
      invalid_argument("Dimension ", dim, " must be >= 0 [Op:", op, "]");
    }
    empty |= dim == 0;
  }
  if (empty) return 0;
  for (int64_t dim : dims) {
    if (__builtin_mul_overflow(count, dim, &count)) {
      Shape shape;
      if (dims.size() <= kMaxRank) shape = Shape(dims);
      invalid_argument("Encountered overflow when multiplying the dimensions of shape ", shape,
                       " [Op:", op, "]");
    }
  }
  return count;
}

int normalize_axis(int64_t axis, int rank, const char* op) {
  if (axis < -rank || axis >= rank) {
    invalid_argument("Invalid axis: expected a value in the range [", -rank, ", ", rank,
                     ") for a tensor of rank ", rank, ", but got ", axis, " [Op:", op, "]");
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

}  // namespace ef
