// Kernels that add a vector along the channels, and sum over everything else.
#pragma once

#include <optional>

#include "ops/op.h"

namespace ef::cpu {

void bias_add(KernelContext& context);

// A bias along the last axis that has not been added yet.
struct LazyBias {
  Tensor value;
  Tensor bias;
};
std::optional<LazyBias> lazy_bias(const Tensor& tensor);

void bias_add_grad(KernelContext& context);

}  // namespace ef::cpu
