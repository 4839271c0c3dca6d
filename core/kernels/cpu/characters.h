// Kernels of strings' characters, CSV fields, and sets.
#pragma once

#include "ops/kernel_context.h"

namespace ef::cpu {

void utf8_decode(KernelContext& context);
void utf8_encode(KernelContext& context);
void string_replace(KernelContext& context);
void csv_fields(KernelContext& context);
void base64_encode(KernelContext& context);
void base64_decode(KernelContext& context);
void string_bytes(KernelContext& context);
void bytes_string(KernelContext& context);
void set_rows(KernelContext& context);

}  // namespace ef::cpu
