// Float convolutions of 3×3 filters with fewer multiplications.
#pragma once

#include "kernels/cpu/float_convolution.h"

namespace ef::cpu {

// Whether the transforms cost less than the multiplications that they save.
bool suits_winograd(const Convolution& c);

// The operand that `c.pass` names is written, the others are read.
void convolve_by_winograd(const Convolution& c, const float* image, const float* filter,
                          const float* result);

}  // namespace ef::cpu
