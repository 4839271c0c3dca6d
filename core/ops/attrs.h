// The attribute values of one call: numbers and lists in the order the op table declares them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "tensor/dtype.h"
#include "tensor/inline_vector.h"
#include "tensor/shape.h"

namespace ef {

// Values are appended in declaration order: Attrs().list(axes).flag(keepdims).
class Attrs {
 public:
  static constexpr int kMaxAttrs = 10;

  // Templates, so that on an Attrs being built these win over the readers of the same name.
  template <class T>
  Attrs& integer(T value) {
    return scalar(static_cast<int64_t>(value));
  }
  template <class T>
  Attrs& flag(T value) {
    return scalar(static_cast<bool>(value));
  }
  template <class T>
  Attrs& real(T value) {
    return scalar(std::bit_cast<int64_t>(static_cast<double>(value)));
  }
  Attrs& dtype(DType value) { return scalar(static_cast<int64_t>(value)); }
  Attrs& list(std::span<const int64_t> values) {
    begin(static_cast<int32_t>(values.size()));
    for (int64_t value : values) words_.push_back(value);
    return *this;
  }
  Attrs& list(std::initializer_list<int64_t> values) {
    return list(std::span(values.begin(), values.size()));
  }
  Attrs& list(const Shape& shape) { return list(shape.dims()); }
  // An absent optional value (Python's None).
  Attrs& none() {
    begin(-1);
    return *this;
  }

  friend bool operator==(const Attrs& a, const Attrs& b) {
    return a.count_ == b.count_ && std::equal(a.offset_, a.offset_ + a.count_, b.offset_) &&
           std::equal(a.length_, a.length_ + a.count_, b.length_) &&
           std::equal(a.words_.begin(), a.words_.end(), b.words_.begin(), b.words_.end());
  }

  int count() const { return count_; }
  bool is_none(int k) const { return length_[k] < 0; }
  int64_t integer(int k) const { return words_[offset_[k]]; }
  bool flag(int k) const { return words_[offset_[k]] != 0; }
  double real(int k) const { return std::bit_cast<double>(words_[offset_[k]]); }
  DType dtype(int k) const { return static_cast<DType>(words_[offset_[k]]); }
  std::span<const int64_t> list(int k) const {
    return {words_.data() + offset_[k], static_cast<size_t>(length_[k] < 0 ? 0 : length_[k])};
  }

 private:
  Attrs& scalar(int64_t value) {
    begin(1);
    words_.push_back(value);
    return *this;
  }
  void begin(int32_t length) {
    offset_[count_] = static_cast<int32_t>(words_.size());
    length_[count_] = length;
    ++count_;
  }

  int count_ = 0;
  int32_t offset_[kMaxAttrs];
  int32_t length_[kMaxAttrs];
  InlineVector<int64_t, 16> words_;
};

}  // namespace ef
