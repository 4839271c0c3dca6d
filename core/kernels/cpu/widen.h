// 16-bit floats to float and back, for kernels that compute in float.
#pragma once

#include <cstdint>

#include "device/parallel.h"
#include "tensor/dtype.h"

namespace ef::cpu {

template <class From, class To>
void convert(const From* in, To* out, int64_t count) {
  parallel_for(count, 16'384, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out[i] = To(static_cast<float>(in[i]));
  });
}

}  // namespace ef::cpu
