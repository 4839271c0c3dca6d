// Tensor shapes: up to kMaxRank dimensions, stored inline.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <string>

namespace ef {

inline constexpr int kMaxRank = 12;

class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<int64_t> dims) : Shape(std::span(dims.begin(), dims.size())) {}
  explicit Shape(std::span<const int64_t> dims) {
    check_rank(static_cast<int64_t>(dims.size()));
    for (int64_t dim : dims) dims_[rank_++] = dim;
  }
  // Only the dimensions in use are copied: most shapes have two to four of them.
  Shape(const Shape& other) : rank_(other.rank_) {
    for (int i = 0; i < rank_; ++i) dims_[i] = other.dims_[i];
  }
  Shape& operator=(const Shape& other) {
    rank_ = other.rank_;
    for (int i = 0; i < rank_; ++i) dims_[i] = other.dims_[i];
    return *this;
  }

  int rank() const { return rank_; }
  int64_t operator[](int axis) const { return dims_[axis]; }
  int64_t& operator[](int axis) { return dims_[axis]; }
  // Counts from the end: back(0) is the last dimension.
  int64_t back(int from_end = 0) const { return dims_[rank_ - 1 - from_end]; }
  const int64_t* begin() const { return dims_; }
  const int64_t* end() const { return dims_ + rank_; }
  std::span<const int64_t> dims() const { return {dims_, static_cast<size_t>(rank_)}; }

  void push_back(int64_t dim) {
    check_rank(rank_ + 1);
    dims_[rank_++] = dim;
  }
  void insert(int axis, int64_t dim);
  void erase(int axis);

  int64_t num_elements() const {
    int64_t count = 1;
    for (int i = 0; i < rank_; ++i) count *= dims_[i];
    return count;
  }

  friend bool operator==(const Shape& a, const Shape& b) {
    if (a.rank_ != b.rank_) return false;
    for (int i = 0; i < a.rank_; ++i) {
      if (a.dims_[i] != b.dims_[i]) return false;
    }
    return true;
  }

  // "[2,3]", as TensorFlow's messages show shapes.
  std::string to_string() const;

 private:
  static void check_rank(int64_t rank);  // throws InvalidArgument above kMaxRank

  int rank_ = 0;
  int64_t dims_[kMaxRank];
};

std::ostream& operator<<(std::ostream& stream, const Shape& shape);

// Row-major strides, in elements.
Shape strides_of(const Shape& shape);

// The broadcast of two shapes by NumPy's rule; returns false if they do not match.
bool broadcast_shapes(const Shape& a, const Shape& b, Shape* out);

// Validates dimensions given by a program: negative sizes and products that overflow are errors.
// `op` names the operation in the message.
int64_t checked_num_elements(std::span<const int64_t> dims, const char* op);

// An axis in [-rank, rank) as one in [0, rank); otherwise throws InvalidArgument naming `op`.
int normalize_axis(int64_t axis, int rank, const char* op);

}  // namespace ef
