// Kernels that draw random numbers.
#pragma once

#include "ops/op.h"

namespace ef::cpu {

void philox_uniform(KernelContext& context);
void philox_normal(KernelContext& context);
void philox_truncated_normal(KernelContext& context);
void philox_uniform_int(KernelContext& context);
void philox_uniform_full_int(KernelContext& context);
void philox_shuffle(KernelContext& context);
void philox_categorical(KernelContext& context);

}  // namespace ef::cpu
