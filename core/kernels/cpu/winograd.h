// Float convolutions of 3×3 filters with fewer multiplications.
#pragma once

#include "kernels/cpu/float_convolution.h"

namespace ef::cpu {

// Whether the transforms cost less than the multiplications that they save.
bool suits_winograd(const Convolution& c);

// Writes the operand that `c.pass` names and reads the others.
void convolve_by_winograd(const Convolution& c, const float* image, const float* filter,
                          const float* result);

}  // namespace ef::cpu
