// Small tensors for tests.
#pragma once

#include <vector>

#include "eager/dispatch.h"
#include "tensor/tensor.h"
#include "tests/check.h"

namespace ef::test {

template <class T>
Tensor tensor(const Shape& shape, const std::vector<T>& values) {
  Tensor result = Tensor::empty(kDTypeOf<T>, shape);
  for (size_t i = 0; i < values.size(); ++i) result.mutable_data<T>()[i] = values[i];
  return result;
}

template <class T>
Tensor vector(const std::vector<T>& values) {
  return tensor<T>({static_cast<int64_t>(values.size())}, values);
}

template <class T>
void check_values(const Tensor& result, const std::vector<T>& expected) {
  CHECK_EQUAL(result.dtype(), kDTypeOf<T>);
  CHECK_EQUAL(result.size(), static_cast<int64_t>(expected.size()));
  for (size_t i = 0; i < expected.size(); ++i) CHECK_EQUAL(result.data<T>()[i], expected[i]);
}

}  // namespace ef::test
