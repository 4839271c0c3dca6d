// Kernels that return shapes.
#include "kernels/cpu/shapes.h"

#include <algorithm>

namespace ef::cpu {

void shape(KernelContext& context) {
  const Shape& sizes = context.input(0).shape();
  const Tensor& output = context.output(0);
  if (output.dtype() == DType::kInt32) {
    std::transform(sizes.begin(), sizes.end(), output.mutable_data<int32_t>(),
                   [](int64_t size) { return static_cast<int32_t>(size); });
  } else {
    std::copy(sizes.begin(), sizes.end(), output.mutable_data<int64_t>());
  }
}

void same(KernelContext& context) { context.output(0) = context.input(0).alias(); }

}  // namespace ef::cpu
