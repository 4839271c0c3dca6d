// Kernels on lists of tensors.
#pragma once

#include "ops/kernel_context.h"

namespace ef::cpu {

void tensor_list_reserve(KernelContext& context);
void tensor_list_from_tensor(KernelContext& context);
void tensor_list_stack(KernelContext& context);
void tensor_list_get_item(KernelContext& context);
void tensor_list_set_item(KernelContext& context);
void tensor_list_length(KernelContext& context);
void tensor_list_resize(KernelContext& context);
void tensor_list_gather(KernelContext& context);
void tensor_list_scatter(KernelContext& context);
void tensor_list_concat(KernelContext& context);
void tensor_list_split(KernelContext& context);
void tensor_list_erase(KernelContext& context);

}  // namespace ef::cpu
