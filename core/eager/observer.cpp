// Detection of infinities and NaNs.
#include "eager/observer.h"

#include "graph/symbolic.h"
#include "kernels/cpu/finite.h"

namespace ef {

bool has_nonfinite(const Tensor& tensor) {
  if (!kInexactTypes.contains(tensor.dtype()) || is_symbolic(tensor)) return false;
  tensor.impl()->settle();
  return cpu::has_nonfinite(tensor);
}

}  // namespace ef
