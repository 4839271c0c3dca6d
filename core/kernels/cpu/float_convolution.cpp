// Chooses how a convolution of floats is computed.
#include "kernels/cpu/float_convolution.h"

#include "kernels/cpu/product_convolution.h"
#include "kernels/cpu/winograd.h"

namespace ef::cpu {

void convolve(const Convolution& c, const float* image, const float* filter, const float* result,
              const char* op) {
  if (suits_product(c)) return convolve_by_product(c, image, filter, result);
  if (suits_winograd(c)) return convolve_by_winograd(c, image, filter, result);
  large_convolution(c, image, filter, result, op);
}

}  // namespace ef::cpu
