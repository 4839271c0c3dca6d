// Kernels of the operations on strings.
#pragma once

#include "ops/kernel_context.h"

namespace ef::cpu {

void string_length(KernelContext& context);
void string_case(KernelContext& context);
void string_strip(KernelContext& context);
void string_part(KernelContext& context);
void string_hash(KernelContext& context);
void string_to_number(KernelContext& context);
void string_of_number(KernelContext& context);
void string_split(KernelContext& context);
void string_join(KernelContext& context);
void string_join_rows(KernelContext& context);

}  // namespace ef::cpu
