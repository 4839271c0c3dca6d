// Looking for numbers that spoil everything after them.
#include "eager/observer.h"

#include "eager/symbolic.h"
#include "kernels/cpu/finite.h"

namespace ef {

bool has_bad_numbers(const Tensor& tensor) {
  if (!is_differentiable(tensor.dtype()) || is_symbolic(tensor)) return false;
  tensor.impl()->settle();
  return cpu::has_bad_numbers(tensor);
}

}  // namespace ef
