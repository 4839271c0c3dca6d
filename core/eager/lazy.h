// Lazy results: they are computed on first access.
//
// A bias is nearly always followed by an activation. Its sum is lazy, so that the activation's
// kernel can compute both in one pass over memory; any other access to the sum's memory computes
// it. Only operations that cannot fail after inference are lazy.
#pragma once

#include <optional>
#include <span>

#include "ops/attrs.h"
#include "ops/op.h"

namespace ef {

struct LazyCall {
  const Op* op = nullptr;
  TensorList inputs;
  SavedAttrs attrs;
};

// The tensor of the only result of a pending call.
Tensor make_lazy(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs,
                 const TensorSpec& spec);

// The pending call of `tensor`, if there is one.
std::optional<LazyCall> lazy_call(const Tensor& tensor);

}  // namespace ef
