// A table that maps keys to rows of values.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/key_index.h"
#include "tensor/tensor.h"

namespace ef::data {

class Table {
 public:
  // Values have the shape `row`. Keys are strings, booleans or real numbers.
  Table(DType key, DType value, const Shape& row);

  int64_t size() const;
  // The values of keys. Absent keys get `defaults`: one value for all, or one for each key.
  Tensor find(const Tensor& keys, const Tensor& defaults) const;
  // Whether each key is present.
  Tensor contains(const Tensor& keys) const;
  // Sets values. With `same`, a key must not have another value already: returns the index of the
  // first key that has, else -1.
  int64_t insert(const Tensor& keys, const Tensor& values, bool same);
  void remove(const Tensor& keys);
  // All keys and their values, in the same order.
  Tensor keys() const;
  Tensor values() const;

 private:
  template <class Body>
  void with_keys(const Tensor& keys, const Body& body) const;
  void check_keys(const Tensor& keys) const;
  void copy_rows(std::span<const int64_t> rows, const Tensor& defaults, int64_t step, int64_t first,
                 const Tensor& out) const;
  void put(int64_t row, const Tensor& values, int64_t from);
  bool holds(int64_t row, const Tensor& values, int64_t from) const;

  DType key_;
  DType value_;
  Shape row_;
  int64_t inner_;
  size_t row_bytes_;
  KeyIndex<uint64_t> integers_;
  KeyIndex<std::string_view, std::string> texts_;
  std::vector<char, PoolAllocator<char>> bytes_;  // values of other dtypes than strings
  std::vector<std::string> strings_;              // strings
};

}  // namespace ef::data
