// Float convolutions of 3×3 filters with fewer multiplications.
#pragma once

#include <functional>

#include "kernels/cpu/float_convolution.h"

namespace ef::cpu {

// Whether the transforms cost less than the multiplications that they save; `ready` if the filter
// is already transformed.
bool suits_winograd(const Convolution& c, bool ready = false);

// Writes the operand that `c.pass` names and reads the others.
void convolve_by_winograd(const Convolution& c, const float* image, const float* filter,
                          const float* result);

// The transformed filter of a forward pass: its number of elements, and its computation.
int64_t winograd_filter_size(const Convolution& c);
void transform_winograd_filter(const Convolution& c, const float* filter, float* to);
// The forward pass with a transformed filter. Calls finish(at, count) for groups of neighbouring
// pixels after they are written: the `count` elements of the result from element `at` on.
void convolve_by_winograd(const Convolution& c, const float* image, const float* transformed,
                          float* result,
                          const std::function<void(int64_t at, int64_t count)>& finish);

}  // namespace ef::cpu
