// Tensor shapes: up to kMaxRank dimensions, few of them stored inline.
//
// The shape of a symbolic tensor may be partial: some sizes are unknown, or even the rank is. Those
// of tensors that have a value never are.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <string>

namespace ef {

inline constexpr int kMaxRank = 254;
// Shapes of more dimensions than this are on the heap.
inline constexpr int kInlineRank = 12;
// The largest number of dimensions above 1 of a tensor with elements: it has fewer than 2^63.
inline constexpr int kMaxLongAxes = 63;
// A size that is not known.
inline constexpr int64_t kUnknownSize = -1;

class Shape {
 public:
  constexpr Shape() = default;
  Shape(std::initializer_list<int64_t> dims) : Shape(std::span(dims.begin(), dims.size())) {}
  explicit Shape(std::span<const int64_t> dims) {
    check_rank(static_cast<int64_t>(dims.size()));
    set_rank(static_cast<int>(dims.size()));
    int64_t* to = data();
    for (int64_t dim : dims) *to++ = dim;
  }
  // A shape of unknown rank; rank() is 0.
  static Shape unranked() {
    Shape shape;
    shape.unranked_ = true;
    return shape;
  }
  // Of this rank, with unknown sizes.
  static Shape of_rank(int rank) {
    Shape shape;
    for (int i = 0; i < rank; ++i) shape.push_back(kUnknownSize);
    return shape;
  }
  // Only the dimensions in use are copied: most shapes have two to four of them.
  Shape(const Shape& other) { copy(other); }
  Shape& operator=(const Shape& other) {
    if (this != &other) copy(other);
    return *this;
  }
  constexpr ~Shape() {
    if (!is_inline()) [[unlikely]]
      delete[] heap_;
  }

  int rank() const { return rank_; }
  bool ranked() const { return !unranked_; }
  // Whether the rank and all sizes are known.
  bool fully_known() const {
    if (unranked_) return false;
    for (int64_t dim : dims()) {
      if (dim < 0) return false;
    }
    return true;
  }
  int64_t operator[](int axis) const { return data()[axis]; }
  int64_t& operator[](int axis) { return data()[axis]; }
  // Counts from the end: back(0) is the last dimension.
  int64_t back(int from_end = 0) const { return data()[rank_ - 1 - from_end]; }
  const int64_t* data() const { return is_inline() ? inline_ : heap_; }
  int64_t* data() { return is_inline() ? inline_ : heap_; }
  const int64_t* begin() const { return data(); }
  const int64_t* end() const { return data() + rank_; }
  std::span<const int64_t> dims() const { return {data(), static_cast<size_t>(rank_)}; }

  void push_back(int64_t dim) {
    check_rank(rank_ + 1);
    set_rank(rank_ + 1);
    data()[rank_ - 1] = dim;
  }
  void insert(int axis, int64_t dim);
  void erase(int axis);

  // Of a shape that is fully known. If a dimension is 0, the product of others may overflow.
  int64_t num_elements() const {
    uint64_t count = 1;
    for (int64_t dim : dims()) count *= static_cast<uint64_t>(dim);
    return static_cast<int64_t>(count);
  }

  friend bool operator==(const Shape& a, const Shape& b) {
    if (a.rank_ != b.rank_ || a.unranked_ != b.unranked_) return false;
    const int64_t* const x = a.data();
    const int64_t* const y = b.data();
    for (int i = 0; i < a.rank_; ++i) {
      if (x[i] != y[i]) return false;
    }
    return true;
  }

  // "[2,3]", as TensorFlow's messages show shapes; "[?,3]" and "<unknown>" where they are partial.
  std::string to_string() const;

 private:
  static void check_rank(int64_t rank) {
    if (rank > kMaxRank) [[unlikely]]
      refuse_rank(rank);
  }
  [[noreturn]] static void refuse_rank(int64_t rank);

  constexpr bool is_inline() const { return rank_ <= kInlineRank; }
  // Keeps the dimensions that both ranks have; new ones are uninitialized.
  void set_rank(int rank) {
    if ((rank > kInlineRank) != !is_inline()) [[unlikely]]
      relocate(rank);
    rank_ = rank;
  }
  void relocate(int rank);
  void copy(const Shape& other) {
    set_rank(other.rank_);
    unranked_ = other.unranked_;
    const int64_t* const from = other.data();
    int64_t* const to = data();
    for (int i = 0; i < rank_; ++i) to[i] = from[i];
  }

  int rank_ = 0;
  bool unranked_ = false;
  union {
    int64_t inline_[kInlineRank];
    int64_t* heap_;  // room for kMaxRank
  };
};

std::ostream& operator<<(std::ostream& stream, const Shape& shape);

// Row-major strides, in elements.
Shape strides_of(const Shape& shape);

// Whether the sizes may be the same: they are, or one is unknown.
inline bool compatible(int64_t a, int64_t b) { return a == b || a < 0 || b < 0; }
// Whether the shapes may be the same.
bool compatible(const Shape& a, const Shape& b);
// What is known of a size, or shape, that is both; they must be compatible.
inline int64_t merged(int64_t a, int64_t b) { return a < 0 ? b : a; }
Shape merged(const Shape& a, const Shape& b);
// What is known of a shape that is one of the two.
Shape common(const Shape& a, const Shape& b);
// The number of elements of a partial shape, or kUnknownSize.
int64_t known_elements(const Shape& shape);

// The broadcast of two shapes by NumPy's rule; returns false if they do not match. An unknown size
// takes a known one above 1.
bool broadcast_shapes(const Shape& a, const Shape& b, Shape* out);

// Validates dimensions: negative sizes and products that overflow are errors.
// `op` names the operation in the message.
int64_t checked_num_elements(std::span<const int64_t> dims, const char* op);

// An axis in [-rank, rank) as one in [0, rank); otherwise throws InvalidArgument naming `op`.
int normalize_axis(int64_t axis, int rank, const char* op);

}  // namespace ef
