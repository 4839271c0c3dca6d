// Transposes of matrices and reversed rows, by element size.
#pragma once

#include <cstdint>

#include "device/isa.h"

namespace ef::cpu {

// out[r * out_stride + c] = in[c * in_stride + r] for r < rows, c < cols; strides in elements.
using TransposeFn = void (*)(void* out, const void* in, int64_t rows, int64_t cols,
                             int64_t out_stride, int64_t in_stride);

// out[i] = in[-i] for i < count, in elements.
using ReverseFn = void (*)(void* out, const void* in, int64_t count);

struct TransposeKernels {
  TransposeFn bytes1;
  TransposeFn bytes2;
  TransposeFn bytes4;
  TransposeFn bytes8;
  ReverseFn reverse2;
  ReverseFn reverse4;
  ReverseFn reverse8;
};

EF_EVERY_ISA(TransposeKernels, transpose_kernels)

}  // namespace ef::cpu
