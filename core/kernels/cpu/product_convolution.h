// Float convolutions as matrix products.
#pragma once

#include "kernels/cpu/float_convolution.h"

namespace ef::cpu {

// Whether a matrix product does the work sooner than oneDNN's convolutions: where the pixels are
// the product's rows as they lie, or where there are so few that bringing the filter into another
// order would take long.
bool suits_product(const Convolution& c);

// The operand that `c.pass` names is written, the others are read.
void convolve_by_product(const Convolution& c, const float* image, const float* filter,
                         const float* result);

}  // namespace ef::cpu
