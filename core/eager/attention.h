// Attention that a program writes in steps, softmax(queries * keysᵀ * scale + mask) * values.
//
// Scores and weights are deferred (lazy::DeferredPart in eager/pending.h). When deferred weights
// are multiplied by values, all steps run as one kernel (kernels/cpu/attention.h), which needs no
// memory for scores or weights. The weights stay deferred; a later reader computes them step by
// step.
#pragma once

#include <span>

#include "ops/attrs.h"
#include "tensor/tensor_list.h"
#include "tensor/tensor_spec.h"

namespace ef {

namespace cpu {
struct Attention;
}
namespace patterns {
template <class Value>
struct AttentionOperands;
}

// Deferred scores, or their deferred softmax; empty if the result has to be computed now.
Tensor make_part_of_attention(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs,
                              const TensorSpec& spec);

// Computes the product of deferred weights and values. Returns false, with nothing done, if the
// call is not such a product, or has to run step by step.
bool run_attention(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs,
                   TensorList& outputs);

// Sets the sizes and strides of `a`. Returns false if the operands do not fit together, or if
// single steps are faster. Computes no deferred values.
bool place_operands(const patterns::AttentionOperands<Tensor>& operands, cpu::Attention& a);

// Sets the scale and the pointers of a described attention. `floats` keeps the tensors behind the
// pointers, converted to float32. Returns false if only single steps support the scale or shift.
bool read_operands(const patterns::AttentionOperands<Tensor>& operands, cpu::Attention& a,
                   TensorList& floats);

// The elements as float32, computed now if they are deferred. `floats` keeps their tensor.
const float* as_floats(const Tensor& tensor, TensorList& floats);

}  // namespace ef
