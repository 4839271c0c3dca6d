// Convolutions as matrix products.
#pragma once

#include "kernels/cpu/float_convolution.h"

namespace ef::cpu {

// Whether the convolution can be computed as a matrix product.
bool is_product(const Convolution& c);

// Whether a matrix product is faster than oneDNN's convolutions: either the pixels are the rows of
// the product, or there are so few that oneDNN would mostly reorder the filter.
bool suits_product(const Convolution& c);

// Writes the operand that `c.pass` names and reads the others.
template <class T>
void convolve_by_product(const Convolution& c, const T* image, const T* filter, const T* result);

}  // namespace ef::cpu
