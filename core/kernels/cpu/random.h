// Kernels that draw random numbers.
#pragma once

#include "ops/kernel_context.h"
#include "ops/random.h"
#include "random/philox.h"

namespace ef::cpu {

inline Philox philox_at(const ops::StreamAttrs& start) {
  return Philox(static_cast<uint64_t>(start.key), static_cast<uint64_t>(start.counter_low),
                static_cast<uint64_t>(start.counter_high));
}

void philox_uniform(KernelContext& context);
void philox_normal(KernelContext& context);
void philox_truncated_normal(KernelContext& context);
void philox_uniform_int(KernelContext& context);
void philox_uniform_full_int(KernelContext& context);
void philox_shuffle(KernelContext& context);
void philox_categorical(KernelContext& context);

}  // namespace ef::cpu
