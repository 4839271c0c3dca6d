// Attention that a program writes in steps, softmax(queries * keysᵀ * scale + mask) * values.
//
// Scores and weights wait (lazy::Whole in eager/pending.h). The product of weights that nobody has
// asked for and values runs as one (kernels/cpu/attention.h), without them in memory. The weights
// wait on, and are computed step by step if somebody asks for them after all.
#pragma once

#include <span>

#include "ops/attrs.h"
#include "tensor/tensor_list.h"
#include "tensor/tensor_spec.h"

namespace ef {

// Scores, or their softmax, that wait; empty if the result of this call has to be computed now.
Tensor make_part_of_attention(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs,
                              const TensorSpec& spec);

// Computes the product of weights that wait and values. False, with nothing done, if it is none, or
// has to run step by step.
bool run_attention(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs,
                   TensorList& outputs);

}  // namespace ef
