// Loss functions on logits, and half the squared norm.
#pragma once

#include "ops/attrs.h"

namespace ef::ops {

// Inputs: features, labels. Outputs: a loss per row, and its gradient with respect to the features.
extern const Op softmax_cross_entropy;
extern const Op sparse_softmax_cross_entropy;
// Inputs: labels, logits.
extern const Op sigmoid_cross_entropy;
extern const Op l2_loss;

}  // namespace ef::ops
