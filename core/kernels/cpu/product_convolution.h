// Convolutions as matrix products.
#pragma once

#include "kernels/cpu/float_convolution.h"

namespace ef::cpu {

// Whether the convolution can be computed as a matrix product.
bool is_product(const Convolution& c);

// Whether a matrix product is faster than oneDNN's convolutions: where the pixels already are the
// product's rows, or are so few that reordering the filter would dominate.
bool suits_product(const Convolution& c);

// Writes the operand that `c.pass` names and reads the others.
template <class T>
void convolve_by_product(const Convolution& c, const T* image, const T* filter, const T* result);

}  // namespace ef::cpu
