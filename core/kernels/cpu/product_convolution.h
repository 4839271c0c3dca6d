// Convolutions as matrix products.
#pragma once

#include "kernels/cpu/float_convolution.h"

namespace ef::cpu {

// Whether the convolution can be computed as a product at all.
bool is_product(const Convolution& c);

// Whether a matrix product does the work sooner than oneDNN's convolutions: where the pixels are
// the product's rows as they lie, or where there are so few that bringing the filter into another
// order would take long.
bool suits_product(const Convolution& c);

// The operand that `c.pass` names is written, the others are read.
template <class T>
void convolve_by_product(const Convolution& c, const T* image, const T* filter, const T* result);

}  // namespace ef::cpu
