// Choosing and running an optimizer update.
#define EF_ISA plain
#include "kernels/cpu/optimizers.h"

#include <cstddef>

#include "device/parallel.h"
#include "kernels/cpu/optimizer_rules.h"
#include "tensor/error.h"

namespace ef::cpu {
namespace {

const UpdateLoops& vector_loops() { return best::update_loops(); }

UpdateLoop loop_for(DType dtype) {
  switch (dtype) {
    case DType::kFloat32: return vector_loops().float32;
    case DType::kFloat64: return vector_loops().float64;
    case DType::kFloat16: return plain::run<Half, float>;
    case DType::kBfloat16: return plain::run<Bfloat16, float>;
    default: invalid_argument("Optimizers update floating variables, not ", dtype, ".");
  }
}

}  // namespace

void run_update(const OptimizerStep& step, DType dtype, const UpdateArrays& arrays) {
  const UpdateLoop loop = loop_for(dtype);
  parallel_for(arrays.count, 32768,
               [&](int64_t begin, int64_t end) { loop(step, arrays, begin, end); });
}

void run_row_update(const OptimizerStep& step, DType dtype, const UpdateArrays& arrays,
                    std::span<const int64_t> rows, int64_t row_size) {
  const UpdateLoop loop = loop_for(dtype);
  const int64_t row_bytes = row_size * static_cast<int64_t>(element_size(dtype));
  const auto row_of = [&](void* array, int64_t row) -> void* {
    return array ? static_cast<std::byte*>(array) + row * row_bytes : nullptr;
  };
  UpdateArrays part;
  part.count = row_size;
  part.gradient = arrays.gradient;
  for (const int64_t row : rows) {
    part.variable = row_of(arrays.variable, row);
    for (int k = 0; k < kMaxSlots; ++k) part.slots[k] = row_of(arrays.slots[k], row);
    loop(step, part, 0, row_size);
    part.gradient = static_cast<const std::byte*>(part.gradient) + row_bytes;
  }
}

}  // namespace ef::cpu
