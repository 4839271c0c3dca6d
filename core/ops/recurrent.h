// Recurrent layers over whole sequences; their inputs are already projected.
#pragma once

#include "ops/activations.h"
#include "ops/attrs.h"

namespace ef::ops {

// Attributes of lstm and gru.
struct GatedRnnAttrs {
  Activation activation = Activation::kTanh;
  GateActivation recurrent_activation = GateActivation::kSigmoid;
};
struct SimpleRnnAttrs {
  Activation activation = Activation::kTanh;
};

// Inputs: projection [steps, batch, 4 units], h, c, kernel, mask [steps, batch] (may be absent).
// Outputs: states of all steps, last h, last c; for the gradient, cells and gates of all steps.
extern const Op lstm;
extern const Op lstm_grad;
// Inputs: projection [steps, batch, 3 units], h, kernel, bias, mask. Outputs: states of all steps,
// last state; gates.
extern const Op gru;
extern const Op gru_grad;
// Inputs: projection [steps, batch, units], h, kernel, mask. Outputs: states of all steps, last
// state.
extern const Op simple_rnn;
extern const Op simple_rnn_grad;

}  // namespace ef::ops
