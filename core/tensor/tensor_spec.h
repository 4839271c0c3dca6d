// The dtype and shape of a tensor.
#pragma once

#include "tensor/dtype.h"
#include "tensor/inline_vector.h"
#include "tensor/shape.h"

namespace ef {

struct TensorSpec {
  // Written out, so that constructing a spec does not clear the storage of the sizes.
  constexpr TensorSpec() {}
  TensorSpec(DType of, const Shape& sizes) : dtype(of), shape(sizes) {}

  DType dtype = DType::kInvalid;
  Shape shape;
};
using SpecList = InlineVector<TensorSpec, 2>;

}  // namespace ef
