// Choosing and running an optimizer update.
#define EF_ISA plain
#include "kernels/cpu/optimizers.h"

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

template <class T>
constexpr UpdateLoop kShortLoops[] = {plain::sgd<T, float>, plain::momentum<T, float>,
                                      plain::adam<T, float>, plain::rmsprop<T, float>,
                                      plain::adagrad<T, float>};

UpdateLoop loop_for(Update update, DType dtype) {
  const int k = static_cast<int>(update);
  switch (dtype) {
    case DType::kFloat32: return vector_loops().float32[k];
    case DType::kFloat64: return vector_loops().float64[k];
    case DType::kFloat16: return kShortLoops<Half>[k];
    case DType::kBfloat16: return kShortLoops<Bfloat16>[k];
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

}  // namespace ef::cpu
