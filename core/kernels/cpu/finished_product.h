// Products with prepared weights whose results are finished while they are in registers.
#pragma once

#include <cstdint>

#include "device/isa.h"
#include "kernels/cpu/limits.h"

namespace ef::cpu {

// The operations on the sums of a product while they are in registers.
struct ProductFinish {
  const float* offsets = nullptr;  // one for each column; may be null
  const float* addend = nullptr;   // rows as long as those of the result; may be null
  Limits limits;
};

struct FinishedProductKernels {
  // Copies a matrix of `rows` rows into strips of `strip` columns, each stored row by row. The last
  // one is padded with zeros to whole vectors.
  void (*pack)(int64_t rows, int64_t cols, const float* matrix, float* strips);
  // c = a * the matrix of the strips, finished, for m rows and n columns; `c_row` apart.
  void (*multiply)(int64_t m, int64_t n, int64_t k, const float* a, const float* strips,
                   const ProductFinish& finish, float* c, int64_t c_row);
  int64_t rows;   // rows computed together
  int64_t strip;  // columns
  int64_t width;  // of a vector
};

EF_EVERY_ISA(FinishedProductKernels, finished_product_kernels)

}  // namespace ef::cpu
