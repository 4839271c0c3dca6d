// Conversions between 16-bit floats and float, for kernels that compute in float.
#pragma once

#include <cstdint>

#include "ops/kernel_context.h"
#include "tensor/dtype.h"

namespace ef::cpu {

inline bool is_short_float(DType type) {
  return type == DType::kFloat16 || type == DType::kBfloat16;
}

// Converts on the calling thread.
void convert_here(const Half* in, float* out, int64_t count);
void convert_here(const Bfloat16* in, float* out, int64_t count);
void convert_here(const float* in, Half* out, int64_t count);
void convert_here(const float* in, Bfloat16* out, int64_t count);

// Converts on several threads if there are many elements.
void convert(const Half* in, float* out, int64_t count);
void convert(const Bfloat16* in, float* out, int64_t count);
void convert(const float* in, Half* out, int64_t count);
void convert(const float* in, Bfloat16* out, int64_t count);

// If inputs are 16-bit floats, runs the kernel on float copies and returns true.
bool run_wide(KernelContext& context, KernelFn kernel);

// The same for kernels that compute each row of the leading axis independently, which all inputs
// and outputs have. Runs on a few rows at a time, so that converted rows stay in the caches.
bool run_wide_by_rows(KernelContext& context, KernelFn kernel);

}  // namespace ef::cpu
