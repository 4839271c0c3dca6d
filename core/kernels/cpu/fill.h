// Fills memory with one value.
#pragma once

#include <cstdint>

#include "tensor/tensor.h"

namespace ef::cpu {

// Sets every element of a fresh tensor to `value`, converted to its dtype. Strings stay empty.
void fill_constant(const Tensor& tensor, double value);

// Writes `count` copies of one element of `size` bytes (a power of two up to 64), on one thread.
void fill_elements(void* out, const void* element, int64_t size, int64_t count);

// The same, on several threads if the array is large.
void fill_elements_parallel(void* out, const void* element, int64_t size, int64_t count);

// Writes `value`, converted to the dtype, to `element`; 16 bytes suffice. Not for strings.
void constant_element(DType dtype, double value, void* element);

}  // namespace ef::cpu
