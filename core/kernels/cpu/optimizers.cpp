// Choosing and running an optimizer update.
#define EF_ISA plain
#include "kernels/cpu/optimizers.h"

#include <cstddef>

#include "device/isa.h"
#include "device/parallel.h"
#include "kernels/cpu/optimizer_loops.h"
#include "tensor/error.h"

namespace ef::cpu {
namespace {

const UpdateLoops& vector_loops() {
  switch (isa()) {
    case Isa::kAvx512: return avx512::update_loops();
    case Isa::kAvx2: return avx2::update_loops();
    default: return baseline::update_loops();
  }
}

UpdateLoop loop_for(Update update, DType dtype) {
  const int k = static_cast<int>(update);
  switch (dtype) {
    case DType::kFloat32: return vector_loops().float32[k];
    case DType::kFloat64: return vector_loops().float64[k];
    case DType::kFloat16: return plain::kUpdates<Half, float>[k];
    case DType::kBfloat16: return plain::kUpdates<Bfloat16, float>[k];
    default: invalid_argument("Optimizers update floating variables, not ", dtype, ".");
  }
}

}  // namespace

void run_update(Update update, DType dtype, const UpdateArrays& arrays,
                const UpdateNumbers& numbers) {
  const UpdateLoop loop = loop_for(update, dtype);
  parallel_for(arrays.count, 32768,
               [&](int64_t begin, int64_t end) { loop(arrays, numbers, begin, end); });
}

void run_row_update(Update update, DType dtype, const UpdateArrays& arrays,
                    const UpdateNumbers& numbers, std::span<const int64_t> rows, int64_t row_size) {
  const UpdateLoop loop = loop_for(update, dtype);
  const int64_t row_bytes = row_size * static_cast<int64_t>(element_size(dtype));
  const auto row_of = [&](void* array, int64_t row) -> void* {
    return array ? static_cast<std::byte*>(array) + row * row_bytes : nullptr;
  };
  UpdateArrays part;
  part.count = row_size;
  part.gradient = arrays.gradient;
  for (const int64_t row : rows) {
    part.variable = row_of(arrays.variable, row);
    for (int k = 0; k < 3; ++k) part.slots[k] = row_of(arrays.slots[k], row);
    loop(part, numbers, 0, row_size);
    part.gradient = static_cast<const std::byte*>(part.gradient) + row_bytes;
  }
}

}  // namespace ef::cpu
