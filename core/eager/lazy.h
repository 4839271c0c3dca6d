// Results that are computed when somebody first looks at them.
//
// A bias is nearly always followed by an activation. Its sum is lazy, so that the activation's
// kernel can form both in one pass over memory; whoever else asks for the sum's memory gets it
// computed then. Only operations that cannot fail any more, once inferred, are lazy.
#pragma once

#include <optional>
#include <span>

#include "ops/attrs.h"
#include "ops/op.h"

namespace ef {

struct LazyCall {
  const Op* op = nullptr;
  TensorList inputs;
  Attrs attrs;
};

// A tensor that stands for the only result of a call still to be made.
Tensor make_lazy(const Op& op, std::span<const Tensor> inputs, const Attrs& attrs,
                 const TensorSpec& spec);

// The call that `tensor` still stands for, if it has not been made.
std::optional<LazyCall> lazy_call(const Tensor& tensor);

}  // namespace ef
